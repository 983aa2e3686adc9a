/* ---- functions of double, without calls, and but for sin, cos and tan without branches, so that
   loops become vectors

   Errors are in units in the last place, measured against functions of 80-bit long double
   (papers/decisions/shares.md has the table).  Products are split into halves of 26 bits where they
   must be exact: a fused multiply-add would give other bits where a processor lacks it. */

static inline double fm_sized(double x)
{
    return as_double(as_ulong(x) & 0x7fffffffffffffffUL);
}

static inline double fm_signedd(double size, double x)
{
    return as_double(as_ulong(size) | (as_ulong(x) & 0x8000000000000000UL));
}

/* The leading 26 bits. */
static inline double fm_head(double x)
{
    return as_double(as_ulong(x) & 0xfffffffff8000000UL);
}

/* All bits if the bits of |x| are above a limit, or else none.  With a comparison gcc would make
   the loads of a table conditional, and then it makes no vectors. */
static inline ulong fm_above(double x, ulong limit)
{
    return 0UL - ((limit - (as_ulong(x) & 0x7fffffffffffffffUL)) >> 63);
}

static inline ulong fm_either(ulong mask, ulong a, ulong b)
{
    return (mask & a) | (~mask & b);
}

/* 64 bits of 2/pi from each eighth bit on, behind 40 zeros. */
static FM_TABLE ulong fm_turns[143] = {
    0x0000000000a2f983UL, 0x00000000a2f9836eUL, 0x000000a2f9836e4eUL, 0x0000a2f9836e4e44UL,
    0x00a2f9836e4e4415UL, 0xa2f9836e4e441529UL, 0xf9836e4e441529fcUL, 0x836e4e441529fc27UL,
    0x6e4e441529fc2757UL, 0x4e441529fc2757d1UL, 0x441529fc2757d1f5UL, 0x1529fc2757d1f534UL,
    0x29fc2757d1f534ddUL, 0xfc2757d1f534ddc0UL, 0x2757d1f534ddc0dbUL, 0x57d1f534ddc0db62UL,
    0xd1f534ddc0db6295UL, 0xf534ddc0db629599UL, 0x34ddc0db6295993cUL, 0xddc0db6295993c43UL,
    0xc0db6295993c4390UL, 0xdb6295993c439041UL, 0x6295993c439041feUL, 0x95993c439041fe51UL,
    0x993c439041fe5163UL, 0x3c439041fe5163abUL, 0x439041fe5163abdeUL, 0x9041fe5163abdebbUL,
    0x41fe5163abdebbc5UL, 0xfe5163abdebbc561UL, 0x5163abdebbc561b7UL, 0x63abdebbc561b724UL,
    0xabdebbc561b7246eUL, 0xdebbc561b7246e3aUL, 0xbbc561b7246e3a42UL, 0xc561b7246e3a424dUL,
    0x61b7246e3a424dd2UL, 0xb7246e3a424dd2e0UL, 0x246e3a424dd2e006UL, 0x6e3a424dd2e00649UL,
    0x3a424dd2e006492eUL, 0x424dd2e006492eeaUL, 0x4dd2e006492eea09UL, 0xd2e006492eea09d1UL,
    0xe006492eea09d192UL, 0x06492eea09d1921cUL, 0x492eea09d1921cfeUL, 0x2eea09d1921cfe1dUL,
    0xea09d1921cfe1debUL, 0x09d1921cfe1deb1cUL, 0xd1921cfe1deb1cb1UL, 0x921cfe1deb1cb129UL,
    0x1cfe1deb1cb129a7UL, 0xfe1deb1cb129a73eUL, 0x1deb1cb129a73ee8UL, 0xeb1cb129a73ee882UL,
    0x1cb129a73ee88235UL, 0xb129a73ee88235f5UL, 0x29a73ee88235f52eUL, 0xa73ee88235f52ebbUL,
    0x3ee88235f52ebb44UL, 0xe88235f52ebb4484UL, 0x8235f52ebb4484e9UL, 0x35f52ebb4484e99cUL,
    0xf52ebb4484e99c70UL, 0x2ebb4484e99c7026UL, 0xbb4484e99c7026b4UL, 0x4484e99c7026b45fUL,
    0x84e99c7026b45f7eUL, 0xe99c7026b45f7e41UL, 0x9c7026b45f7e4139UL, 0x7026b45f7e413991UL,
    0x26b45f7e413991d6UL, 0xb45f7e413991d639UL, 0x5f7e413991d63983UL, 0x7e413991d6398353UL,
    0x413991d639835339UL, 0x3991d639835339f4UL, 0x91d639835339f49cUL, 0xd639835339f49c84UL,
    0x39835339f49c845fUL, 0x835339f49c845f8bUL, 0x5339f49c845f8bbdUL, 0x39f49c845f8bbdf9UL,
    0xf49c845f8bbdf928UL, 0x9c845f8bbdf9283bUL, 0x845f8bbdf9283b1fUL, 0x5f8bbdf9283b1ff8UL,
    0x8bbdf9283b1ff897UL, 0xbdf9283b1ff897ffUL, 0xf9283b1ff897ffdeUL, 0x283b1ff897ffde05UL,
    0x3b1ff897ffde0598UL, 0x1ff897ffde05980fUL, 0xf897ffde05980fefUL, 0x97ffde05980fef2fUL,
    0xffde05980fef2f11UL, 0xde05980fef2f118bUL, 0x05980fef2f118b5aUL, 0x980fef2f118b5a0aUL,
    0x0fef2f118b5a0a6dUL, 0xef2f118b5a0a6d1fUL, 0x2f118b5a0a6d1f6dUL, 0x118b5a0a6d1f6d36UL,
    0x8b5a0a6d1f6d367eUL, 0x5a0a6d1f6d367ecfUL, 0x0a6d1f6d367ecf27UL, 0x6d1f6d367ecf27cbUL,
    0x1f6d367ecf27cb09UL, 0x6d367ecf27cb09b7UL, 0x367ecf27cb09b74fUL, 0x7ecf27cb09b74f46UL,
    0xcf27cb09b74f463fUL, 0x27cb09b74f463f66UL, 0xcb09b74f463f669eUL, 0x09b74f463f669e5fUL,
    0xb74f463f669e5feaUL, 0x4f463f669e5fea2dUL, 0x463f669e5fea2d75UL, 0x3f669e5fea2d7527UL,
    0x669e5fea2d7527baUL, 0x9e5fea2d7527bac7UL, 0x5fea2d7527bac7ebUL, 0xea2d7527bac7ebe5UL,
    0x2d7527bac7ebe5f1UL, 0x7527bac7ebe5f17bUL, 0x27bac7ebe5f17b3dUL, 0xbac7ebe5f17b3d07UL,
    0xc7ebe5f17b3d0739UL, 0xebe5f17b3d0739f7UL, 0xe5f17b3d0739f78aUL, 0xf17b3d0739f78a52UL,
    0x7b3d0739f78a5292UL, 0x3d0739f78a5292eaUL, 0x0739f78a5292ea6bUL, 0x39f78a5292ea6bfbUL,
    0xf78a5292ea6bfb5fUL, 0x8a5292ea6bfb5fb1UL, 0x5292ea6bfb5fb11fUL, 0x92ea6bfb5fb11f8dUL,
    0xea6bfb5fb11f8d5dUL, 0x6bfb5fb11f8d5d08UL, 0xfb5fb11f8d5d0856UL,
};

