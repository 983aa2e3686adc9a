#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Edges apart from the interior, whose loop then has no conditions. */
static inline float cell(float x, float north, float south, float west, float east, float power)
{
    return x + 0.2f * (north + south - 2 * x) + 0.15f * (west + east - 2 * x) + 0.01f * (80 - x) +
           0.5f * power;
}

void peer(int64_t n, int64_t m, int32_t steps, const float *t, const float *restrict power, float *out)
{
    float *spare = malloc(n * m * sizeof *spare);
    const float *from = t;
    for (int32_t s = 0; s < steps; s++) {
        float *restrict to = (steps - s) % 2 ? out : spare;
#pragma omp parallel for schedule(static)
        for (int64_t i = 0; i < n; i++) {
            const float *restrict x = from + i * m, *restrict p = power + i * m;
            const float *restrict north = from + (i > 0 ? i - 1 : 0) * m;
            const float *restrict south = from + (i < n - 1 ? i + 1 : n - 1) * m;
            float *restrict y = to + i * m;
            const int64_t e = m - 1;
            y[0] = cell(x[0], north[0], south[0], x[0], x[e > 0 ? 1 : 0], p[0]);
            for (int64_t j = 1; j < e; j++)
                y[j] = cell(x[j], north[j], south[j], x[j - 1], x[j + 1], p[j]);
            if (e > 0)
                y[e] = cell(x[e], north[e], south[e], x[e - 1], x[e], p[e]);
        }
        from = to;
    }
    if (steps <= 0)
        memcpy(out, t, n * m * sizeof *out);
    free(spare);
}
