#include <stdint.h>

void peer(int64_t k, int64_t m, const int64_t *restrict starts, const int64_t *restrict edges,
          int64_t source, int32_t *rounds)
{
    (void)m;
    const int64_t n = k - 1;
#pragma omp parallel for schedule(static)
    for (int64_t v = 0; v < n; v++)
        rounds[v] = v == source ? 0 : -1;
    for (int32_t r = 0, going = 1; going; r++) {
        going = 0;
#pragma omp parallel for schedule(static) reduction(| : going)
        for (int64_t v = 0; v < n; v++) {
            if (rounds[v] >= 0)
                continue;
            for (int64_t e = starts[v]; e < starts[v + 1]; e++) {
                int32_t other;
#pragma omp atomic read
                other = rounds[edges[e]];
                if (other == r) {
#pragma omp atomic write
                    rounds[v] = r + 1;
                    going = 1;
                    break;
                }
            }
        }
    }
}
