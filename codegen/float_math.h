/* ---- functions of float, without branches or calls, so that loops become vectors

   They are computed in double and rounded once.  The error is at most 0.51 units in the last place;
   libm promises 1. */

/* e^x for |x| <= 200, and as for 200 or -200 beyond. */
static inline double fm_e(double x)
{
    const double magic = 0x1.8p52; /* a sum with it has its integer part in the low bits */
    const double c = x > 200.0 ? 200.0 : x < -200.0 ? -200.0 : x;
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
    return p * as_double((as_ulong(whole) + 1023UL) << 52);
}

static inline float fm_expf(float x)
{
    return (float)fm_e((double)x);
}

/* e^x - 1; the Taylor series where the difference would cancel. */
static inline double fm_em1(double x)
{
    const double tiny = x * (1.0 + x * (0.5 + x * (1.0 / 6)));
    return x < 0x1p-12 && x > -0x1p-12 ? tiny : fm_e(x) - 1.0;
}

static inline float fm_expm1f(float x)
{
    return (float)fm_em1((double)x);
}

static inline float fm_size(float x)
{
    return as_float(as_uint(x) & 0x7fffffffu);
}

static inline float fm_signed(double size, float x)
{
    return as_float(as_uint((float)size) | (as_uint(x) & 0x80000000u));
}

static inline float fm_sinhf(float x)
{
    const double g = fm_em1((double)fm_size(x));
    return fm_signed(0.5 * (g + g / (g + 1.0)), x);
}

static inline float fm_coshf(float x)
{
    const double g = fm_e((double)fm_size(x));
    return (float)(0.5 * (g + 1.0 / g));
}

static inline float fm_tanhf(float x)
{
    const double g = fm_em1(2.0 * (double)fm_size(x));
    return fm_signed(g / (g + 2.0), x);
}

/* The logarithm to another base is a multiple of this one. */
static inline double fm_ln(double x)
{
    const ulong bits = as_ulong(x), root = 0x3fe6a09e667f3bcdUL; /* sqrt(1/2) */
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
    return fm_special_log(x, fm_ln((double)x));
}

static inline float fm_log2f(float x)
{
    return fm_special_log(x, fm_ln((double)x) * 0x1.71547652b82fep0);
}

static inline float fm_log10f(float x)
{
    return fm_special_log(x, fm_ln((double)x) * 0x1.bcb7b1526e50ep-2);
}

static inline float fm_log1pf(float x)
{
    const double a = (double)x, tiny = a * (1.0 - a * (0.5 - a * (1.0 / 3 - a * 0.25)));
    const float big = fm_special_log(x + 1.0f, fm_ln(a + 1.0));
    return x < 0x1p-12f && x > -0x1p-12f ? (float)tiny : big;
}

/* |x|^y for y that is not 0: 2^(y log2 |x|). */
static inline double fm_power(float x, float y)
{
    const double magic = 0x1.8p52, ln = fm_ln((double)x) * 0x1.71547652b82fep0;
    const double log2 = x == 0.0f ? -INFINITY : x < INFINITY ? ln : (double)x;
    const double t = x == 1.0f ? 0.0 : (double)y * log2;
    const double c = t > 300.0 ? 300.0 : t < -300.0 ? -300.0 : t;
    return fm_e((c - (c + magic - magic)) * 0x1.62e42fefa39efp-1) *
           as_double((as_ulong(c + magic) + 1023UL) << 52);
}

/* As C99 has it. */
static inline float fm_powf(float x, float y)
{
    const double magic = 0x1.8p52, b = (double)y;
    const bool far = fm_size(y) >= 0x1p24f; /* even, or infinite */
    const bool whole = far || b + magic - magic == b;
    const bool odd = !far && whole && (as_ulong(b + magic) & 1UL) != 0;
    const float size = (float)fm_power(fm_size(x), y);
    const uint sign = odd ? as_uint(x) & 0x80000000u : 0u;
    const float some = as_float(as_uint(size) | sign);
    const float all = x < 0.0f && x > -INFINITY && !whole ? NAN : some;
    return x == 1.0f || y == 0.0f ? 1.0f : all;
}

/* x = n pi/2 + r with |r| <= pi/4: returns r, and the lowest bits of n.

   Near zero n pi/2 is subtracted.  Far away x is an integer times a power of two: it is multiplied
   by those 128 bits of 2/pi that decide about the last two bits of n and what is behind them. */
