#include <math.h>
#include <stdint.h>

static float dot(const float *a, const float *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static uint32_t byte(float x)
{
    return (uint32_t)(x * 255 + 0.5f);
}

void peer(int64_t k, int64_t n, const uint8_t *restrict kinds, const float *restrict factors,
          const float *restrict moves, const float *restrict colours, uint32_t *restrict out)
{
    const float eye[3] = {0, 0, -5};
#pragma omp parallel for schedule(dynamic, 4)
    for (int64_t y = 0; y < n; y++)
        for (int64_t x = 0; x < n; x++) {
            const float towards[3] = {(x + 0.5f) / n - 0.5f, -((y + 0.5f) / n - 0.5f), 1};
            float nearest = INFINITY;
            uint32_t colour = 0;
            for (int64_t i = 0; i < k; i++) {
                const float *by = moves + 3 * i, *c = colours + 3 * i, inverse = 1 / factors[i];
                float o[3], d[3];
                for (int p = 0; p < 3; p++) {
                    d[p] = inverse * towards[p];
                    o[p] = kinds[i] == 0 ? inverse * (eye[p] - by[p]) : inverse * eye[p] - by[p];
                }
                const float a = dot(d, d), b = dot(o, d), root = b * b - a * (dot(o, o) - 1);
                if (root < 0)
                    continue;
                const float t = (-b - sqrtf(root)) / a;
                if (t > 0 && t < nearest) {
                    nearest = t;
                    colour = byte(c[0]) << 16 | byte(c[1]) << 8 | byte(c[2]);
                }
            }
            out[y * n + x] = colour;
        }
}
