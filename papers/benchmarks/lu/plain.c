#include <stdint.h>
#include <string.h>

/* Right-looking, a column and the rest of the matrix at a time; `block` makes no difference. */
void peer(int64_t n, int64_t block, const float *restrict a, float *restrict lu)
{
    (void)block;
    memcpy(lu, a, n * n * sizeof *lu);
    for (int64_t k = 0; k < n; k++)
#pragma omp parallel for schedule(static)
        for (int64_t i = k + 1; i < n; i++) {
            const float factor = lu[i * n + k] /= lu[k * n + k];
            for (int64_t j = k + 1; j < n; j++)
                lu[i * n + j] -= factor * lu[k * n + j];
        }
}