static inline double fm_quarter(float x, ulong *n)
{
    const double magic = 0x1.8p52, a = (double)x;
    const double whole = a * 0x1.45f306dc9c883p-1 + magic, turn = whole - magic;
    const double close = a - turn * 0x1.921fb544p+0 - turn * 0x1.0b4611a626331p-34;
    const uint bits = as_uint(x);
    const ulong m = (bits & 0x7fffffu) | 0x800000u;
    const uint s = ((bits >> 23) & 0xffu) - 144u; /* the first of the bits */
    const ulong w0 = 0x00a2f9836e4e4415UL, w1 = 0x29fc2757d1f534ddUL, w2 = 0xc0db6295993c4390UL,
                w3 = 0x41fe5163abdebbc5UL; /* 2/pi, behind eight zeros */
    const ulong p = s < 64u ? w0 : w1, q = s < 64u ? w1 : w2, t = s < 64u ? w2 : w3;
    const ulong left = s & 63u, right = 63UL - left;
    const ulong high = (p << left) | (q >> 1 >> right), low = (q << left) | (t >> 1 >> right);
    const ulong turns = m * high + ((m * (low >> 32)) >> 32); /* of a quarter: 2^62 */
    const ulong quarters = (turns + (1UL << 61)) >> 62;
    const double rest = (double)(long)(turns - (quarters << 62)) * 0x1.921fb54442d18p-62;
    const bool far = (bits & 0x7fffffffu) >= 0x49800000u; /* 2^20 */
    *n = !far ? as_ulong(whole) : x < 0.0f ? 0UL - quarters : quarters;
    return !far ? close : x < 0.0f ? -rest : rest;
}

/* Taylor series of sin r and cos r. */
static inline double fm_sin_of(double r)
{
    const double z = r * r;
    double p = -1.0 / 39916800;
    p = 1.0 / 362880 + z * p;
    p = -1.0 / 5040 + z * p;
    p = 1.0 / 120 + z * p;
    p = -1.0 / 6 + z * p;
    return r * (1.0 + z * p);
}

static inline double fm_cos_of(double r)
{
    const double z = r * r;
    double p = 1.0 / 479001600;
    p = -1.0 / 3628800 + z * p;
    p = 1.0 / 40320 + z * p;
    p = -1.0 / 720 + z * p;
    p = 1.0 / 24 + z * p;
    p = -0.5 + z * p;
    return 1.0 + z * p;
}

/* sin (x + k pi/2) */
static inline float fm_wave(float x, ulong k)
{
    ulong n;
    const double r = fm_quarter(x, &n);
    n += k;
    const double w = (n & 1UL) != 0 ? fm_cos_of(r) : fm_sin_of(r);
    return fm_size(x) < INFINITY ? (float)((n & 2UL) != 0 ? -w : w) : NAN;
}

static inline float fm_sinf(float x)
{
    return fm_wave(x, 0UL);
}

static inline float fm_cosf(float x)
{
    return fm_wave(x, 1UL);
}

static inline float fm_tanf(float x)
{
    ulong n;
    const double r = fm_quarter(x, &n), s = fm_sin_of(r), c = fm_cos_of(r);
    const double w = (n & 1UL) != 0 ? -c / s : s / c;
    return fm_size(x) < INFINITY ? (float)w : NAN;
}

/* An instruction; NaN below zero. */
#if defined(__GNUC__) || defined(__clang__)
#define FM_ROOT(x) __builtin_sqrt(x)
#else
#define FM_ROOT(x) sqrt(x)
#endif

/* arctan a for a >= 0, or infinite: the Taylor series to z^27 for |z| <= tan(pi/8). */
static inline double fm_at(double a)
{
    const bool above = a > 1.0;
    const double u = above ? 1.0 / a : a; /* arctan a = pi/2 - arctan u */
    const bool far = u > 0x1.a827999fcef32p-2; /* tan(pi/8) */
    const double z = far ? (u - 1.0) / (u + 1.0) : u, s = z * z; /* pi/4 + arctan z */
    double p = -1.0 / 27;
    p = 1.0 / 25 + s * p;
    p = -1.0 / 23 + s * p;
    p = 1.0 / 21 + s * p;
    p = -1.0 / 19 + s * p;
    p = 1.0 / 17 + s * p;
    p = -1.0 / 15 + s * p;
    p = 1.0 / 13 + s * p;
    p = -1.0 / 11 + s * p;
    p = 1.0 / 9 + s * p;
    p = -1.0 / 7 + s * p;
    p = 1.0 / 5 + s * p;
    p = -1.0 / 3 + s * p;
    const double near = z + z * s * p, t = far ? near + 0x1.921fb54442d18p-1 : near;
    return above ? 0x1.921fb54442d18p+0 - t : t;
}

static inline float fm_atanf(float x)
{
    return fm_signed(fm_at((double)fm_size(x)), x);
}

/* The angle of the point (x, y), as C99 has it for zeros, infinities and signs. */
static inline float fm_atan2f(float y, float x)
{
    const double a = (double)fm_size(y), b = (double)fm_size(x);
    const double low = a < b ? a : b, high = a < b ? b : a;
    const double ratio = high == 0.0 ? 0.0 : low == high ? 1.0 : low / high;
    const double t = fm_at(ratio), up = a > b ? 0x1.921fb54442d18p+0 - t : t;
    const double all = (as_uint(x) & 0x80000000u) != 0u ? 0x1.921fb54442d18p+1 - up : up;
    return x == x && y == y ? fm_signed(all, y) : NAN;
}

