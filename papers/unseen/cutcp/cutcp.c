#include <math.h>
#include <stdint.h>

static inline int64_t from(int64_t i)
{
    return i / 2 > 0 ? i / 2 - 1 : 0;
}

static inline int64_t to(int64_t i, int64_t n)
{
    return i / 2 + 2 < n ? i / 2 + 2 : n;
}

void peer(int64_t bx, int64_t by, int64_t bz, int64_t c, float cutoff, float spacing,
          const int64_t *counts, const float *atoms, float *restrict out)
{
    float limit = cutoff * cutoff;
#pragma omp parallel for
    for (int64_t i = 0; i < 2 * bx; i++)
        for (int64_t j = 0; j < 2 * by; j++)
            for (int64_t k = 0; k < 2 * bz; k++) {
                float x = spacing * i, y = spacing * j, z = spacing * k, sum = 0;
                for (int64_t p = from(i); p < to(i, bx); p++)
                    for (int64_t q = from(j); q < to(j, by); q++)
                        for (int64_t r = from(k); r < to(k, bz); r++) {
                            int64_t cell = (p * by + q) * bz + r;
                            for (int64_t a = 0; a < counts[cell]; a++) {
                                const float *atom = atoms + 4 * (cell * c + a);
                                float dx = atom[0] - x, dy = atom[1] - y, dz = atom[2] - z;
                                float r2 = dx * dx + dy * dy + dz * dz, s = 1 - r2 / limit;
                                if (r2 < limit && r2 > 0)
                                    sum += atom[3] / sqrtf(r2) * s * s;
                            }
                        }
                out[(i * 2 * by + j) * 2 * bz + k] = sum;
            }
}
