/* ---- the error function and the gamma function of double

   The polynomials of the error function are long: their even and odd powers are added apart, so that
   half as many operations wait for each other. */

/* erf a - a for 0 <= a <= 3/4: a polynomial that interpolates erf a / a - 1 at Chebyshev nodes. */
static inline double fm_erf_rest(double a)
{
    const double s = a * a;
    const double z = s * s;
    double p = 0x1.8a312cb07e6ccp-27, odd = -0x1.564f71bbc0d35p-23;
    p = 0x1.b90ecd4aeec12p-20 + z * p;
    odd = -0x1.f4c5debf1228ap-17 + z * odd;
    p = 0x1.f9a2afa3a8f86p-14 + z * p;
    odd = -0x1.c02db1220cfe6p-11 + z * odd;
    p = 0x1.565bcd03657c0p-8 + z * p;
    odd = -0x1.b82ce31257412p-6 + z * odd;
    p = 0x1.ce2f21a0424c3p-4 + z * p;
    odd = -0x1.812746b0379e0p-2 + z * odd;
    p = 0x1.06eba8214db69p-3 + z * p;
    return a * (p + s * odd);
}

/* 1 - erf a for a >= 3/4: e^(-a^2) / (a + 5/2) times a polynomial in (a - 5/2) / (a + 5/2), which
   interpolates at Chebyshev nodes for a <= 27.3; beyond the result is zero. */
static inline double fm_erf_tail(double a)
{
    const double c = a < 0.75 ? 0.75 : a > 27.3 ? 27.3 : a, d = c + 2.5, one = 1.0 / d;
    const double h = fm_head(c), g = c - 2.5, t1 = fm_head(g * one); /* t1 d <= g, to 26 bits */
    const double t = t1 + (((g - t1 * h) - t1 * 2.5) - t1 * (c - h)) * one;
    const double z = t * t;
    double p = -0x1.14caa68c81b64p-24, odd = 0x1.f415170d1fb52p-26;
    p = 0x1.664c17cbd8c2dp-23 + z * p;
    odd = -0x1.8e46a03bc8277p-24 + z * odd;
    p = -0x1.bf08ff6e55d74p-26 + z * p;
    odd = 0x1.e52a7c16b07bbp-22 + z * odd;
    p = -0x1.380b48d05e3acp-19 + z * p;
    odd = -0x1.06f08dbff250bp-19 + z * odd;
    p = 0x1.320fc23ebe0dcp-16 + z * p;
    odd = 0x1.c521178e0be10p-18 + z * odd;
    p = -0x1.d84c3dfbb8825p-14 + z * p;
    odd = -0x1.47b01e09e903ep-16 + z * odd;
    p = 0x1.7069f3916d9f5p-11 + z * p;
    odd = 0x1.e91ef1d4c350ep-15 + z * odd;
    p = -0x1.3bcdce3869a1bp-8 + z * p;
    odd = -0x1.cc8b121ab7ccep-12 + z * odd;
    p = 0x1.d0acf691f2c42p-6 + z * p;
    odd = 0x1.1305f565767fbp-7 + z * odd;
    p = 0x1.d0cedcb8c904dp-2 + z * p;
    odd = -0x1.5eb8eba1dfdeap-3 + z * odd;
    p = 0x1.0dd50785280a5p+0 + z * p;
    odd = -0x1.9bfb53c4039d7p-1 + z * odd;
    p += t * odd;
    return fm_exp_of(-(h * h), -((c - h) * (c + h)), 0UL) * p / d;
}

static inline double fm_erfd(double x)
{
    const double a = fm_sized(x), tail = 1.0 - fm_erf_tail(a);
    return x == x ? fm_signedd(a < 0.75 ? a + fm_erf_rest(a) : tail, x) : x;
}

static inline double fm_erfcd(double x)
{
    const double a = fm_sized(x), tail = fm_erf_tail(a), rest = fm_erf_rest(a);
    const double near = x < 0.5 ? 1.0 - (x + fm_signedd(1.0, x) * rest) : 0.5 - ((x - 0.5) + rest);
    return a < 0.75 ? near : x != x ? x : x < 0.0 ? 2.0 - tail : tail;
}

/* Stirling's series for ln gamma(x), as a sum, for x >= 8; `off` is a part of x that is not in it.

   (x - 1/2) ln x - x + ln(2 pi) / 2 + m(1 / x^2) / x; m interpolates at Chebyshev nodes. */
