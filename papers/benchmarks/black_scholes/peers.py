"""Peer implementations in numpy, numba and jax."""

import math

import numpy as np

COEFFICIENTS = (1.330274429, -1.821255978, 1.781477937, -0.356563782, 0.31938153)


def prices(xp, rate, volatility, spots, strikes, years):
    """Return the prices, computed on whole arrays; ``xp`` is numpy or jax.numpy."""
    f = np.float32

    def cumulative(d):
        k = 1 / (1 + f(0.2316419) * xp.abs(d))
        p = k * f(COEFFICIENTS[0])
        for c in COEFFICIENTS[1:]:
            p = k * (f(c) + p)
        tail = f(0.39894228) * xp.exp(f(-0.5) * d * d) * p
        return xp.where(d > 0, 1 - tail, tail)

    width = volatility * xp.sqrt(years)
    drift = (rate + f(0.5) * volatility * volatility) * years
    d1 = (xp.log(spots / strikes) + drift) / width
    discounted = strikes * xp.exp(-rate * years)
    call = spots * cumulative(d1) - discounted * cumulative(d1 - width)
    return call, call - spots + discounted


def numpy_peer(*args):
    return lambda: prices(np, *args)


def numba_peer(rate, volatility, spots, strikes, years):
    from numba import njit, prange

    f = np.float32
    a, b, c, d, e = map(f, COEFFICIENTS)
    one, half, scale, spread = f(1), f(0.5), f(0.39894228), f(0.2316419)

    @njit(fastmath=True)
    def cumulative(x):
        k = one / (one + spread * abs(x))
        p = k * (e + k * (d + k * (c + k * (b + k * a))))
        tail = scale * math.exp(-half * x * x) * p
        return one - tail if x > 0 else tail

    @njit(parallel=True, fastmath=True)
    def price(rate, volatility, spots, strikes, years, calls, puts):
        for i in prange(len(spots)):
            s, k, t = spots[i], strikes[i], years[i]
            width = volatility * math.sqrt(t)
            d1 = (math.log(s / k) + (rate + half * volatility * volatility) * t) / width
            discounted = k * math.exp(-rate * t)
            call = s * cumulative(d1) - discounted * cumulative(d1 - width)
            calls[i] = call
            puts[i] = call - s + discounted

    out = np.empty_like(spots), np.empty_like(spots)
    return lambda: (price(rate, volatility, spots, strikes, years, *out), out)[1]


def jax_peer(*args):
    import jax

    given = jax.device_put(args)
    price = jax.jit(lambda *args: prices(jax.numpy, *args))
    return lambda: jax.block_until_ready(price(*given))
