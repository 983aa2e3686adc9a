#include <omp.h>
#include <stdint.h>
#include <stdlib.h>

/* In each chunk the zeros are counted, then everything goes to its place. */
static void split(int64_t n, int bit, const uint32_t *restrict in, uint32_t *restrict out,
                  int64_t *restrict zeros)
{
#pragma omp parallel
    {
        const int t = omp_get_thread_num(), parts = omp_get_num_threads();
        const int64_t first = n * t / parts, end = n * (t + 1) / parts;
        int64_t count = 0;
        for (int64_t i = first; i < end; i++)
            count += ~in[i] >> bit & 1;
        zeros[t + 1] = count;
#pragma omp barrier
        int64_t low = 0, all = 0;
        for (int p = 0; p < parts; p++) {
            low += p < t ? zeros[p + 1] : 0;
            all += zeros[p + 1];
        }
        int64_t high = all + first - low;
        for (int64_t i = first; i < end; i++)
            out[in[i] >> bit & 1 ? high++ : low++] = in[i];
    }
}

void peer(int64_t n, const uint32_t *restrict xs, uint32_t *restrict out)
{
    uint32_t *other = malloc((n > 0 ? n : 1) * sizeof *other);
    int64_t *zeros = malloc((omp_get_max_threads() + 1) * sizeof *zeros);
    split(n, 0, xs, other, zeros);
    for (int bit = 1; bit < 32; bit++)
        if (bit % 2)
            split(n, bit, other, out, zeros);
        else
            split(n, bit, out, other, zeros);
    free(other);
    free(zeros);
}
