#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void peer(int64_t t, int64_t n, const double *observed, const uint32_t *seeds, const double *xs,
          const double *ys, double *estimates)
{
    uint32_t *seed = malloc(n * sizeof *seed);
    double *x = malloc(n * sizeof *x), *y = malloc(n * sizeof *y), *w = malloc(n * sizeof *w);
    double *x2 = malloc(n * sizeof *x2), *y2 = malloc(n * sizeof *y2);
    memcpy(seed, seeds, n * sizeof *seed);
    memcpy(x, xs, n * sizeof *x);
    memcpy(y, ys, n * sizeof *y);
    for (int64_t k = 0; k < t; k++) {
        double total = 0, ex = 0, ey = 0;
#pragma omp parallel for reduction(+ : total, ex, ey)
        for (int64_t i = 0; i < n; i++) {
            uint32_t one = seed[i] * 1664525 + 1013904223, two = one * 1664525 + 1013904223;
            double radius = sqrt(-2 * log(1 - (one >> 8) / 16777216.0));
            double angle = 2 * M_PI * ((two >> 8) / 16777216.0);
            seed[i] = two;
            x[i] += 1 + 0.5 * radius * cos(angle);
            y[i] += 0.5 + 0.5 * radius * sin(angle);
            double dx = x[i] - observed[2 * k], dy = y[i] - observed[2 * k + 1];
            w[i] = exp(-0.5 * (dx * dx + dy * dy)) + 1e-12;
            total += w[i];
            ex += w[i] * x[i];
            ey += w[i] * y[i];
        }
        estimates[2 * k] = ex / total;
        estimates[2 * k + 1] = ey / total;
        double upto = 0;
        for (int64_t i = 0; i < n; i++)
            w[i] = upto += w[i] / total;
#pragma omp parallel for
        for (int64_t i = 0; i < n; i++) {
            double u = (i + 0.5) / n;
            int64_t low = 0, high = n - 1;
            while (low < high) {
                int64_t middle = (low + high) / 2;
                if (w[middle] < u)
                    low = middle + 1;
                else
                    high = middle;
            }
            x2[i] = x[low];
            y2[i] = y[low];
        }
        double *other = x;
        x = x2, x2 = other;
        other = y, y = y2, y2 = other;
    }
    free(seed);
    free(x);
    free(y);
    free(w);
    free(x2);
    free(y2);
}
