#include <stdint.h>

void peer(int64_t k, int64_t z, int64_t m, const int64_t *restrict starts,
          const int32_t *restrict columns, const float *restrict values, const float *restrict x,
          float *restrict y)
{
    (void)z, (void)m;
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < k - 1; i++) {
        float sum = 0;
        for (int64_t e = starts[i]; e < starts[i + 1]; e++)
            sum += values[e] * x[columns[e]];
        y[i] = sum;
    }
}