static inline double fm_stirling(double x, double off, double *low)
{
    double l, t_low;
    const double h = fm_ln_sum(x, &l), t = fm_times(x - 0.5, h, l, &t_low), one = 1.0 / x;
    const double w = one * one;
    double m = 0x1.4bffc9d8b455bp-8;
    m = -0x1.ef8d748aeb0f2p-10 + w * m;
    m = 0x1.b92c33f9445e5p-11 + w * m;
    m = -0x1.38134d4f8896fp-11 + w * m;
    m = 0x1.a01a017dcf9e1p-11 + w * m;
    m = -0x1.6c16c16c149f4p-9 + w * m;
    m = 0x1.5555555555555p-4 + w * m;
    const double a = t - x, v = a - t, e = (t - (a - v)) - (x + v); /* t - x = a + e */
    const double middle = 0x1.d67f1c864beb5p-1, b = a + middle, u = b - a; /* ln(2 pi) / 2 */
    const double f = (a - (b - u)) + (middle - u);
    const double more = f + (e + t_low + off * (h - 0.5 * one) + (m * one - 0x1.65b5a1b7ff5dfp-55));
    const double sum = b + more;
    *low = more - (sum - b);
    return sum;
}

/* (h + l) (a + b) as a sum. */
static inline double fm_product(double h, double l, double a, double b, double *low)
{
    double t;
    const double p = fm_times(h, a, b, &t);
    *low = t + l * a;
    return p;
}

/* h + l + c as a sum, for 0 <= h and 0 < c. */
static inline double fm_more(double h, double l, double c, double *low)
{
    const double a = h + c, v = a - h;
    *low = (h - (a - v)) + (c - v) + l;
    return a;
}

/* gamma(y) = gamma(y + 8) / (p + rest) for 0 < y < 8, with y + 8 = x + off, which returns x; or
   else p = 1 and x = y.  The product of y … y + 7 is v (v + 6) (v + 10) (v + 12), v = y (y + 7). */
static inline double fm_raised(double y, double *off, double *p, double *rest)
{
    const bool few = y < 8.0;
    double u_low, v_low, a_low, b_low, c_low, d_low, e_low;
    const double u = fm_more(y, 0.0, 7.0, &u_low), v = fm_times(few ? y : 1.0, u, u_low, &v_low);
    const double a = fm_more(v, v_low, 6.0, &a_low), b = fm_more(v, v_low, 10.0, &b_low);
    const double c = fm_more(v, v_low, 12.0, &c_low), d = fm_product(v, v_low, a, a_low, &d_low);
    const double e = fm_product(b, b_low, c, c_low, &e_low);
    double low;
    const double all = fm_product(d, d_low, e, e_low, &low), x = y + 8.0;
    *p = few ? all : 1.0;
    *rest = few ? low : 0.0;
    *off = few ? y - (x - 8.0) : 0.0;
    return few ? x : y;
}

/* |sin (pi y)| for y >= 0; the lowest bit of n is that of the integer part of y. */
static inline double fm_sin_pi(double y, ulong *n)
{
    const double c = y < 0x1p52 ? y : 0.0, up = c + 0x1p52, near = up - 0x1p52;
    const double whole = near > c ? near - 1.0 : near, f = c - whole, g = f > 0.5 ? 1.0 - f : f;
    const bool far = g > 0.25;
    const double pi = 0x1.921fb54442d18p+1, r = far ? 0.5 - g : g, t = r * pi, h = fm_head(r);
    const double low = ((h * 0x1.921fb5p+1 - t) + h * 0x1.110b4611a6263p-25) + (r - h) * pi;
    *n = as_ulong(whole + 0x1p52);
    return far ? fm_cos_ofd(t, low) : fm_sin_ofd(t, low);
}

static inline double fm_tgammad(double x)
{
    const double y = fm_sized(x), c = y < 0x1p-60 || !(y < 200.0) ? 200.0 : y;
    double off, p, p_low, l;
    ulong n;
    const double up = fm_raised(c, &off, &p, &p_low), s = fm_stirling(up, off, &l);
    const double wave = fm_sin_pi(y, &n), pi = 0x1.921fb54442d18p+1, more = l - p_low / p;
    const bool below = x < 0.0;
    const double e = fm_exp_of(below ? -s : s, below ? -more : more, 0UL); /* or 1 / gamma */
    const double some = (below ? e * (p * pi) : e) / (below ? c * wave : p);
    const double size = y < 200.0 ? some : below ? 0.0 : INFINITY;
    const ulong sign = below ? ((n & 1UL) ^ 1UL) << 63 : 0UL;
    const double most = as_double(as_ulong(size) | sign);
    const double all = below && (wave == 0.0 || y == INFINITY) ? NAN : most;
    return y < 0x1p-60 ? 1.0 / x : x == x ? all : x;
}

