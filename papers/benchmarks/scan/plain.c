#include <omp.h>
#include <stdint.h>
#include <stdlib.h>

/* Each thread adds up its part; then it scans the part from where those before it end. */
void peer(int64_t n, const int32_t *restrict x, int32_t *restrict out)
{
    int32_t *sums = calloc(omp_get_max_threads() + 1, sizeof *sums);
#pragma omp parallel
    {
        const int t = omp_get_thread_num(), p = omp_get_num_threads();
        const int64_t lo = n * t / p, hi = n * (t + 1) / p;
        uint32_t sum = 0;
        for (int64_t i = lo; i < hi; i++)
            sum += (uint32_t)x[i];
        sums[t + 1] = (int32_t)sum;
#pragma omp barrier
        sum = 0;
        for (int k = 1; k <= t; k++)
            sum += (uint32_t)sums[k];
        for (int64_t i = lo; i < hi; i++) {
            sum += (uint32_t)x[i];
            out[i] = (int32_t)sum;
        }
    }
    free(sums);
}