/* x = n pi/2 + r + low with |r| <= pi/4 for |x| >= 2^20: returns r, and n modulo 4.

   |x| is an integer times a power of two.  It is multiplied by those 192 bits of 2/pi that decide
   about the last two bits of n and what is behind them (Payne and Hanek 1983). */
static double fm_far_quarter(double x, ulong *n, double *low)
{
    const ulong word = 0xffffffffUL, bits = as_ulong(x), some = (bits >> 52) & 0x7ffUL;
    const ulong e = (some - 1037UL) & (((some - 1037UL) >> 63) - 1UL); /* or else 0 */
    const ulong m = ((bits & 0xfffffffffffffUL) | 0x10000000000000UL) << (e & 7UL);
    const ulong u = fm_turns[e >> 3], v = fm_turns[(e >> 3) + 8UL], w = fm_turns[(e >> 3) + 16UL];
    const ulong a = m >> 32, b = m & word, b1 = b * (u & word), a2 = a * (v >> 32);
    const ulong b2 = b * (v >> 32), a3 = a * (v & word), b3 = b * (v & word), a4 = a * (w >> 32);
    const ulong b4 = b * (w >> 32), a5 = a * (w & word);
    const ulong p = (b4 >> 32) + (a5 >> 32) + (b3 & word) + (a4 & word);
    const ulong q = (p >> 32) + (b3 >> 32) + (a4 >> 32) + (b2 & word) + (a3 & word);
    const ulong s = (q >> 32) + (b2 >> 32) + (a3 >> 32) + (b1 & word) + (a2 & word);
    const ulong t = (s >> 32) + (b1 >> 32) + (a2 >> 32) + b * (u >> 32) + a * (u & word);
    const ulong high = (t << 32) | (s & word); /* of a quarter: 2^62 */
    const ulong quarters = (high + (1UL << 61)) >> 62;
    const ulong rest = (high - (quarters << 62)) ^ (1UL << 63);
    const double c = as_double((rest >> 32) | 0x4530000000000000UL) - 0x1.000008p84;
    const double d = fm_small(rest & word), sum = c + d;
    const double more =
        d - (sum - c) + (fm_small(q & word) * 0x1p-32 + fm_small(p & word) * 0x1p-64);
    const double f = sum + more, g = more - (f - sum), h = fm_head(f);
    const double r1 = h * 0x1.921fb5p-62;
    const double r2 = h * 0x1.110b4611a6263p-88 + (f - h + g) * 0x1.921fb54442d18p-62;
    const double r = r1 + r2, l = r2 - (r - r1);
    *n = x < 0.0 ? 0UL - quarters : quarters;
    *low = x < 0.0 ? -l : l;
    return x < 0.0 ? -r : r;
}