/* ln |gamma x|: ln gamma(y) = s - ln p; below zero it is ln (p pi / (y |sin (pi y)|)) - s. */
static inline double fm_lgammad(double x)
{
    const double y = fm_sized(x), c = y < 0x1p-60 ? 0x1p-60 : y < 0x1p1014 ? y : 0x1p1014;
    double off, p, p_low, l, q_low;
    ulong n;
    const double up = fm_raised(c, &off, &p, &p_low), s = fm_stirling(up, off, &l);
    const double wave = fm_sin_pi(y, &n), pi = 0x1.921fb54442d18p+1, more = l - p_low / p;
    const bool below = x < 0.0, tiny = y < 0x1p-60, pole = below && wave == 0.0;
    const double part = below && !pole ? p * pi / (c * wave) : p;
    const double q = fm_ln_sum(tiny ? (y > 0.0 ? y : 1.0) : part, &q_low);
    const double v = below ? q : s, w = below ? s : q, low = below ? q_low - more : more - q_low;
    const double a = v - w, b = a - v, rest = (v - (a - b)) - (w + b); /* v - w = a + rest */
    const double huge = y * (fm_ln_of(y < INFINITY && !tiny ? y : 1.0, 0.0) - 1.0);
    const double some = y < 0x1p1000 ? a + (rest + low) : y < INFINITY ? huge : y;
    const double most = tiny ? -q : some, zero = x == 1.0 || x == 2.0 ? 0.0 : most;
    return y == 0.0 || (pole && !tiny) ? INFINITY : x == x ? zero : x;
}

/* ---- those of float */

static inline float fm_tgammaf(float x)
{
    return (float)fm_tgammad((double)x);
}

/* sin (pi f) for 0 <= f <= 1/2: the Taylor series to r^19. */
static inline double fm_sin_part(double f)
{
    const double r = f * 0x1.921fb54442d18p+1, z = r * r, zz = z * z;
    const double a = -1.0 / 6 + z * (1.0 / 120), b = -1.0 / 5040 + z * (1.0 / 362880);
    const double c = -1.0 / 39916800 + z * (1.0 / 6227020800.0);
    const double d = -1.0 / 1307674368000.0 + z * (1.0 / 355687428096000.0);
    const double e = c + zz * (d - zz * (1.0 / 121645100408832000.0));
    return r + r * z * (a + zz * (b + zz * e));
}

/* Stirling's series and the product of fm_raised, without sums of two parts.  Within 2^-8 of 1 and
   of 2, where they cancel, Taylor series of ln gamma take their place.  The five terms m leave
   2 10^-13 for z >= 8.  Below zero it is ln (p pi / (y |sin (pi y)|)) - s, where the sine is that of
   the distance to the next integer; at a pole `part` is infinite.

   gcc makes no vectors of conditions that it puts together from comparisons of floats and of
   doubles, or from several comparisons.  So the sign is taken from the bits, and infinities are
   added.  NaN passes through s. */
static inline float fm_lgammaf(float x)
{
    const double v = (double)x, y = fm_sized(v), edge = y == 0.0 || y == INFINITY ? INFINITY : 0.0;
    const double c = edge == 0.0 ? y : 1.0;
    const bool few = c < 8.0, below = as_ulong(v) >> 63 != 0UL;
    const double u = c * (c + 7.0);
    const double p = few ? (u * (u + 6.0)) * ((u + 10.0) * (u + 12.0)) : 1.0;
    const double z = few ? c + 8.0 : c, one = 1.0 / z, w = one * one;
    const double rest = 1.0 / 1260 - w * (1.0 / 1680 - w * (1.0 / 1188));
    const double m = 1.0 / 12 - w * (1.0 / 360 - w * rest);
    const double s = (z - 0.5) * fm_ln_of(z, 0.0) - z + (0x1.d67f1c864beb5p-1 + m * one);
    const double near = y >= 0x1p24 ? 0.0 : y, f = near - ((near + 0x1p52) - 0x1p52);
    const double part = p * 0x1.921fb54442d18p+1 / (c * fm_sin_part(fm_sized(f)));
    const double q = fm_ln_of(below ? part : p, 0.0);
    const double a = c - 1.0, b = c - 2.0;
    const double at1 = 0.0 - a * (0x1.2788cfc6fb619p-1 -
        a * (0x1.a51a6625307d3p-1 - a * (0x1.9a4d55beab2d7p-2 - a * 0x1.151322ac7d848p-2)));
    const double at2 = b * (0x1.b0ee6072093cep-2 +
        b * (0x1.4a34cc4a60fa6p-2 - b * (0x1.13e001a557607p-4 - b * 0x1.51322ac7d8483p-6)));
    const double some = fm_sized(b) < 0x1p-8 ? at2 : fm_sized(a) < 0x1p-8 ? at1 : s - q;
    const double most = below ? q - s + part * 0x1p-1000 : some;
    return (float)(most + edge);
}
