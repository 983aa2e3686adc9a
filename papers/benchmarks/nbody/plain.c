#include <math.h>
#include <stdint.h>

void peer(int64_t n, float softening, const float *restrict x, const float *restrict y,
          const float *restrict z, const float *restrict m, float *restrict ax, float *restrict ay,
          float *restrict az)
{
#pragma omp parallel for schedule(static)
    for (int64_t i = 0; i < n; i++) {
        float sx = 0, sy = 0, sz = 0;
        for (int64_t j = 0; j < n; j++) {
            const float dx = x[j] - x[i], dy = y[j] - y[i], dz = z[j] - z[i];
            const float r2 = dx * dx + dy * dy + dz * dz + softening;
            const float s = m[j] / (r2 * sqrtf(r2));
            sx += s * dx;
            sy += s * dy;
            sz += s * dz;
        }
        ax[i] = sx;
        ay[i] = sy;
        az[i] = sz;
    }
}
