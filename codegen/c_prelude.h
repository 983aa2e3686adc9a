/* What the kernels of funmem call, as functions of C11 with GNU extensions, and blocks of memory. */

/* By default gcc uses half of such a processor's vector registers. */
#if defined __AVX512F__ && !defined __clang__
#pragma GCC target("prefer-vector-width=512")
#endif

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <tgmath.h>

_Static_assert(sizeof(long) == 8 && sizeof(int) == 4, "long has 64 bits, int has 32");

#define __global
#define __private
typedef unsigned char uchar;
typedef unsigned short ushort;
typedef unsigned int uint;
typedef unsigned long ulong;

/* ---- OpenCL's functions on scalars */

#define FM_AS(to, from)                       \
    static inline to as_##to(from a)          \
    {                                         \
        to r;                                 \
        memcpy(&r, &a, sizeof r);             \
        return r;                             \
    }
FM_AS(float, uint)
FM_AS(double, ulong)
FM_AS(uint, float)
FM_AS(int, float)
FM_AS(ulong, double)
FM_AS(long, double)
#undef FM_AS

#define popcount(a) __builtin_popcountl((ulong)(a))
#define clz(a) ((a) == 0 ? 8 * (int)sizeof(a) : __builtin_clzl((ulong)(a)) - 64 + 8 * (int)sizeof(a))

#define mul_hi(a, b) _Generic((a), ulong: fm_mul_hi_u, default: fm_mul_hi)(a, b)
static inline long fm_mul_hi(long a, long b)
{
    return (long)(((__int128)a * b) >> 64);
}
static inline ulong fm_mul_hi_u(ulong a, ulong b)
{
    return (ulong)(((unsigned __int128)a * b) >> 64);
}
