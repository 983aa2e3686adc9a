"""Black-Scholes and the sort in OpenCL C: the comparison of paper 003 with code by hand."""

import numpy as np

import funmem as fm

SOURCE = """
inline float cumulative(float d) {
    const float k = 1 / (1 + 0.2316419f * fabs(d));
    const float p = k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f
                    + k * (-1.821255978f + k * 1.330274429f))));
    const float tail = 0.39894228f * exp(-0.5f * d * d) * p;
    return d > 0 ? 1 - tail : tail;
}
void prices(float rate, float volatility, float spot, float strike, float years,
            float *call, float *put) {
    const float width = volatility * sqrt(years);
    const float d1 = (log(spot / strike) + (rate + 0.5f * volatility * volatility) * years) / width;
    const float discounted = strike * exp(-rate * years);
    const float value = spot * cumulative(d1) - discounted * cumulative(d1 - width);
    *call = value;
    *put = value - spot + discounted;
}
"""


def cumulative(d):
    k = 1 / (1 + 0.2316419 * abs(d))
    p = 0.0
    for c in (1.330274429, -1.821255978, 1.781477937, -0.356563782, 0.31938153):
        p = k * (c + p)
    tail = 0.39894228 * np.exp(-0.5 * d * d) * p
    return 1 - tail if d > 0 else tail


def reference(rate, volatility, spot, strike, years):
    """Return the prices of a call and a put, for interpreters."""
    width = volatility * np.sqrt(years)
    d1 = (np.log(spot / strike) + (rate + 0.5 * volatility * volatility) * years) / width
    discounted = strike * np.exp(-rate * years)
    call = spot * cumulative(d1) - discounted * cumulative(d1 - width)
    return call, call - spot + discounted


prices = fm.opencl(SOURCE, "f32, f32, f32, f32, f32 -> (f32, f32)", reference=reference)


@fm.jit
def black_scholes(
    rate: fm.f32,
    volatility: fm.f32,
    spots: fm.f32["n"],
    strikes: fm.f32["n"],
    years: fm.f32["n"],
):
    return fm.map(lambda s, k, t: prices(rate, volatility, s, k, t), spots, strikes, years)


SORT = """
void split(long n, __global const uint *xs, __global uint *sorted, __global uint *other) {
    for (long i = 0; i < n; i++)
        sorted[i] = xs[i];
    __global uint *from = sorted, *to = other;
    for (int bit = 0; bit < 32; bit++) {
        long at[2] = {0, 0};
        for (long i = 0; i < n; i++)
            at[1] += ~from[i] >> bit & 1;
        for (long i = 0; i < n; i++)
            to[at[from[i] >> bit & 1]++] = from[i];
        __global uint *swap = from;
        from = to, to = swap;
    }
}
"""

split = fm.opencl(
    SORT, "u32[n] -> (u32[n], u32[n])", reference=lambda xs: (np.sort(xs), np.zeros_like(xs))
)


@fm.jit
def sort(xs: fm.u32["n"]):
    return split(xs)[0]
