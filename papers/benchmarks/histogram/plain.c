#include <omp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* A histogram for each thread. */
void peer(int64_t n, int64_t k, const int32_t *restrict numbers, int32_t *restrict counts)
{
    memset(counts, 0, k * sizeof *counts);
#pragma omp parallel
    {
        int32_t *own = calloc(k + 1, sizeof *own);
#pragma omp for schedule(static)
        for (int64_t i = 0; i < n; i++)
            if (numbers[i] >= 0 && numbers[i] < k)
                own[numbers[i]]++;
#pragma omp critical
        for (int64_t b = 0; b < k; b++)
            counts[b] += own[b];
        free(own);
    }
}
