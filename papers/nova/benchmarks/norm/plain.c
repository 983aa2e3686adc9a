#include <math.h>
#include <stdint.h>

void peer(int64_t n, const float *restrict x, float *out)
{
    float sum = 0;
#pragma omp parallel for simd schedule(static) reduction(+ : sum)
    for (int64_t i = 0; i < n; i++)
        sum += x[i] * x[i];
    *out = sqrtf(sum);
}
