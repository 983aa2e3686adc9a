/* ---- inverse trigonometric functions of double, and roots */

/* arctan z - z for |z| <= 7/16. */
static inline double fm_at_rest(double z)
{
    const double s = z * z;
    double p = 0x1.e4167464d3de8p-7;
    p = -0x1.0f62bba6a2558p-5 + s * p;
    p = 0x1.7001816fd063fp-5 + s * p;
    p = -0x1.ab59b417b2d3fp-5 + s * p;
    p = 0x1.e170800a46210p-5 + s * p;
    p = -0x1.110c9ce7b0572p-4 + s * p;
    p = 0x1.3b1375ce5bdc6p-4 + s * p;
    p = -0x1.745d154c84f7ap-4 + s * p;
    p = 0x1.c71c71bd2b8bcp-4 + s * p;
    p = -0x1.2492492485503p-3 + s * p;
    p = 0x1.99999999998c5p-3 + s * p;
    return z * s * (-0x1.5555555555555p-2 + s * p);
}

/* The angle of (x, y) in the first quadrant, or of (-x, y) if `left`: atan z and a multiple of
   pi/4, of which `low` is the error.  Not both are zero or infinite. */
static inline double fm_angle(double y, double x, bool left)
{
    const bool flat = y <= x * 0x1.a827999fcef32p-2, steep = x < y * 0x1.a827999fcef32p-2;
    const double above = steep ? -x : flat ? y : y - x, below = steep ? y : flat ? x : y + x;
    const double quarter = above / below, z = left ? -quarter : quarter;
    const double far = left ? 0x1.921fb54442d18p+1 : 0.0;
    const double far_low = left ? 0x1.1a62633145c07p-53 : 0.0;
    const double middle = left ? 0x1.2d97c7f3321d2p+1 : 0x1.921fb54442d18p-1;
    const double middle_low = left ? 0x1.a79394c9e8a0ap-54 : 0x1.1a62633145c07p-55;
    const double base = steep ? 0x1.921fb54442d18p+0 : flat ? far : middle;
    const double low = steep ? 0x1.1a62633145c07p-54 : flat ? far_low : middle_low;
    return base + (z + (fm_at_rest(z) + low));
}

static inline double fm_atand(double x)
{
    return x == x ? fm_signedd(fm_angle(fm_sized(x), 1.0, false), x) : x;
}

/* The angle of the point (x, y), as C99 has it for zeros, infinities and signs. */
static inline double fm_atan2d(double y, double x)
{
    const double a = fm_sized(y), b = fm_sized(x), high = a < b ? b : a;
    const double scale = high > 0x1p1000 ? 0x1p-60 : high < 0x1p-900 ? 0x1p100 : 1.0;
    const bool far = a == INFINITY && b == INFINITY;
    const double u = far ? 1.0 : a * scale, v = far || high == 0.0 ? 1.0 : b * scale;
    const double angle = fm_angle(u, v, (as_ulong(x) & 0x8000000000000000UL) != 0UL);
    return x == x && y == y ? fm_signedd(angle, y) : NAN;
}

/* (arcsin x) / x - 1 for x^2 = z <= 1/4. */
static inline double fm_as_rest(double z)
{
    double p = 0x1.d72b2bc8155f8p-6;
    p = -0x1.e6aaa8a0a04ccp-7 + z * p;
    p = 0x1.1d189408314eep-6 + z * p;
    p = 0x1.65a9c4dfcf8b2p-8 + z * p;
    p = 0x1.52420b04b37bep-7 + z * p;
    p = 0x1.782651caa6547p-7 + z * p;
    p = 0x1.c9cf07674736ap-7 + z * p;
    p = 0x1.1c4d35cf95421p-6 + z * p;
    p = 0x1.6e8bb1c8209a2p-6 + z * p;
    p = 0x1.f1c71c1db0623p-6 + z * p;
    p = 0x1.6db6db6e31f13p-5 + z * p;
    p = 0x1.3333333332ecap-4 + z * p;
    return z * (0x1.5555555555556p-3 + z * p);
}

