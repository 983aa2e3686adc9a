#include <stdint.h>
#include <stdlib.h>

void peer(int64_t n, int64_t e, int32_t steps, const int64_t *degree, const int64_t *start,
          const int64_t *source, double *rank)
{
    double *share = malloc((n + 1) * sizeof *share);
    for (int64_t v = 0; v < n; v++)
        rank[v] = 1.0 / n;
    for (int32_t t = 0; t < steps; t++) {
#pragma omp parallel for
        for (int64_t v = 0; v < n; v++)
            share[v] = rank[v] / degree[v];
#pragma omp parallel for
        for (int64_t v = 0; v < n; v++) {
            double sum = 0;
            for (int64_t k = start[v]; k < start[v + 1]; k++)
                sum += share[source[k]];
            rank[v] = (1 - 0.85) / n + 0.85 * sum;
        }
    }
    free(share);
}
