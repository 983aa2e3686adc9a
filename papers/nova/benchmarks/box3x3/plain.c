#include <stdint.h>

static float mean(const float *a, const float *b, const float *c, int64_t l, int64_t x, int64_t r)
{
    return (a[l] + a[x] + a[r] + b[l] + b[x] + b[r] + c[l] + c[x] + c[r]) / 9;
}

void peer(int64_t h, int64_t w, const float *restrict in, float *restrict out)
{
#pragma omp parallel for schedule(static)
    for (int64_t y = 0; y < h; y++) {
        const float *a = in + (y > 0 ? y - 1 : y) * w, *b = in + y * w,
                    *c = in + (y < h - 1 ? y + 1 : y) * w;
        float *row = out + y * w;
        for (int64_t x = 1; x < w - 1; x++)
            row[x] = mean(a, b, c, x - 1, x, x + 1);
        if (w > 0) {
            row[0] = mean(a, b, c, 0, 0, w > 1);
            row[w - 1] = mean(a, b, c, w > 1 ? w - 2 : 0, w - 1, w - 1);
        }
    }
}