/* The same for every x: near zero n pi/2 is subtracted, in four parts, of which n times the first
   three is exact.

   The branch keeps a loop scalar.  Without it, with both ways for all lanes, a loop of `sin` takes
   about the same time with AVX2, and one that is scalar for another reason 3.5 times as long. */
static inline double fm_quarterd(double x, ulong *n, double *low)
{
    if (fm_sized(x) >= 0x1p20) {
        ulong far;
        double rest;
        const double r = fm_far_quarter(x, &far, &rest);
        *n = far;
        *low = rest;
        return r;
    }
    const double whole = x * 0x1.45f306dc9c883p-1 + 0x1.8p52, turn = whole - 0x1.8p52;
    const double a = x - turn * 0x1.921fb544p+0, b = turn * 0x1.0b4611a6p-34, c = a - b;
    const double v = c - a, e = (a - (c - v)) - (b + v); /* a - b = c + e */
    const double d = turn * 0x1.3198a2ep-69, close = c - d;
    const double l = ((c - close) - d) + (e - turn * 0x1.b839a252049c1p-104);
    *n = as_ulong(whole);
    *low = l;
    return close;
}

/* sin (r + low) and cos (r + low): polynomials that interpolate at Chebyshev nodes. */
static inline double fm_sin_ofd(double r, double low)
{
    const double z = r * r, zz = z * z;
    const double odd = -0x1.a01a019e83816p-13 + z * 0x1.71de379654304p-19;
    const double end = -0x1.ae600aca92c64p-26 + z * 0x1.5e0b05bff20f2p-33;
    const double p = 0x1.1111111110bb2p-7 + z * odd + zz * z * end, v = z * r;
    return r - ((z * (0.5 * low - v * p) - low) + v * 0x1.5555555555555p-3);
}

