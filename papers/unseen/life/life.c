#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void generation(int64_t n, int64_t m, const int8_t *restrict a, int8_t *restrict b)
{
#pragma omp parallel for
    for (int64_t i = 0; i < n; i++) {
        const int8_t *up = a + (i + n - 1) % n * m, *at = a + i * m, *down = a + (i + 1) % n * m;
        for (int64_t j = 0; j < m; j++) {
            int64_t west = j > 0 ? j - 1 : m - 1, east = j < m - 1 ? j + 1 : 0;
            int8_t alive = up[west] + up[j] + up[east] + at[west] + at[east] + down[west] +
                           down[j] + down[east];
            b[i * m + j] = alive == 3 || (alive == 2 && at[j] == 1);
        }
    }
}

void peer(int64_t n, int64_t m, int32_t steps, const int8_t *board, int8_t *out)
{
    int8_t *a = malloc(n * m + 1), *b = malloc(n * m + 1);
    memcpy(a, board, n * m);
    for (int32_t t = 0; t < steps; t++) {
        generation(n, m, a, b);
        int8_t *c = a;
        a = b;
        b = c;
    }
    memcpy(out, a, n * m);
    free(a);
    free(b);
}
