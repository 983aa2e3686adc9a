#include <math.h>
#include <stdint.h>
#include <stdlib.h>

void peer(int64_t n, double spot, double strike, double rate, double volatility, double years,
          double *restrict out)
{
    const double dt = years / (double)n, width = volatility * sqrt(dt);
    const double up = exp(width), growth = exp(rate * dt);
    const double p = (growth - 1 / up) / (up - 1 / up), rise = p / growth, fall = (1 - p) / growth;
    double *gains = malloc((2 * n + 1) * sizeof *gains), *v = malloc((n + 1) * sizeof *v);
    for (int64_t j = 0; j <= 2 * n; j++)
        gains[j] = strike - spot * exp(width * (double)(j - n));
    for (int64_t k = 0; k <= n; k++)
        v[k] = fmax(0, gains[2 * k]);
    for (int64_t i = n - 1; i >= 0; i--)
        for (int64_t k = 0; k <= i; k++) {
            const double later = rise * v[k + 1] + fall * v[k], now = gains[n - i + 2 * k];
            v[k] = now > later ? now : later;
        }
    out[0] = v[0];
    free(gains);
    free(v);
}