static inline double fm_cos_ofd(double r, double low)
{
    const double z = r * r, zz = z * z, h = 0.5 * z, w = 1.0 - h;
    const double odd = -0x1.6c16c16c16967p-10 + z * 0x1.a01a019f4e9b4p-16;
    const double end = -0x1.27e4fa17bf139p-22 + z * 0x1.1eeb68cd22f56p-29 -
                       zz * 0x1.907d8f29fe831p-37;
    const double p = 0x1.5555555555555p-5 + z * odd + zz * z * end;
    return w + (((1.0 - w) - h) + (zz * p - r * low));
}

/* sin (x + k pi/2) */
static inline double fm_waved(double x, ulong k)
{
    ulong n;
    double low;
    const double r = fm_quarterd(x, &n, &low);
    n += k;
    const double w = (n & 1UL) != 0 ? fm_cos_ofd(r, low) : fm_sin_ofd(r, low);
    return fm_sized(x) < INFINITY ? as_double(as_ulong(w) ^ ((n & 2UL) << 62)) : NAN;
}

static inline double fm_sind(double x)
{
    return fm_waved(x, 0UL);
}

static inline double fm_cosd(double x)
{
    return fm_waved(x, 1UL);
}

static inline double fm_tand(double x)
{
    ulong n;
    double low;
    const double r = fm_quarterd(x, &n, &low);
    const double s = fm_sin_ofd(r, low), c = fm_cos_ofd(r, low);
    const double w = (n & 1UL) != 0 ? -c / s : s / c;
    return fm_sized(x) < INFINITY ? w : NAN;
}

/* (e^r - 1 - r) / r^2 for |r| <= 0.35: the Taylor series of e^r to r^13.

   The terms are added in pairs (Estrin 1960): of 24 operations in a row 10 are left, which counts
   where a loop stays scalar. */
static inline double fm_exp_rest(double r)
{
    const double z = r * r, zz = z * z;
    const double a = 0.5 + r * (1.0 / 6), b = 1.0 / 24 + r * (1.0 / 120);
    const double c = 1.0 / 720 + r * (1.0 / 5040), d = 1.0 / 40320 + r * (1.0 / 362880);
    const double e = 1.0 / 3628800 + r * (1.0 / 39916800);
    const double f = 1.0 / 479001600 + r * (1.0 / 6227020800.0);
    return (a + z * b) + zz * ((c + z * d) + zz * (e + z * f));
}

/* e^(x + low) 2^shift for |low| < 2^-9, rounded once; shift is 0 or -1. */
static inline double fm_exp_of(double x, double low, ulong shift)
{
    const double c = x > 711.0 ? 711.0 : x < -750.0 ? -750.0 : x;
    const double whole = c * 0x1.71547652b82fep0 + 0x1.8p52, k = whole - 0x1.8p52;
    const double a = c - k * 0x1.62e42feep-1, b = k * 0x1.a39ef35793c76p-33 - low;
    const double r = a - b, l = (a - r) - b;
    const double e_r = 1.0 + (r + (l + r * r * fm_exp_rest(r)));
    const ulong n = as_ulong(whole) - 0x4338000000000000UL + shift + 2048UL; /* not negative */
    const ulong part = n >> 1, first = part - 1UL, last = n - part - 1UL;
    return e_r * as_double(first << 52) * as_double(last << 52);
}

static inline double fm_expd(double x)
{
    return x == x ? fm_exp_of(x, 0.0, 0UL) : x;
}

