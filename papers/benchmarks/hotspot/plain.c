#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void peer(int64_t n, int64_t m, int32_t steps, const float *t, const float *restrict power, float *out)
{
    float *spare = malloc(n * m * sizeof *spare);
    const float *from = t;
    for (int32_t s = 0; s < steps; s++) {
        float *restrict to = (steps - s) % 2 ? out : spare;
#pragma omp parallel for schedule(static)
        for (int64_t i = 0; i < n; i++) {
            const float *restrict here = from + i * m;
            const float *north = from + (i > 0 ? i - 1 : 0) * m;
            const float *south = from + (i < n - 1 ? i + 1 : n - 1) * m;
            for (int64_t j = 0; j < m; j++) {
                const float x = here[j], west = here[j > 0 ? j - 1 : 0];
                const float east = here[j < m - 1 ? j + 1 : m - 1];
                to[i * m + j] = x + 0.2f * (north[j] + south[j] - 2 * x) +
                                0.15f * (west + east - 2 * x) + 0.01f * (80 - x) +
                                0.5f * power[i * m + j];
            }
        }
        from = to;
    }
    if (steps <= 0)
        memcpy(out, t, n * m * sizeof *out);
    free(spare);
}
