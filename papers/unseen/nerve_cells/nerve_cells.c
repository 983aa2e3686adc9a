#include <stdint.h>

typedef struct {
    double v, w;
} cell;

static inline cell slope(double current, cell c)
{
    return (cell){c.v - c.v * c.v * c.v / 3 - c.w + current, 0.08 * (c.v + 0.7 - 0.8 * c.w)};
}

static inline cell along(double h, cell c, cell d)
{
    return (cell){c.v + h * d.v, c.w + h * d.w};
}

void peer(int64_t n, int32_t steps, double h, const double *currents, const double *vs,
          const double *ws, double *out_v, double *out_w)
{
#pragma omp parallel for
    for (int64_t i = 0; i < n; i++) {
        cell c = {vs[i], ws[i]};
        for (int32_t t = 0; t < steps; t++) {
            cell k1 = slope(currents[i], c);
            cell k2 = slope(currents[i], along(h / 2, c, k1));
            cell k3 = slope(currents[i], along(h / 2, c, k2));
            cell k4 = slope(currents[i], along(h, c, k3));
            c.v += h / 6 * (k1.v + 2 * k2.v + 2 * k3.v + k4.v);
            c.w += h / 6 * (k1.w + 2 * k2.w + 2 * k3.w + k4.w);
        }
        out_v[i] = c.v;
        out_w[i] = c.w;
    }
}
