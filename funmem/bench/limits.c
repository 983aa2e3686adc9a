/* A processor's limits: bytes moved and floating-point operations, both with all threads. */

#include <stdint.h>
#include <stdlib.h>

/* z = a x + y: moves 12 bytes for each of n elements, and 4 more if z is fetched before the write. */
void triad(int64_t n, float a, const float *restrict x, const float *restrict y, float *restrict z)
{
#pragma omp parallel for simd schedule(static)
    for (int64_t i = 0; i < n; i++)
        z[i] = a * x[i] + y[i];
}

/* Multiply-adds in registers: 2 * 256 * n operations for each of `parts`. */
void peak(int64_t parts, int64_t n, float *out)
{
    enum { LANES = 256 };
#pragma omp parallel for schedule(static)
    for (int64_t p = 0; p < parts; p++) {
        float sum[LANES];
        const float a = 0.999f + 1e-6f * p, b = 1e-3f;
        for (int l = 0; l < LANES; l++)
            sum[l] = l;
        for (int64_t k = 0; k < n; k++)
            for (int l = 0; l < LANES; l++)
                sum[l] = sum[l] * a + b;
        float all = 0;
        for (int l = 0; l < LANES; l++)
            all += sum[l];
        out[p] = all;
    }
}
