#include <stdint.h>

void peer(int64_t n, int64_t k, int64_t m, double alpha, double beta, const double *a,
          const double *b, const double *c, double *restrict out)
{
#pragma omp parallel for
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < m; j++)
            out[i * m + j] = beta * c[i * m + j];
        for (int64_t l = 0; l < k; l++) {
            double x = alpha * a[i * k + l];
            for (int64_t j = 0; j < m; j++)
                out[i * m + j] += x * b[l * m + j];
        }
    }
}
