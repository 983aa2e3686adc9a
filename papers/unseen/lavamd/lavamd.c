#include <math.h>
#include <stdint.h>

void peer(int64_t b, int64_t p, double alpha, const double *positions, const double *charges,
          double *restrict out)
{
    double a2 = 2 * alpha * alpha;
#pragma omp parallel for
    for (int64_t box = 0; box < b * b * b; box++)
        for (int64_t q = 0; q < p; q++) {
            const double *at = positions + 3 * (box * p + q);
            double v = 0, fx = 0, fy = 0, fz = 0;
            for (int64_t n = 0; n < 27; n++) {
                int64_t x = box / b / b + n / 9 - 1, y = box / b % b + n / 3 % 3 - 1;
                int64_t z = box % b + n % 3 - 1;
                if (x < 0 || x >= b || y < 0 || y >= b || z < 0 || z >= b)
                    continue;
                int64_t first = ((x * b + y) * b + z) * p;
                for (int64_t o = first; o < first + p; o++) {
                    double dx = at[0] - positions[3 * o], dy = at[1] - positions[3 * o + 1];
                    double dz = at[2] - positions[3 * o + 2];
                    double u = exp(-a2 * (dx * dx + dy * dy + dz * dz)), s = 2 * u * charges[o];
                    v += charges[o] * u;
                    fx += s * dx;
                    fy += s * dy;
                    fz += s * dz;
                }
            }
            double *to = out + 4 * (box * p + q);
            to[0] = v, to[1] = fx, to[2] = fy, to[3] = fz;
        }
}
