/* ---- functions of float, without branches or calls, so that loops become vectors

   They are computed in double and rounded once.  The error is at most 0.51 units in the last place;
   libm promises 1. */

/* An integer below 2^32 as a double: no processor before AVX-512 converts vectors of 64 bits. */
static inline double fm_small(ulong n)
{
    return as_double(n | 0x4330000000000000UL) - 0x1p52;
}

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
    const double e = as_double(((bits - root + (1UL << 63)) >> 52) | 0x4330000000000000UL) -
                     (0x1p52 + 2048.0);
    const double s = f / (2.0 + f), z = s * s; /* ln m = 2 artanh s, |s| <= 0.172 */
    double p = 1.0 / 15;
    p = 1.0 / 13 + z * p;
    p = 1.0 / 11 + z * p;
    p = 1.0 / 9 + z * p;
    p = 1.0 / 7 + z * p;
    p = 1.0 / 5 + z * p;
    p = 1.0 / 3 + z * p;
    const double ln_m = 2.0 * s * (1.0 + z * p);
    return e * 0x1.62e42fefa39efp-1 + ln_m;
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
    const float b = fm_size(y), c = b >= 0x1p23f ? 0x1p23f : b, sum = c + 0x1p23f;
    const uint far = as_uint(b), large = 0u - ((0x4affffffu - far) >> 31); /* 2^23 and more */
    const uint even = 0u - ((0x4b7fffffu - far) >> 31); /* 2^24 and more, or infinite */
    const uint last = ~even & (((large & far) | (~large & as_uint(sum))) << 31); /* y is odd */
    const bool whole = sum - 0x1p23f == c;
    const uint sign = whole ? as_uint(x) & last : 0u;
    const float some = as_float(as_uint((float)fm_power(fm_size(x), y)) | sign);
    const float root = whole ? some : NAN;
    const float all = (x < 0.0f) & (x > -INFINITY) ? root : some;
    return (x == 1.0f) | (y == 0.0f) ? 1.0f : all;
}

/* |x| as a number of quarter turns times 2^62, modulo four of them, for |x| >= 2^20.

   |x| is an integer times a power of two.  It is multiplied by those 128 bits of 2/pi that decide
   about the last two bits of the number and what is behind them. */
static inline ulong fm_turns_of(float x)
{
    const uint bits = as_uint(x);
    const ulong m = (bits & 0x7fffffu) | 0x800000u;
    const uint s = ((bits >> 23) & 0xffu) - 144u; /* the first of the bits */
    const ulong w0 = 0x00a2f9836e4e4415UL, w1 = 0x29fc2757d1f534ddUL, w2 = 0xc0db6295993c4390UL,
                w3 = 0x41fe5163abdebbc5UL; /* 2/pi, behind eight zeros */
    const ulong p = s < 64u ? w0 : w1, q = s < 64u ? w1 : w2, t = s < 64u ? w2 : w3;
    const ulong left = s & 63u, right = 63UL - left;
    const ulong high = (p << left) | (q >> 1 >> right), low = (q << left) | (t >> 1 >> right);
    return m * high + ((m * (low >> 32)) >> 32);
}

/* A signed number, given with its highest bit inverted, as a double. */
static inline double fm_signed_part(ulong part)
{
    const double upper = as_double((part >> 32) | 0x4530000000000000UL) - 0x1.000008p84;
    return upper + fm_small(part & 0xffffffffUL);
}

static inline bool fm_is_far(float x)
{
    return (as_uint(x) & 0x7fffffffu) >= 0x49800000u; /* 2^20 */
}

/* x = n pi/2 + r with |r| <= pi/4: returns r, and the lowest bits of n.

   Near zero n pi/2 is subtracted. */
