#include <stdint.h>

void peer(int64_t n, float a, const float *restrict x, const float *restrict y, float *restrict z)
{
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++)
        z[i] = a * x[i] + y[i];
}
