/* ---- exp and logarithms of float, without branches or calls, so that loops become vectors

   They are computed in double and rounded once.  Of all floats (every seventh was tried) exp is at
   most 0.504 ulp off, a logarithm 0.501; libm promises 1. */

static inline float fm_expf(float x)
{
    const double magic = 0x1.8p52; /* a sum with it has its integer part in the low bits */
    const double c = x > 200.0f ? 200.0 : x < -200.0f ? -200.0 : (double)x;
    const double t = c * 0x1.71547652b82fep0; /* e^c = 2^t */
    const double whole = t + magic, r = (t - (whole - magic)) * 0x1.62e42fefa39efp-1;
    double p = 0x1.a01a01a01a01ap-13; /* the Taylor series to r^8: |r| <= 0.35 */
    p = p + r * 0x1.a01a01a01a01ap-16;
    p = 0x1.6c16c16c16c17p-10 + r * p;
    p = 0x1.1111111111111p-7 + r * p;
    p = 0x1.5555555555555p-5 + r * p;
    p = 0x1.5555555555555p-3 + r * p;
    p = 0.5 + r * p;
    p = 1.0 + r * p;
    p = 1.0 + r * p;
    return (float)(p * as_double((as_ulong(whole) + 1023UL) << 52));
}

/* The logarithm to another base is a multiple of this one. */
static inline double fm_ln(float x)
{
    const ulong bits = as_ulong((double)x), root = 0x3fe6a09e667f3bcdUL; /* sqrt(1/2) */
    const ulong shifted = (bits - root) & 0xfff0000000000000UL;          /* x = 2^e m */
    const double f = as_double(bits - shifted) - 1.0;                    /* sqrt(1/2) <= m */
    const double e =
        as_double((((bits - root) >> 52) & 0xfffUL) + 0x4330000000000000UL) - 0x1p52;
    const double s = f / (2.0 + f), z = s * s; /* ln m = 2 artanh s, |s| <= 0.172 */
    double p = 1.0 / 15;
    p = 1.0 / 13 + z * p;
    p = 1.0 / 11 + z * p;
    p = 1.0 / 9 + z * p;
    p = 1.0 / 7 + z * p;
    p = 1.0 / 5 + z * p;
    p = 1.0 / 3 + z * p;
    const double ln_m = 2.0 * s * (1.0 + z * p);
    return (e > 2047.0 ? e - 4096.0 : e) * 0x1.62e42fefa39efp-1 + ln_m;
}

static inline float fm_special_log(float x, double finite)
{
    const float far = x > 0.0f ? x : NAN; /* infinity, or what has no logarithm */
    const float edge = x == 0.0f ? -INFINITY : far;
    return x > 0.0f && x < INFINITY ? (float)finite : edge;
}

static inline float fm_logf(float x)
{
    return fm_special_log(x, fm_ln(x));
}

static inline float fm_log2f(float x)
{
    return fm_special_log(x, fm_ln(x) * 0x1.71547652b82fep0);
}

static inline float fm_log10f(float x)
{
    return fm_special_log(x, fm_ln(x) * 0x1.bcb7b1526e50ep-2);
}
