#include <math.h>
#include <stdint.h>

void peer(int64_t n, const float *restrict x, const float *restrict y, const float *restrict z,
          float *restrict ax, float *restrict ay, float *restrict az)
{
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++) {
        float sx = 0, sy = 0, sz = 0;
        for (int64_t j = 0; j < n; j++) {
            const float dx = x[j] - x[i], dy = y[j] - y[i], dz = z[j] - z[i];
            const float d = sqrtf(dx * dx + dy * dy + dz * dz);
            if (d > 0) {
                const float d3 = d * d * d;
                sx += dx / d3;
                sy += dy / d3;
                sz += dz / d3;
            }
        }
        ax[i] = sx;
        ay[i] = sy;
        az[i] = sz;
    }
}
