#include <stdint.h>

void peer(int64_t n, int32_t *checksum, int32_t *most)
{
    int64_t factorial[21] = {1};
    for (int64_t i = 0; i < n; i++)
        factorial[i + 1] = factorial[i] * (i + 1);
    int32_t sum = 0, max = INT32_MIN;
#pragma omp parallel for reduction(+ : sum) reduction(max : max)
    for (int64_t number = 0; number < factorial[n]; number++) {
        int32_t p[21], old[21], count = 0;
        int64_t left = number;
        for (int64_t i = 0; i < n; i++)
            p[i] = i;
        for (int64_t i = n - 1; i >= 0; i--) {
            int64_t d = left / factorial[i];
            left %= factorial[i];
            for (int64_t j = 0; j <= i; j++)
                old[j] = p[j];
            for (int64_t j = 0; j <= i; j++)
                p[j] = old[j + d <= i ? j + d : j + d - i - 1];
        }
        for (int32_t first; (first = p[0]) != 0; count++)
            for (int32_t j = 0; j < (first + 1) / 2; j++) {
                int32_t x = p[j];
                p[j] = p[first - j];
                p[first - j] = x;
            }
        sum += number % 2 == 0 ? count : -count;
        max = count > max ? count : max;
    }
    *checksum = sum;
    *most = max;
}
