#include <stdint.h>

void peer(int64_t w, int64_t n, int64_t m, const int32_t *restrict columns,
          const float *restrict values, const float *restrict x, float *restrict y)
{
    (void)m;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++) {
        float sum = 0;
        for (int64_t e = 0; e < w; e++) {
            const int32_t c = columns[e * n + i];
            if (c >= 0)
                sum += values[e * n + i] * x[c];
        }
        y[i] = sum;
    }
}
