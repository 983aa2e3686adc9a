#include <stdint.h>

static inline int64_t clamp(int64_t x, int64_t high)
{
    return x < 0 ? 0 : x > high ? high : x;
}

void peer(int64_t h, int64_t w, int64_t k, const float *image, const float *weights,
          float *restrict out)
{
#pragma omp parallel for
    for (int64_t i = 0; i < h; i++)
        for (int64_t j = 0; j < w; j++) {
            float sum = 0;
            for (int64_t di = 0; di < k; di++)
                for (int64_t dj = 0; dj < k; dj++) {
                    int64_t y = clamp(i + di - k / 2, h - 1), x = clamp(j + dj - k / 2, w - 1);
                    sum += weights[di * k + dj] * image[y * w + x];
                }
            out[i * w + j] = sum;
        }
}