static inline float fm_asinf(float x)
{
    const double a = (double)fm_size(x);
    return fm_signed(fm_at(a / FM_ROOT((1.0 - a) * (1.0 + a))), x);
}

static inline float fm_acosf(float x)
{
    const double a = (double)x;
    return (float)(2.0 * fm_at(FM_ROOT((1.0 - a) / (1.0 + a))));
}

static inline float fm_asinhf(float x)
{
    const double a = (double)fm_size(x), s = a * a;
    const double tiny = a * (1.0 - s * (1.0 / 6 - s * (3.0 / 40)));
    const double ln = fm_ln(a + FM_ROOT(s + 1.0));
    return fm_signed(a < 0x1p-10 ? tiny : a < INFINITY ? ln : a, x);
}

static inline float fm_acoshf(float x)
{
    const double a = (double)x;
    const double ln = fm_ln(a + FM_ROOT((a - 1.0) * (a + 1.0)));
    const float far = x >= 1.0f ? x : NAN;
    return x >= 1.0f && x < INFINITY ? (float)ln : far;
}

static inline float fm_atanhf(float x)
{
    const double a = (double)fm_size(x), s = a * a;
    const double tiny = a * (1.0 + s * (1.0 / 3 + s * 0.2));
    const double ln = 0.5 * fm_ln((1.0 + a) / (1.0 - a));
    const double edge = a == 1.0 ? INFINITY : NAN;
    return fm_signed(a < 0x1p-10 ? tiny : a < 1.0 ? ln : edge, x);
}

/* Halley's iteration from an estimate with an error of a thirtieth: 5, 15, 45, 53 bits. */
static inline float fm_cbrtf(float x)
{
    const double a = (double)fm_size(x);
    const uint high = (uint)(as_ulong(a) >> 32) / 3u + 715094163u;
    double t = as_double((ulong)high << 32), c = t * t * t;
    t = t * ((c + a + a) / (c + c + a));
    c = t * t * t;
    t = t * ((c + a + a) / (c + c + a));
    c = t * t * t;
    t = t * ((c + a + a) / (c + c + a));
    return fm_signed(a > 0.0 && a < INFINITY ? t : a, x);
}

static inline float fm_hypotf(float x, float y)
{
    const double a = (double)fm_size(x), b = (double)fm_size(y);
    return a == INFINITY || b == INFINITY ? INFINITY : (float)FM_ROOT(a * a + b * b);
}

/* e^(a^2) (1 - erf a) for 0 <= a <= 10.1: a polynomial in (a - 15/4) / (a + 15/4), which is exact
   at 16 Chebyshev nodes and has an error of at most 2^-40. */
static inline double fm_tail(double a)
{
    const double t = (a - 3.75) / (a + 3.75);
    double p = 0x1.90f7b9ea8e8c3p-22;
    p = -0x1.2b4645fe4e068p-22 + t * p;
    p = -0x1.d19c80c53e2dcp-18 + t * p;
    p = 0x1.0246d9e56bf43p-18 + t * p;
    p = 0x1.9659e4897686fp-15 + t * p;
    p = -0x1.3f8ae2ee93686p-13 + t * p;
    p = -0x1.aea35048ca8ecp-16 + t * p;
    p = 0x1.d89fabf723147p-10 + t * p;
    p = -0x1.0d5f71e8e57e2p-7 + t * p;
    p = 0x1.8b900cb4ece39p-6 + t * p;
    p = -0x1.c0f0cf8534400p-5 + t * p;
    p = 0x1.a4446b2c66525p-4 + t * p;
    p = -0x1.4efec82df6d69p-3 + t * p;
    p = 0x1.cedd5140a3d18p-3 + t * p;
    p = -0x1.17fbeb37216f1p-2 + t * p;
    return 0x1.2a2af19c14463p-3 + t * p;
}

/* 1 - erf a for a >= 0; as for 10.1 beyond, where a float is zero. */
static inline double fm_rest(double a)
{
    const double c = a > 10.1 ? 10.1 : a;
    return fm_e(-c * c) * fm_tail(c);
}

static inline float fm_erfcf(float x)
{
    const double w = fm_rest((double)fm_size(x));
    return (float)(x < 0.0f ? 2.0 - w : w);
}

static inline float fm_erff(float x)
{
    const double a = (double)fm_size(x), s = a * a;
    double p = -1.0 / 6894720; /* the Taylor series to a^19 for a <= 1/2 */
    p = 1.0 / 685440 + s * p;
    p = -1.0 / 75600 + s * p;
    p = 1.0 / 9360 + s * p;
    p = -1.0 / 1320 + s * p;
    p = 1.0 / 216 + s * p;
    p = -1.0 / 42 + s * p;
    p = 1.0 / 10 + s * p;
    p = -1.0 / 3 + s * p;
    const double close = 0x1.20dd750429b6dp+0 * (a + a * s * p); /* 2/sqrt(pi) */
    return fm_signed(a <= 0.5 ? close : 1.0 - fm_rest(a), x);
}
