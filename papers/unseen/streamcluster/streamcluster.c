#include <stdint.h>
#include <stdlib.h>

void peer(int64_t n, int64_t d, int64_t c, int64_t k, float facility, const int64_t *candidates,
          const int64_t *assigned, const float *cost, const float *weight, const float *points,
          float *gains, int64_t *closed)
{
    float *closing = malloc((k + 1) * sizeof *closing);
    for (int64_t q = 0; q < c; q++) {
        const float *here = points + candidates[q] * d;
        float saved = 0;
        for (int64_t j = 0; j < k; j++)
            closing[j] = 0;
#pragma omp parallel for reduction(+ : saved, closing[:k])
        for (int64_t i = 0; i < n; i++) {
            float distance = 0;
            for (int64_t x = 0; x < d; x++)
                distance += (points[i * d + x] - here[x]) * (points[i * d + x] - here[x]);
            float change = weight[i] * distance - cost[i];
            if (change < 0)
                saved += change;
            else
                closing[assigned[i]] += change;
        }
        int64_t count = 0;
        for (int64_t j = 0; j < k; j++)
            if (closing[j] - facility < 0) {
                saved += closing[j] - facility;
                count++;
            }
        gains[q] = -(facility + saved);
        closed[q] = count;
    }
    free(closing);
}
