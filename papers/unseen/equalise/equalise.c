#include <stdint.h>

void peer(int64_t h, int64_t w, const uint8_t *picture, uint8_t *restrict out)
{
    int64_t count[256] = {0};
    uint8_t level[256];
#pragma omp parallel for reduction(+ : count)
    for (int64_t i = 0; i < h * w; i++)
        count[picture[i]]++;
    int64_t below = 0, first = 0;
    for (int k = 0; k < 256; k++) {
        below += count[k];
        if (first == 0)
            first = below;
        level[k] = h * w == first || below < first ? 0 : (below - first) * 255 / (h * w - first);
    }
#pragma omp parallel for
    for (int64_t i = 0; i < h * w; i++)
        out[i] = level[picture[i]];
}
