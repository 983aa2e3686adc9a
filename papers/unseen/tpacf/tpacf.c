#include <stdint.h>
#include <string.h>

void peer(int64_t b, int64_t n, const double *bounds, const double *stars, int64_t *counts)
{
    memset(counts, 0, (b + 1) * sizeof *counts);
#pragma omp parallel for schedule(dynamic, 16) reduction(+ : counts[:b + 1])
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = i + 1; j < n; j++) {
            const double *p = stars + 3 * i, *q = stars + 3 * j;
            double cosine = p[0] * q[0] + p[1] * q[1] + p[2] * q[2];
            int64_t low = 0, high = b;
            while (low < high) {
                int64_t middle = (low + high) / 2;
                if (cosine < bounds[middle])
                    low = middle + 1;
                else
                    high = middle;
            }
            counts[low]++;
        }
}
