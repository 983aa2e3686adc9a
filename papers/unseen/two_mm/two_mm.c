#include <stdint.h>
#include <stdlib.h>

void peer(int64_t n, int64_t k, int64_t m, int64_t l, double alpha, double beta, const double *a,
          const double *b, const double *c, const double *d, double *restrict out)
{
    double *restrict t = malloc((n * m + 1) * sizeof *t);
#pragma omp parallel for
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < m; j++)
            t[i * m + j] = 0;
        for (int64_t q = 0; q < k; q++)
            for (int64_t j = 0; j < m; j++)
                t[i * m + j] += alpha * a[i * k + q] * b[q * m + j];
    }
#pragma omp parallel for
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < l; j++)
            out[i * l + j] = beta * d[i * l + j];
        for (int64_t q = 0; q < m; q++)
            for (int64_t j = 0; j < l; j++)
                out[i * l + j] += t[i * m + q] * c[q * l + j];
    }
    free(t);
}
