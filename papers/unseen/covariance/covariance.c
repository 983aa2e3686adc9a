#include <stdint.h>
#include <stdlib.h>

void peer(int64_t n, int64_t m, const double *table, double *restrict out)
{
    double *mean = calloc(m + 1, sizeof *mean);
    double *restrict x = malloc((n * m + 1) * sizeof *x);
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < m; j++)
            mean[j] += table[i * m + j];
    for (int64_t j = 0; j < m; j++)
        mean[j] /= n;
#pragma omp parallel for
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < m; j++)
            x[i * m + j] = table[i * m + j] - mean[j];
#pragma omp parallel for schedule(dynamic, 8)
    for (int64_t i = 0; i < m; i++) {
        double *restrict row = out + i * m;
        for (int64_t j = i; j < m; j++)
            row[j] = 0;
        for (int64_t k = 0; k < n; k++)
            for (int64_t j = i; j < m; j++)
                row[j] += x[k * m + i] * x[k * m + j];
        for (int64_t j = i; j < m; j++)
            row[j] /= n - 1;
    }
    for (int64_t i = 0; i < m; i++)
        for (int64_t j = 0; j < i; j++)
            out[i * m + j] = out[j * m + i];
    free(mean);
    free(x);
}
