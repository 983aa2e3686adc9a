#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void peer(int64_t n, const double *re, const double *im, double *out_re, double *out_im)
{
    double *xr = malloc(n * sizeof *xr), *xi = malloc(n * sizeof *xi);
    double *yr = malloc(n * sizeof *yr), *yi = malloc(n * sizeof *yi);
    memcpy(xr, re, n * sizeof *xr);
    memcpy(xi, im, n * sizeof *xi);
    for (int64_t l = n / 2, m = 1; l >= 1; l /= 2, m *= 2) {
#pragma omp parallel for
        for (int64_t p = 0; p < n / 2; p++) {
            int64_t j = p / m, k = p % m;
            double angle = -M_PI * j / l, wr = cos(angle), wi = sin(angle);
            double ar = xr[p], ai = xi[p], br = xr[p + n / 2], bi = xi[p + n / 2];
            double dr = ar - br, di = ai - bi;
            int64_t o = k + 2 * j * m;
            yr[o] = ar + br;
            yi[o] = ai + bi;
            yr[o + m] = wr * dr - wi * di;
            yi[o + m] = wr * di + wi * dr;
        }
        double *t = xr;
        xr = yr, yr = t;
        t = xi, xi = yi, yi = t;
    }
    memcpy(out_re, xr, n * sizeof *xr);
    memcpy(out_im, xi, n * sizeof *xi);
    free(xr);
    free(xi);
    free(yr);
    free(yi);
}
