"""Listing 2 of paper 003: Black-Scholes call options, in Python."""

import math

import numpy as np

import funmem as fm

COEFFICIENTS = (0.0, 0.31938153, -0.356563782, 1.781477937, -1.821255978, 1.330274429)
RATE, VOLATILITY = 0.02, 0.30


@fm.jit
def blackscholes(ss: fm.f32["n"], xs: fm.f32["n"], ts: fm.f32["n"]):
    """Return the prices of options: stock prices, strikes, years."""
    return fm.map(lambda s, x, t: blackscholes1(s, x, t, RATE, VOLATILITY), ss, xs, ts)


def blackscholes1(s, x, t, r, v):
    d1 = (np.log(s / x) + (r + v * v / 2) * t) / (v * np.sqrt(t))
    d2 = d1 - v * np.sqrt(t)
    return s * normcdf(d1) - x * np.exp(-r * t) * normcdf(d2)


@fm.jit
def normcdf(x):
    size = abs(x)
    k = 1.0 / (1.0 + 0.2316419 * size)
    tail = 1.0 / math.sqrt(2.0 * math.pi) * np.exp(-size * size / 2.0) * horner(COEFFICIENTS, k)
    w = 1.0 - tail
    return fm.where(x < 0, 1.0 - w, w)


def horner(coefficients, x):
    value = coefficients[-1]
    for c in reversed(coefficients[:-1]):
        value = value * x + c
    return value
