#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void peer(int64_t rows, int64_t columns, const int32_t *wall, int32_t *out)
{
    int32_t *from = malloc(columns * sizeof *from), *to = malloc(columns * sizeof *to);
    memcpy(from, wall, columns * sizeof *from);
    for (int64_t r = 1; r < rows; r++) {
#pragma omp parallel for
        for (int64_t j = 0; j < columns; j++) {
            int32_t least = from[j];
            if (j > 0 && from[j - 1] < least)
                least = from[j - 1];
            if (j < columns - 1 && from[j + 1] < least)
                least = from[j + 1];
            to[j] = wall[r * columns + j] + least;
        }
        int32_t *t = from;
        from = to;
        to = t;
    }
    memcpy(out, from, columns * sizeof *out);
    free(from);
    free(to);
}