/* (e^x - 1) / 8, which is finite up to x = 711, for |x| >= 2^-900. */
static inline double fm_em1_of(double x)
{
    const double c = x > 711.0 ? 711.0 : x < -60.0 ? -60.0 : x;
    const double whole = c * 0x1.71547652b82fep0 + 0x1.8p52, k = whole - 0x1.8p52;
    const double a = c - k * 0x1.62e42feep-1, b = k * 0x1.a39ef35793c76p-33;
    const double r = a - b, l = (a - r) - b;
    const double two_k = as_double((as_ulong(whole) + 1020UL) << 52); /* 2^(k - 3) */
    const double less = two_k - 0.125, q = two_k * (l + r * r * fm_exp_rest(r)), t = two_k * r;
    const double sum = less + t, v = sum - less; /* less + t = sum + (… ) */
    return sum + (((less - (sum - v)) + (t - v)) + q);
}

static inline double fm_expm1d(double x)
{
    return fm_sized(x) < 0x1p-54 || x != x ? x : 8.0 * fm_em1_of(x);
}

static inline double fm_sinhd(double x)
{
    const double a = fm_sized(x), g = fm_em1_of(a), h = 4.0 * (g + 0.125 * g / (g + 0.125));
    return a < 0x1p-54 || x != x ? x : fm_signedd(h, x);
}

static inline double fm_coshd(double x)
{
    const double g = fm_exp_of(fm_sized(x), 0.0, 0UL - 1UL);
    return x == x ? g + 0.25 / g : x;
}

static inline double fm_tanhd(double x)
{
    const double a = fm_sized(x), g = fm_em1_of(2.0 * (a < 40.0 ? a : 40.0));
    return a < 0x1p-54 || x != x ? x : fm_signedd(g / (g + 0.25), x);
}

/* x = 2^e (1 + f), sqrt(1/2) <= 1 + f < sqrt(2), for finite x > 0: returns f. */
static inline double fm_fraction(double x, double *e)
{
    const bool small = x < 0x1p-1022; /* not normal */
    const ulong bits = as_ulong(small ? x * 0x1p54 : x), root = 0x3fe6a09e667f3bcdUL;
    const ulong shifted = (bits - root) & 0xfff0000000000000UL;
    const ulong biased = (bits - root + (1UL << 63)) >> 52; /* e + 2048 */
    *e = as_double(biased | 0x4330000000000000UL) - (small ? 0x1p52 + 2102.0 : 0x1p52 + 2048.0);
    return as_double(bits - shifted) - 1.0;
}

/* ln (1 + f) - f + h with h = f^2 / 2: 2 artanh s with s = f / (2 + f), |s| <= 0.172. */
static inline double fm_ln_rest(double f, double h)
{
    const double s = f / (2.0 + f), z = s * s;
    const double zz = z * z, z4 = zz * zz;
    const double a = 2.0 / 3 + z * (2.0 / 5), b = 2.0 / 7 + z * (2.0 / 9);
    const double c = 2.0 / 11 + z * (2.0 / 13), d = 2.0 / 15 + z * (2.0 / 17);
    const double e = 2.0 / 19 + z * (2.0 / 21);
    const double p = (a + zz * b) + z4 * ((c + zz * d) + z4 * e);
    return s * (h + z * p);
}

/* ln x + more for finite x > 0. */
static inline double fm_ln_of(double x, double more)
{
    double e;
    const double f = fm_fraction(x, &e), h = 0.5 * f * f, rest = fm_ln_rest(f, h);
    return e * 0x1.62e42feep-1 - ((h - (rest + (e * 0x1.a39ef35793c76p-33 + more))) - f);
}

/* A logarithm of x, which is `finite` where x is positive and finite. */
static inline double fm_special_logd(double x, double finite)
{
    const double far = x > 0.0 ? x : NAN, edge = x == 0.0 ? -INFINITY : far;
    return x > 0.0 && x < INFINITY ? finite : edge;
}

