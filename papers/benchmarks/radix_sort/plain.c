#include <omp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Four passes of eight bits; each thread counts, and then places, the digits of its part. */
void peer(int64_t n, const uint32_t *restrict x, uint32_t *restrict out)
{
    const int most = omp_get_max_threads();
    int64_t(*at)[256] = malloc(most * sizeof *at);
    uint32_t *spare = malloc((n + 1) * sizeof *spare);
    for (int pass = 0; pass < 4; pass++) {
        const uint32_t *from = pass == 0 ? x : pass % 2 ? spare : out;
        uint32_t *to = pass % 2 ? out : spare;
        const int shift = 8 * pass;
        memset(at, 0, most * sizeof *at);
#pragma omp parallel num_threads(most)
        {
            const int t = omp_get_thread_num(), p = omp_get_num_threads();
            const int64_t lo = n * t / p, hi = n * (t + 1) / p;
            for (int64_t i = lo; i < hi; i++)
                at[t][from[i] >> shift & 255]++;
#pragma omp barrier
#pragma omp single
            for (int64_t d = 0, sum = 0; d < 256; d++)
                for (int k = 0; k < p; k++) {
                    const int64_t count = at[k][d];
                    at[k][d] = sum;
                    sum += count;
                }
            for (int64_t i = lo; i < hi; i++)
                to[at[t][from[i] >> shift & 255]++] = from[i];
        }
    }
    free(at);
    free(spare);
}
