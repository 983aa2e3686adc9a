#include <omp.h>
#include <stdint.h>
#include <stdlib.h>
#ifdef __AVX512F__
#include <immintrin.h>
#endif

/* Without branches; the element after a part's last one is somebody else's, so the end is careful. */
static void keep(const int32_t *restrict x, int64_t n, int32_t *restrict out)
{
    int64_t at = 0, i = 0;
#ifdef __AVX512F__
    for (; i + 16 <= n; i += 16) {
        const __m512i v = _mm512_loadu_si512(x + i);
        const __mmask16 m = _mm512_cmpgt_epi32_mask(v, _mm512_setzero_si512());
        const int kept = __builtin_popcount(m);
        _mm512_mask_storeu_epi32(out + at, (__mmask16)((1u << kept) - 1),
                                 _mm512_maskz_compress_epi32(m, v));
        at += kept;
    }
#endif
    for (; i < n; i++)
        if (x[i] > 0)
            out[at++] = x[i];
}

void peer(int64_t n, const int32_t *restrict x, int32_t *restrict out)
{
    int64_t *counts = calloc(omp_get_max_threads() + 1, sizeof *counts);
#pragma omp parallel
    {
        const int t = omp_get_thread_num(), p = omp_get_num_threads();
        const int64_t lo = n * t / p, hi = n * (t + 1) / p;
        int64_t at = 0;
        for (int64_t i = lo; i < hi; i++)
            at += x[i] > 0;
        counts[t + 1] = at;
#pragma omp barrier
        at = 0;
        for (int k = 1; k <= t; k++)
            at += counts[k];
        keep(x + lo, hi - lo, out + at);
    }
    free(counts);
}
