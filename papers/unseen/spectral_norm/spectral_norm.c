#include <math.h>
#include <stdint.h>
#include <stdlib.h>

static inline double entry_of(int64_t i, int64_t j)
{
    return 1.0 / ((i + j) * (i + j + 1) / 2 + i + 1);
}

static void times(int64_t n, const double *restrict v, double *restrict w)
{
#pragma omp parallel for
    for (int64_t i = 0; i < n; i++) {
        double sum = 0;
        for (int64_t j = 0; j < n; j++)
            sum += entry_of(i, j) * v[j];
        w[i] = sum;
    }
}

static void times_transposed(int64_t n, const double *restrict v, double *restrict w)
{
#pragma omp parallel for
    for (int64_t i = 0; i < n; i++) {
        double sum = 0;
        for (int64_t j = 0; j < n; j++)
            sum += entry_of(j, i) * v[j];
        w[i] = sum;
    }
}

void peer(int64_t n, double *out)
{
    double *u = malloc((n + 1) * sizeof *u), *v = malloc((n + 1) * sizeof *v);
    double *t = malloc((n + 1) * sizeof *t);
    for (int64_t i = 0; i < n; i++)
        u[i] = 1;
    for (int k = 0; k < 10; k++) {
        times(n, u, t);
        times_transposed(n, t, v);
        times(n, v, t);
        times_transposed(n, t, u);
    }
    double uv = 0, vv = 0;
    for (int64_t i = 0; i < n; i++) {
        uv += u[i] * v[i];
        vv += v[i] * v[i];
    }
    *out = sqrt(uv / vv);
    free(u);
    free(v);
    free(t);
}
