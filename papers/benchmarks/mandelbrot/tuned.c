#include <stdint.h>

/* Sixteen points at a time, until the last of them has escaped. */
enum { LANES = 16 };

void peer(int64_t n, int32_t limit, int32_t *restrict out)
{
#pragma omp parallel for schedule(dynamic, 16)
    for (int64_t y = 0; y < n; y++)
        for (int64_t x0 = 0; x0 < n; x0 += LANES) {
            const float ci = -1.25f + 2.5f * (y + 0.5f) / n;
            float cr[LANES], r[LANES], i[LANES];
            int32_t steps[LANES], any = 1;
            for (int l = 0; l < LANES; l++) {
                cr[l] = -2 + 2.5f * (x0 + l + 0.5f) / n;
                r[l] = i[l] = 0;
                steps[l] = 0;
            }
            for (int32_t k = 0; k < limit && any; k++) {
                any = 0;
                for (int l = 0; l < LANES; l++) {
                    const int32_t near = r[l] * r[l] + i[l] * i[l] <= 4;
                    const float s = r[l] * r[l] - i[l] * i[l] + cr[l];
                    i[l] = near ? 2 * r[l] * i[l] + ci : i[l];
                    r[l] = near ? s : r[l];
                    steps[l] += near;
                    any |= near;
                }
            }
            for (int l = 0; l < LANES && x0 + l < n; l++)
                out[y * n + x0 + l] = steps[l];
        }
}
