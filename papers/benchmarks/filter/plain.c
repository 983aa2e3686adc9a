#include <omp.h>
#include <stdint.h>
#include <stdlib.h>

/* Each thread counts what it keeps of its part, and then writes it where that of others ends. */
void peer(int64_t n, const int32_t *restrict x, int32_t *restrict out)
{
    int64_t *counts = calloc(omp_get_max_threads() + 1, sizeof *counts);
#pragma omp parallel
    {
        const int t = omp_get_thread_num(), p = omp_get_num_threads();
        const int64_t lo = n * t / p, hi = n * (t + 1) / p;
        int64_t at = 0;
        for (int64_t i = lo; i < hi; i++)
            at += x[i] > 0;
        counts[t + 1] = at;
#pragma omp barrier
        at = 0;
        for (int k = 1; k <= t; k++)
            at += counts[k];
        for (int64_t i = lo; i < hi; i++)
            if (x[i] > 0)
                out[at++] = x[i];
    }
    free(counts);
}
