#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void peer(int64_t n, int64_t m, int32_t steps, float lambda, const float *given, float *image)
{
    size_t size = (n * m + 1) * sizeof(float);
    float *restrict dn = malloc(size), *restrict ds = malloc(size), *restrict dw = malloc(size);
    float *restrict de = malloc(size), *restrict c = malloc(size);
    memcpy(image, given, n * m * sizeof *image);
    for (int32_t t = 0; t < steps; t++) {
        float sum = 0, squares = 0;
#pragma omp parallel for reduction(+ : sum, squares)
        for (int64_t k = 0; k < n * m; k++) {
            sum += image[k];
            squares += image[k] * image[k];
        }
        float mean = sum / (n * m), variance = squares / (n * m) - mean * mean;
        float q0 = variance / (mean * mean);
#pragma omp parallel for
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < m; j++) {
                int64_t k = i * m + j;
                float x = image[k];
                dn[k] = image[i > 0 ? k - m : k] - x;
                ds[k] = image[i < n - 1 ? k + m : k] - x;
                dw[k] = image[j > 0 ? k - 1 : k] - x;
                de[k] = image[j < m - 1 ? k + 1 : k] - x;
                float g2 = (dn[k] * dn[k] + ds[k] * ds[k] + dw[k] * dw[k] + de[k] * de[k]) / (x * x);
                float l = (dn[k] + ds[k] + dw[k] + de[k]) / x;
                float num = 0.5f * g2 - 1.0f / 16 * l * l, den = 1 + 0.25f * l;
                float q = num / (den * den), v = 1 / (1 + (q - q0) / (q0 * (1 + q0)));
                c[k] = v < 0 ? 0 : v > 1 ? 1 : v;
            }
#pragma omp parallel for
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < m; j++) {
                int64_t k = i * m + j;
                float south = c[i < n - 1 ? k + m : k], east = c[j < m - 1 ? k + 1 : k];
                float d = c[k] * dn[k] + south * ds[k] + c[k] * dw[k] + east * de[k];
                image[k] += 0.25f * lambda * d;
            }
    }
    free(dn);
    free(ds);
    free(dw);
    free(de);
    free(c);
}
