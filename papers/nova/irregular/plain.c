/* The programs as a C programmer writes them: one thread for each row.  Rows are offsets and data. */

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define ROWS _Pragma("omp parallel for schedule(static)")

void sums(int64_t n, const int64_t *restrict at, const float *restrict x, float *restrict out)
{
    ROWS for (int64_t i = 0; i < n; i++) {
        float s = 0;
        _Pragma("omp simd reduction(+ : s)") for (int64_t k = at[i]; k < at[i + 1]; k++) s += x[k];
        out[i] = s;
    }
}

void spmv(int64_t n, const int64_t *restrict at, const float *restrict v,
          const int32_t *restrict c, const float *restrict x, float *restrict out)
{
    ROWS for (int64_t i = 0; i < n; i++) {
        float s = 0;
        _Pragma("omp simd reduction(+ : s)") for (int64_t k = at[i]; k < at[i + 1]; k++) s +=
            v[k] * x[c[k]];
        out[i] = s;
    }
}

void softmax(int64_t n, const int64_t *restrict at, const float *restrict x, float *restrict out)
{
    ROWS for (int64_t i = 0; i < n; i++) {
        float m = -INFINITY, s = 0;
        for (int64_t k = at[i]; k < at[i + 1]; k++)
            m = x[k] > m ? x[k] : m;
        for (int64_t k = at[i]; k < at[i + 1]; k++)
            s += out[k] = expf(x[k] - m);
        for (int64_t k = at[i]; k < at[i + 1]; k++)
            out[k] /= s;
    }
}

/* The new offsets, then the elements; `out` has room for all of them. */
void filter(int64_t n, const int64_t *restrict at, const float *restrict x, int64_t *restrict to,
            float *restrict out)
{
    int64_t some = 0;
    to[0] = 0;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t k = at[i]; k < at[i + 1]; k++) {
            out[some] = x[k];
            some += x[k] > 0;
        }
        to[i + 1] = some;
    }
}

void bfs(int64_t n, const int64_t *restrict at, const int32_t *restrict to, int32_t *restrict out)
{
    int32_t *before = malloc(n * sizeof *before);
    for (int64_t v = 0; v < n; v++)
        out[v] = v == 0 ? 0 : -1;
    int found = 1;
    for (int32_t d = 0; found; d++) {
        found = 0;
        memcpy(before, out, n * sizeof *before);
        _Pragma("omp parallel for schedule(static) reduction(| : found)") for (int64_t v = 0; v < n;
                                                                               v++) {
            if (before[v] != -1)
                continue;
            for (int64_t k = at[v]; k < at[v + 1]; k++)
                if (before[to[k]] == d) {
                    out[v] = d + 1;
                    found = 1;
                    break;
                }
        }
    }
    free(before);
}

/* Returns the number of words; the offsets, and the text without blanks. */
int64_t words(int64_t n, const int8_t *restrict text, int64_t *restrict to, int8_t *restrict out,
              int32_t *restrict some)
{
    int64_t rows = 0, at = 0;
    *some = 0;
    to[0] = 0;
    for (int64_t k = 0; k <= n; k++)
        if (k == n || text[k] == 32) {
            *some += at > to[rows];
            to[++rows] = at;
        } else
            out[at++] = text[k];
    return rows;
}
