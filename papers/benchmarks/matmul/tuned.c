#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Blocks of 8 x 32 sums in registers; the columns of b that they need are packed first. */
enum { ROWS = 8, COLUMNS = 32, DEPTH = 256 };
typedef float vec __attribute__((vector_size(64), aligned(4)));

static void block(int64_t d, int64_t m, int64_t p, const float *a, const float *panel, float *c)
{
    vec sum[ROWS][2];
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < 2; j++)
            sum[i][j] = *(const vec *)(c + i * p + 16 * j);
    for (int64_t k = 0; k < d; k++) {
        const vec b0 = *(const vec *)(panel + COLUMNS * k), b1 = *(const vec *)(panel + COLUMNS * k + 16);
#pragma GCC unroll 8
        for (int i = 0; i < ROWS; i++) {
            sum[i][0] += a[i * m + k] * b0;
            sum[i][1] += a[i * m + k] * b1;
        }
    }
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < 2; j++)
            *(vec *)(c + i * p + 16 * j) = sum[i][j];
}

static void edge(int64_t rows, int64_t columns, int64_t d, int64_t m, int64_t p, const float *a,
                 const float *b, float *c)
{
    for (int64_t i = 0; i < rows; i++)
        for (int64_t k = 0; k < d; k++)
            for (int64_t j = 0; j < columns; j++)
                c[i * p + j] += a[i * m + k] * b[k * p + j];
}

void peer(int64_t n, int64_t m, int64_t p, const float *restrict a, const float *restrict b,
          float *restrict c)
{
    memset(c, 0, n * p * sizeof *c);
    const int64_t whole = p / COLUMNS;
    float *packed = aligned_alloc(64, (whole * COLUMNS * DEPTH + 16) * sizeof *packed);
    for (int64_t k0 = 0; k0 < m; k0 += DEPTH) {
        const int64_t d = m - k0 < DEPTH ? m - k0 : DEPTH;
#pragma omp parallel for schedule(static)
        for (int64_t q = 0; q < whole; q++)
            for (int64_t k = 0; k < d; k++)
                memcpy(packed + (q * DEPTH + k) * COLUMNS, b + (k0 + k) * p + q * COLUMNS,
                       COLUMNS * sizeof *b);
#pragma omp parallel for schedule(static)
        for (int64_t i0 = 0; i0 < n; i0 += 64) {
            const int64_t end = n - i0 < 64 ? n : i0 + 64;
            for (int64_t q = 0; q < whole; q++) {
                int64_t i = i0;
                for (; i + ROWS <= end; i += ROWS)
                    block(d, m, p, a + i * m + k0, packed + q * DEPTH * COLUMNS,
                          c + i * p + q * COLUMNS);
                edge(end - i, COLUMNS, d, m, p, a + i * m + k0, b + k0 * p + q * COLUMNS,
                     c + i * p + q * COLUMNS);
            }
            const int64_t j = whole * COLUMNS;
            edge(end - i0, p - j, d, m, p, a + i0 * m + k0, b + k0 * p + j, c + i0 * p + j);
        }
    }
    free(packed);
}
