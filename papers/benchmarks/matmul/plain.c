#include <stdint.h>
#include <string.h>

/* Row by row, so that the innermost loop goes through rows of b and c. */
void peer(int64_t n, int64_t m, int64_t p, const float *restrict a, const float *restrict b,
          float *restrict c)
{
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++) {
        memset(c + i * p, 0, p * sizeof *c);
        for (int64_t k = 0; k < m; k++)
            for (int64_t j = 0; j < p; j++)
                c[i * p + j] += a[i * m + k] * b[k * p + j];
    }
}
