#include <stdint.h>

/* Antidiagonals of blocks, and in a block row by row. */
void peer(int64_t n, int64_t block, int32_t gap, const int32_t *restrict similarity,
          int32_t *restrict scores)
{
    const int64_t w = n + 1, q = n / block;
    for (int64_t k = 0; k <= n; k++)
        scores[k] = scores[k * w] = -gap * (int32_t)k;
    for (int64_t d = 0; d < 2 * q - 1; d++) {
        const int64_t first = d < q ? 0 : d - q + 1, last = d < q ? d : q - 1;
#pragma omp parallel for schedule(static)
        for (int64_t bi = first; bi <= last; bi++)
            for (int64_t i = bi * block + 1; i <= (bi + 1) * block; i++)
                for (int64_t j = (d - bi) * block + 1; j <= (d - bi + 1) * block; j++) {
                    const int32_t both =
                        scores[(i - 1) * w + j - 1] + similarity[(i - 1) * n + j - 1];
                    const int32_t up = scores[(i - 1) * w + j], left = scores[i * w + j - 1];
                    const int32_t one = (up > left ? up : left) - gap;
                    scores[i * w + j] = both > one ? both : one;
                }
    }
}
