#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void peer(int64_t n, const int32_t *given, int32_t *out)
{
    int32_t *xs = malloc((n + 1) * sizeof *xs), *ys = malloc((n + 1) * sizeof *ys);
    memcpy(xs, given, n * sizeof *xs);
    for (int64_t width = 1; width < n; width *= 2) {
#pragma omp parallel for
        for (int64_t start = 0; start < n; start += 2 * width) {
            int64_t middle = start + width < n ? start + width : n;
            int64_t end = start + 2 * width < n ? start + 2 * width : n;
            int64_t i = start, j = middle;
            for (int64_t k = start; k < end; k++)
                ys[k] = i < middle && (j >= end || xs[i] <= xs[j]) ? xs[i++] : xs[j++];
        }
        int32_t *t = xs;
        xs = ys;
        ys = t;
    }
    memcpy(out, xs, n * sizeof *xs);
    free(xs);
    free(ys);
}
