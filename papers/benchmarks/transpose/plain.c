#include <stdint.h>

/* In tiles, so that a line of the cache is used before it goes. */
void peer(int64_t n, int64_t m, const float *restrict a, float *restrict b)
{
    enum { TILE = 32 };
#pragma omp parallel for collapse(2) schedule(static)
    for (int64_t j0 = 0; j0 < m; j0 += TILE)
        for (int64_t i0 = 0; i0 < n; i0 += TILE)
            for (int64_t j = j0; j < m && j < j0 + TILE; j++)
                for (int64_t i = i0; i < n && i < i0 + TILE; i++)
                    b[j * n + i] = a[i * m + j];
}
