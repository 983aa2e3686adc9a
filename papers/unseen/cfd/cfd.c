#include <math.h>
#include <stdint.h>
#include <stdlib.h>

typedef struct {
    double d, mx, my, mz, e;
} state;

static const state free_stream = {1.4, 1.68, 0.0, 0.0, 3.508};

static inline double pressure(state s)
{
    return 0.4 * (s.e - 0.5 * (s.mx * s.mx + s.my * s.my + s.mz * s.mz) / s.d);
}

static inline double waves(state s)
{
    double v = sqrt(s.mx * s.mx + s.my * s.my + s.mz * s.mz) / s.d;
    return v + sqrt(1.4 * pressure(s) / s.d);
}

static inline state flow(state s, const double *n)
{
    double across = (s.mx * n[0] + s.my * n[1] + s.mz * n[2]) / s.d, p = pressure(s);
    return (state){s.d * across, across * s.mx + p * n[0], across * s.my + p * n[1],
                   across * s.mz + p * n[2], (s.e + p) * across};
}

static inline void through(state *sum, state s, state o, const double *n)
{
    double area = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    double factor = -0.1 * area * (waves(s) + waves(o));
    state a = flow(s, n), b = flow(o, n);
    sum->d += factor * (s.d - o.d) - 0.5 * (a.d + b.d);
    sum->mx += factor * (s.mx - o.mx) - 0.5 * (a.mx + b.mx);
    sum->my += factor * (s.my - o.my) - 0.5 * (a.my + b.my);
    sum->mz += factor * (s.mz - o.mz) - 0.5 * (a.mz + b.mz);
    sum->e += factor * (s.e - o.e) - 0.5 * (a.e + b.e);
}

void peer(int64_t n, int32_t steps, const double *areas, const int64_t *neighbours,
          const double *normals, const double *density, const double *momentum,
          const double *energy, double *out_density, double *out_momentum, double *out_energy)
{
    state *cells = malloc((n + 1) * sizeof *cells), *next = malloc((n + 1) * sizeof *next);
    for (int64_t i = 0; i < n; i++)
        cells[i] = (state){density[i], momentum[3 * i], momentum[3 * i + 1], momentum[3 * i + 2],
                           energy[i]};
    for (int32_t t = 0; t < steps; t++) {
#pragma omp parallel for
        for (int64_t i = 0; i < n; i++) {
            state s = cells[i], sum = {0};
            for (int f = 0; f < 4; f++) {
                const double *normal = normals + 12 * i + 3 * f;
                int64_t k = neighbours[4 * i + f];
                if (k >= 0) {
                    through(&sum, s, cells[k], normal);
                } else if (k == -1) {
                    double p = pressure(s);
                    sum.mx -= p * normal[0];
                    sum.my -= p * normal[1];
                    sum.mz -= p * normal[2];
                } else {
                    through(&sum, s, free_stream, normal);
                }
            }
            double factor = 0.5 / (sqrt(areas[i]) * waves(s));
            next[i] = (state){s.d + factor * sum.d, s.mx + factor * sum.mx, s.my + factor * sum.my,
                              s.mz + factor * sum.mz, s.e + factor * sum.e};
        }
        state *other = cells;
        cells = next;
        next = other;
    }
    for (int64_t i = 0; i < n; i++) {
        out_density[i] = cells[i].d;
        out_momentum[3 * i] = cells[i].mx;
        out_momentum[3 * i + 1] = cells[i].my;
        out_momentum[3 * i + 2] = cells[i].mz;
        out_energy[i] = cells[i].e;
    }
    free(cells);
    free(next);
}
