#include <stdint.h>

static int letter(uint8_t c)
{
    return (uint8_t)((c | 32) - 'a') < 26;
}

void peer(int64_t n, const uint8_t *restrict text, int64_t *words)
{
    int64_t found = n > 0 && letter(text[0]);
#pragma omp parallel for simd schedule(static) reduction(+ : found)
    for (int64_t i = 1; i < n; i++)
        found += letter(text[i]) & !letter(text[i - 1]);
    *words = found;
}
