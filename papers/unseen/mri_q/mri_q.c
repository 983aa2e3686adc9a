#include <math.h>
#include <stdint.h>

void peer(int64_t k, int64_t n, const float *kx, const float *ky, const float *kz,
          const float *magnitude, const float *x, const float *y, const float *z,
          float *restrict real, float *restrict imaginary)
{
#pragma omp parallel for
    for (int64_t i = 0; i < n; i++) {
        float re = 0, im = 0;
        for (int64_t j = 0; j < k; j++) {
            float angle = 2 * (float)M_PI * (kx[j] * x[i] + ky[j] * y[i] + kz[j] * z[i]);
            re += magnitude[j] * cosf(angle);
            im += magnitude[j] * sinf(angle);
        }
        real[i] = re;
        imaginary[i] = im;
    }
}
