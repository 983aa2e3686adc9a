#include <math.h>
#include <stdint.h>

void peer(int64_t h, int64_t pitch, int64_t width, const float *restrict grid, float *least,
          float *greatest)
{
    float low = INFINITY, high = -INFINITY;
#pragma omp parallel for schedule(static) reduction(min : low) reduction(max : high)
    for (int64_t y = 0; y < h; y++) {
        const float *restrict row = grid + y * pitch;
#pragma omp simd reduction(min : low) reduction(max : high)
        for (int64_t x = 0; x < width; x++) {
            low = row[x] < low ? row[x] : low;
            high = row[x] > high ? row[x] : high;
        }
    }
    *least = low, *greatest = high;
}
