#include <stdint.h>

void peer(int64_t n, const float *restrict ax, const float *restrict ay, const float *restrict az,
          const float *restrict bx, const float *restrict by, const float *restrict bz,
          float *restrict out)
{
#pragma omp parallel for simd schedule(static)
    for (int64_t i = 0; i < n; i++)
        out[i] = ax[i] * bx[i] + ay[i] * by[i] + az[i] * bz[i];
}
