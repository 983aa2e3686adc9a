#include <math.h>
#include <stdint.h>

void peer(int64_t n, const float *restrict x, const float *restrict y, float *left, float *low,
          float *right, float *high)
{
    float l = INFINITY, b = INFINITY, r = -INFINITY, t = -INFINITY;
#pragma omp parallel for simd schedule(static) reduction(min : l, b) reduction(max : r, t)
    for (int64_t i = 0; i < n; i++) {
        l = x[i] < l ? x[i] : l;
        b = y[i] < b ? y[i] : b;
        r = x[i] > r ? x[i] : r;
        t = y[i] > t ? y[i] : t;
    }
    *left = l, *low = b, *right = r, *high = t;
}
