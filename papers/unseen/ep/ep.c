#include <math.h>
#include <stdint.h>

#define MASK ((1ULL << 46) - 1)
#define FACTOR 1220703125ULL

void peer(int64_t streams, int64_t length, double *out_x, double *out_y, int64_t *out_counts)
{
    double sx = 0, sy = 0;
    int64_t counts[10] = {0};
#pragma omp parallel for reduction(+ : sx, sy, counts)
    for (int64_t s = 0; s < streams; s++) {
        uint64_t seed = 271828183, factor = FACTOR;
        for (int64_t left = 2 * length * s; left > 0; left /= 2, factor = factor * factor & MASK)
            if (left % 2 == 1)
                seed = seed * factor & MASK;
        for (int64_t k = 0; k < length; k++) {
            uint64_t one = seed * FACTOR & MASK, two = one * FACTOR & MASK;
            double x = 2 * (one / 70368744177664.0) - 1, y = 2 * (two / 70368744177664.0) - 1;
            double t = x * x + y * y;
            seed = two;
            if (t <= 1) {
                double f = sqrt(-2 * log(t) / t), gx = x * f, gy = y * f;
                counts[(int64_t)fmax(fabs(gx), fabs(gy))]++;
                sx += gx;
                sy += gy;
            }
        }
    }
    *out_x = sx;
    *out_y = sy;
    for (int i = 0; i < 10; i++)
        out_counts[i] = counts[i];
}
