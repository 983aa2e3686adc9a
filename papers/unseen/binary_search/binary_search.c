#include <stdint.h>

void peer(int64_t n, int64_t m, const double *table, const double *keys, int64_t *out)
{
#pragma omp parallel for
    for (int64_t i = 0; i < m; i++) {
        int64_t low = 0, high = n;
        while (low < high) {
            int64_t middle = low + (high - low) / 2;
            if (table[middle] < keys[i])
                low = middle + 1;
            else
                high = middle;
        }
        out[i] = low;
    }
}