static inline double fm_logd(double x)
{
    return fm_special_logd(x, fm_ln_of(x, 0.0));
}

/* ln x / ln 2 and ln x / ln 10: what is multiplied is split, so that powers have exact results. */
static inline double fm_log2d(double x)
{
    double e;
    const double f = fm_fraction(x, &e), h = 0.5 * f * f, rest = fm_ln_rest(f, h);
    const double high = fm_head(f - h), low = (f - high) - h + rest;
    const double a = high * 0x1.715476p+0;
    const double b = (low + high) * 0x1.4ae0bf85ddf44p-26 + low * 0x1.715476p+0;
    const double sum = e + a;
    return fm_special_logd(x, sum + ((e - sum) + a + b));
}

static inline double fm_log10d(double x)
{
    double e;
    const double f = fm_fraction(x, &e), h = 0.5 * f * f, rest = fm_ln_rest(f, h);
    const double high = fm_head(f - h), low = (f - high) - h + rest;
    const double a = high * 0x1.bcb7b1p-2, c = e * 0x1.34413509f7p-2;
    const double b = e * 0x1.3fde623e2566bp-43 +
                     ((low + high) * 0x1.49b9438ca9aaep-28 + low * 0x1.bcb7b1p-2);
    const double sum = c + a;
    return fm_special_logd(x, sum + ((c - sum) + a + b));
}

/* ln (1 + x) for finite x > -1: 1 + x = u + c. */
static inline double fm_ln1p_of(double x)
{
    const double u = 1.0 + x, c = x < 1.0 ? x - (u - 1.0) : 1.0 - (u - x);
    return fm_ln_of(u, c / u);
}

static inline double fm_log1pd(double x)
{
    const double far = x > -1.0 ? x : NAN, edge = x == -1.0 ? -INFINITY : far;
    const double ln = fm_sized(x) < 0x1p-53 ? x : fm_ln1p_of(x);
    return x > -1.0 && x < INFINITY ? ln : edge;
}

static inline double fm_asinhd(double x)
{
    const double a = fm_sized(x), s = a * a, t = a + s / (1.0 + FM_ROOT(1.0 + s));
    const double u = 1.0 + t, c = (t < 1.0 ? t - (u - 1.0) : 1.0 - (u - t)) / u;
    const bool big = a > 0x1p28;
    const double ln = fm_ln_of(big ? a : u, big ? 0x1.62e42fefa39efp-1 : c);
    return a < 0x1p-28 || !(a < INFINITY) ? x : fm_signedd(ln, x);
}

static inline double fm_acoshd(double x)
{
    const double a = x - 1.0, t = a + FM_ROOT(2.0 * a + a * a);
    const double u = 1.0 + t, c = (t < 1.0 ? t - (u - 1.0) : 1.0 - (u - t)) / u;
    const bool big = x > 0x1p28;
    const double ln = fm_ln_of(big ? x : u, big ? 0x1.62e42fefa39efp-1 : c);
    const double far = x >= 1.0 ? x : NAN;
    return x >= 1.0 && x < INFINITY ? ln : far;
}

static inline double fm_atanhd(double x)
{
    const double a = fm_sized(x), ln = 0.5 * fm_ln1p_of(2.0 * a / (1.0 - a));
    const double edge = a == 1.0 ? INFINITY : NAN;
    return a < 0x1p-28 ? x : fm_signedd(a < 1.0 ? ln : edge, x);
}

