#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void peer(int64_t n, int64_t m, const double *given, double *restrict q, double *restrict r)
{
    double *restrict a = malloc((n * m + 1) * sizeof *a);
    memcpy(a, given, n * m * sizeof *a);
    memset(r, 0, m * m * sizeof *r);
    for (int64_t k = 0; k < m; k++) {
        double norm = 0;
        for (int64_t i = 0; i < n; i++)
            norm += a[i * m + k] * a[i * m + k];
        norm = sqrt(norm);
        r[k * m + k] = norm;
        for (int64_t i = 0; i < n; i++)
            q[i * m + k] = a[i * m + k] / norm;
#pragma omp parallel for
        for (int64_t j = k + 1; j < m; j++) {
            double share = 0;
            for (int64_t i = 0; i < n; i++)
                share += q[i * m + k] * a[i * m + j];
            r[k * m + j] = share;
            for (int64_t i = 0; i < n; i++)
                a[i * m + j] -= q[i * m + k] * share;
        }
    }
    free(a);
}
