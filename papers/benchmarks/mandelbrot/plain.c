#include <stdint.h>

void peer(int64_t n, int32_t limit, int32_t *restrict out)
{
#pragma omp parallel for schedule(dynamic, 16)
    for (int64_t y = 0; y < n; y++)
        for (int64_t x = 0; x < n; x++) {
            const float cr = -2 + 2.5f * (x + 0.5f) / n, ci = -1.25f + 2.5f * (y + 0.5f) / n;
            float r = 0, i = 0;
            int32_t k = 0;
            for (; k < limit && r * r + i * i <= 4; k++) {
                const float s = r * r - i * i + cr;
                i = 2 * r * i + ci;
                r = s;
            }
            out[y * n + x] = k;
        }
}
