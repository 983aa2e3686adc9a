#include <stdint.h>
#include <stdlib.h>

void peer(int64_t n, int64_t m, const double *a, const double *x, double *restrict y)
{
    double *restrict t = malloc((n + 1) * sizeof *t);
    for (int64_t j = 0; j < m; j++)
        y[j] = 0;
#pragma omp parallel
    {
#pragma omp for
        for (int64_t i = 0; i < n; i++) {
            double sum = 0;
            for (int64_t j = 0; j < m; j++)
                sum += a[i * m + j] * x[j];
            t[i] = sum;
        }
        double *restrict own = calloc(m + 1, sizeof *own);
#pragma omp for
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < m; j++)
                own[j] += a[i * m + j] * t[i];
#pragma omp critical
        for (int64_t j = 0; j < m; j++)
            y[j] += own[j];
        free(own);
    }
    free(t);
}