static inline double fm_quarter(float x, ulong *n)
{
    const double magic = 0x1.8p52, a = (double)x;
    const double whole = a * 0x1.45f306dc9c883p-1 + magic, turn = whole - magic;
    const double close = a - turn * 0x1.921fb544p+0 - turn * 0x1.0b4611a626331p-34;
    const ulong turns = fm_turns_of(x), quarters = (turns + (1UL << 61)) >> 62;
    const double rest =
        fm_signed_part((turns - (quarters << 62)) ^ (1UL << 63)) * 0x1.921fb54442d18p-62;
    const bool far = fm_is_far(x);
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

/* sin (x + k pi/2) for k = 0 or 1: x + k pi/2 = n pi + r with |r| <= pi/2.

   The polynomial interpolates (sin r - r) / r^3 at Chebyshev nodes; its error is below 2^-33. */
static inline float fm_wave(float x, ulong k)
{
    const double magic = 0x1.8p52, a = (double)x, shift = k != 0 ? 0.5 : 0.0;
    const double whole = a * 0x1.45f306dc9c883p-2 + shift + magic, turn = whole - magic - shift;
    const double close = a - turn * 0x1.921fb544p+1 - turn * 0x1.0b4611a626331p-33;
    const ulong turns = fm_turns_of(x) + (k << 62), n = (turns + (1UL << 62)) >> 63;
    const double rest = fm_signed_part((turns - (n << 63)) ^ (1UL << 63)) * 0x1.921fb54442d18p-62;
    const bool far = fm_is_far(x);
    const double r = !far ? close : x < 0.0f && k == 0 ? -rest : rest, z = r * r;
    double p = -0x1.9db1c3f99d581p-26;
    p = 0x1.71969139374c5p-19 + z * p;
    p = -0x1.a01905b8cbb21p-13 + z * p;
    p = 0x1.11110fdaad1f7p-7 + z * p;
    p = -0x1.555555546050ap-3 + z * p;
    const double w = r * (1.0 + z * p);
    const ulong odd = (far ? n : as_ulong(whole)) << 63;
    return fm_size(x) < INFINITY ? (float)as_double(as_ulong(w) ^ odd) : NAN;
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

/* The angle of (x, y) in the first quadrant: arctan z and a multiple of pi/4, |z| <= 7/16.  Not both
   are zero or infinite.  The polynomial interpolates at Chebyshev nodes. */
static inline double fm_at(double y, double x)
{
    const bool flat = y <= x * 0x1.a827999fcef32p-2, steep = x < y * 0x1.a827999fcef32p-2;
    const double above = steep ? -x : flat ? y : y - x, below = steep ? y : flat ? x : y + x;
    const double z = above / below, s = z * z;
    const double base = steep ? 0x1.921fb54442d18p+0 : flat ? 0.0 : 0x1.921fb54442d18p-1;
    double p = -0x1.39b609703038ep-5;
    p = 0x1.1fe1953c65579p-4 + s * p;
    p = -0x1.71029c94508a9p-4 + s * p;
    p = 0x1.c6e4b36e03916p-4 + s * p;
    p = -0x1.2491698274b35p-3 + s * p;
    p = 0x1.999996f2c4529p-3 + s * p;
    p = -0x1.55555554abeb5p-2 + s * p;
    return base + (z + z * s * p);
}

static inline float fm_atanf(float x)
{
    return fm_signed(fm_at((double)fm_size(x), 1.0), x);
}

/* The angle of the point (x, y), as C99 has it for zeros, infinities and signs. */
static inline float fm_atan2f(float y, float x)
{
    const double a = (double)fm_size(y), b = (double)fm_size(x), high = a < b ? b : a;
    const bool far = (a == INFINITY) & (b == INFINITY), none = high == 0.0;
    const double t = fm_at(far ? 1.0 : a, far ? 1.0 : none ? 1.0 : b);
    const double all = (as_uint(x) & 0x80000000u) != 0u ? 0x1.921fb54442d18p+1 - t : t;
    return (x == x) & (y == y) ? fm_signed(all, y) : NAN;
}

/* arcsin a for a <= 1/2, or pi/2 - arcsin a; NaN for a > 1. */
static inline double fm_as(double a)
{
    const bool near = a < 0.5;
    const double z = near ? a * a : 0.5 * (1.0 - a), s = near ? a : FM_ROOT(z);
    double p = 0x1.fb7ca379d49c6p-6;
    p = 0x1.5a80a068e3ee2p-7 + z * p;
    p = 0x1.82db23768c84fp-6 + z * p;
    p = 0x1.efedf83ab6506p-6 + z * p;
    p = 0x1.6dc0f007c13e8p-5 + z * p;
    p = 0x1.33331ecf8b70bp-4 + z * p;
    p = 0x1.5555555c0171dp-3 + z * p;
    const double t = s + s * z * p;
    return near ? t : t + t;
}

static inline float fm_asinf(float x)
{
    const double a = (double)fm_size(x), t = fm_as(a);
    return fm_signed(a < 0.5 ? t : 0x1.921fb54442d18p+0 - t, x);
}

static inline float fm_acosf(float x)
{
    const double a = (double)fm_size(x), t = fm_as(a), middle = 0x1.921fb54442d18p+0;
    const double near = x < 0.0f ? middle + t : middle - t;
    return (float)(a < 0.5 ? near : x < 0.0f ? 2.0 * middle - t : t);
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

/* a^(-1/3) from a third of the bits of a: y (1 - h)^(-1/3) with h = 1 - a y^3, by its series. */
static inline float fm_cbrtf(float x)
{
    const double a = (double)fm_size(x), third = fm_small(as_ulong(a) >> 32) * (1.0 / 3);
    double y = as_double(as_ulong(0x1p52 + (0x553eea00p0 - third)) << 32);
    double h = 1.0 - a * y * y * y;
    y = y + y * h * (1.0 / 3 + h * (2.0 / 9 + h * (14.0 / 81)));
    h = 1.0 - a * y * y * y;
    y = y + y * h * (1.0 / 3 + h * (2.0 / 9));
    return fm_signed((a > 0.0) & (a < INFINITY) ? a * y * y : a, x);
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