/* sqrt w for w <= 1/4 as a sum of 26 bits, which it returns, and the rest. */
static inline double fm_root_sum(double w, double *low)
{
    const double s = FM_ROOT(w), h = fm_head(s);
    *low = w > 0.0 ? (w - h * h) / (s + h) : 0.0;
    return h;
}

static inline double fm_asind(double x)
{
    const double a = fm_sized(x);
    const bool near = a < 0.5;
    const double w = 0.5 * (1.0 - a), z = near ? x * x : w < 0.0 ? 0.0 : w, p = fm_as_rest(z);
    double low;
    const double h = fm_root_sum(z, &low), quarter = 0x1.921fb54442d18p-1; /* pi/4 */
    const double end = 2.0 * (h + low) * p - (0x1.1a62633145c07p-54 - 2.0 * low);
    const double far = quarter - (end - (quarter - 2.0 * h));
    return near ? x + x * p : a <= 1.0 ? fm_signedd(far, x) : NAN;
}

static inline double fm_acosd(double x)
{
    const double a = fm_sized(x);
    const bool near = a < 0.5;
    const double w = 0.5 * (1.0 - a), z = near ? x * x : w < 0.0 ? 0.0 : w, p = fm_as_rest(z);
    double low;
    const double h = fm_root_sum(z, &low);
    const double middle = 0x1.921fb54442d18p+0, middle_low = 0x1.1a62633145c07p-54;
    const double close = middle - (x - (middle_low - x * p)), rest = (h + low) * p + low;
    const double right = 2.0 * (h + rest), left = 2.0 * middle - 2.0 * (h + (rest - middle_low));
    return near ? close : a <= 1.0 ? (x < 0.0 ? left : right) : NAN;
}

/* a^(-1/3) and a third of the bits of a: y (1 - h)^(-1/3) with h = 1 - a y^3, by its series. */
static inline double fm_cbrtd(double x)
{
    const double size = fm_sized(x);
    const bool small = size < 0x1p-1022;
    const double a = size > 0.0 && size < INFINITY ? (small ? size * 0x1p54 : size) : 1.0;
    const double third = fm_small(as_ulong(a) >> 32) * (1.0 / 3);
    double y = as_double(as_ulong(0x1p52 + (0x553eea00p0 - third)) << 32);
    double h = 1.0 - a * y * y * y;
    y = y + y * h * (1.0 / 3 + h * (2.0 / 9 + h * (14.0 / 81)));
    h = 1.0 - a * y * y * y;
    y = y + y * h * (1.0 / 3 + h * (2.0 / 9 + h * (14.0 / 81)));
    const double t = fm_head(a * y * y), s = t * t, s1 = fm_head(s); /* a = t^3 + … */
    const double d = ((a - s1 * t) - (s - s1) * t) * (y * y) * (1.0 / 3);
    const double root = (t + (d + d * d * y)) * (small ? 0x1p-18 : 1.0);
    return size > 0.0 && size < INFINITY ? fm_signedd(root, x) : x;
}

static inline double fm_hypotd(double x, double y)
{
    const double a = fm_sized(x), b = fm_sized(y), high = a < b ? b : a;
    const double scale = high > 0x1p500 ? 0x1p-600 : high < 0x1p-400 ? 0x1p600 : 1.0;
    const double back = high > 0x1p500 ? 0x1p600 : high < 0x1p-400 ? 0x1p-600 : 1.0;
    const double u = high * scale, v = (a < b ? a : b) * scale, u1 = fm_head(u), u2 = u - u1;
    const double uu = u * u, vv = v * v, sum = uu + vv;
    const double low = (vv - (sum - uu)) + (((u1 * u1 - uu) + 2.0 * u1 * u2) + u2 * u2);
    const double root = FM_ROOT(sum), all = root + (sum > 0.0 ? low / (root + root) : 0.0);
    return a == INFINITY || b == INFINITY ? INFINITY : all * back;
}
