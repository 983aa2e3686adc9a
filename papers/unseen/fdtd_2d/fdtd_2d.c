#include <stdint.h>
#include <string.h>

void peer(int64_t t, int64_t n, int64_t m, const double *source, const double *ex0,
          const double *ey0, const double *hz0, double *restrict ex, double *restrict ey,
          double *restrict hz)
{
    memcpy(ex, ex0, n * m * sizeof *ex);
    memcpy(ey, ey0, n * m * sizeof *ey);
    memcpy(hz, hz0, n * m * sizeof *hz);
    for (int64_t s = 0; s < t; s++) {
        for (int64_t j = 0; j < m; j++)
            ey[j] = source[s];
#pragma omp parallel
        {
#pragma omp for
            for (int64_t i = 1; i < n; i++)
                for (int64_t j = 0; j < m; j++)
                    ey[i * m + j] -= 0.5 * (hz[i * m + j] - hz[(i - 1) * m + j]);
#pragma omp for
            for (int64_t i = 0; i < n; i++)
                for (int64_t j = 1; j < m; j++)
                    ex[i * m + j] -= 0.5 * (hz[i * m + j] - hz[i * m + j - 1]);
#pragma omp for
            for (int64_t i = 0; i < n - 1; i++)
                for (int64_t j = 0; j < m - 1; j++)
                    hz[i * m + j] -= 0.7 * (ex[i * m + j + 1] - ex[i * m + j] +
                                            ey[(i + 1) * m + j] - ey[i * m + j]);
        }
    }
}