/* ln x as a sum, with an error below 2^-64 of it, for finite x > 0. */
static inline double fm_ln_sum(double x, double *low)
{
    double e;
    const double f = fm_fraction(x, &e), d = 2.0 + f, d_low = f - (d - 2.0), one = 1.0 / d;
    const double s1 = fm_head(f * one), d1 = fm_head(d); /* s = f / (2 + f) = s1 + s2 */
    const double s2 = (((f - s1 * d1) - s1 * (d - d1)) - s1 * d_low) * one;
    const double zz = s1 * s1, more = s2 * (s1 + s1 + s2), z = zz + more;
    const double z1 = fm_head(z), z2 = (zz - z1) + more;
    double p = 0x1.b8d433113b7fap-4;
    p = 0x1.ac4a89c964b82p-4 + z * p;
    p = 0x1.e1f7fa7547177p-4 + z * p;
    p = 0x1.1110dfad0f8eap-3 + z * p;
    p = 0x1.3b13b1bc75cd4p-3 + z * p;
    p = 0x1.745d174513593p-3 + z * p;
    p = 0x1.c71c71c71cfd9p-3 + z * p;
    p = 0x1.2492492492491p-2 + z * p;
    p = z * (0x1.999999999999ap-2 + z * p);
    const double third = 0x1.5555555555555p-1, q1 = fm_head(third + p); /* 2/3 + p = q1 + q2 */
    const double q2 = (third - q1) + p + 0x1.5555555555555p-55;
    const double u = z1 * q1, v = z2 * q1 + z * q2, w = u + v, w1 = fm_head(w), w2 = (u - w1) + v;
    const double t = s1 * w1, t_low = s2 * w1 + (s1 + s2) * w2; /* s z (2/3 + p) */
    const double k = e * 0x1.62e42fefa38p-1, a = k + 2.0 * s1, b = (k - a) + 2.0 * s1;
    const double c = a + t, g = c - a, rest = (a - (c - g)) + (t - g);
    const double all = rest + (b + (2.0 * s2 + t_low + e * 0x1.ef35793c7673p-45));
    const double sum = c + all;
    *low = all - (sum - c);
    return sum;
}

/* y (h + l) as a sum. */
static inline double fm_times(double y, double h, double l, double *low)
{
    const double y1 = fm_head(y), y2 = y - y1, h1 = fm_head(h), h2 = h - h1, p = y * h;
    *low = ((y1 * h1 - p) + y1 * h2 + y2 * h1) + y2 * h2 + y * l;
    return p;
}

/* As C99 has it. */
static inline double fm_powd(double x, double y)
{
    const double a = fm_sized(x), b = fm_sized(y);
    const double safe = a > 0.0 && a < INFINITY ? a : 1.0;
    double l, low;
    const double h = fm_ln_sum(safe, &l);
    const double most = b > 0x1p64 ? fm_signedd(0x1p64, y) : y, part = b < 0x1p-900 ? 0.0 : most;
    const double t = fm_times(part, h, l, &low);
    const double power = fm_exp_of(t, fm_sized(t) < 760.0 ? low : 0.0, 0UL);
    const bool up = (as_ulong(y) & 0x8000000000000000UL) == 0UL;
    const double big = up ? INFINITY : 0.0, little = up ? 0.0 : INFINITY;
    const double size = a == 0.0 ? little : a < INFINITY ? power : big;
    const double at_far = a == 1.0 ? 1.0 : a > 1.0 ? big : little; /* y is infinite */
    const double c = b < 0x1p52 ? b : 0x1p52, sum = c + 0x1p52;
    const ulong large = fm_above(y, 0x432fffffffffffffUL), even = fm_above(y, 0x433fffffffffffffUL);
    const ulong last = ~even & (fm_either(large, as_ulong(b), as_ulong(sum)) << 63); /* y is odd */
    const bool whole = sum - 0x1p52 == c;
    const ulong sign = whole ? as_ulong(x) & last : 0UL;
    const double some = as_double(as_ulong(b < INFINITY ? size : at_far) | sign);
    const double root = whole ? some : NAN, all = (x < 0.0) & (a < INFINITY) ? root : some;
    return (x == 1.0) | (y == 0.0) ? 1.0 : (x != x) | (y != y) ? NAN : all;
}
