"""The Black-Scholes formula, one option at a time, with the error function of Python's library."""

import math

import numpy as np
from numpy.typing import NDArray

F64 = NDArray[np.float64]

SIZES = (0, 1, 5, 100)
RTOL = 1e-9


def inputs(n: int, seed: int) -> tuple[np.float64, np.float64, F64, F64, F64]:
    """Return rate and volatility; spots, strikes and years of n options."""
    rng = np.random.default_rng(seed)
    spots, strikes, years = rng.uniform(50, 150, n), rng.uniform(50, 150, n), rng.uniform(0.1, 3, n)
    return np.float64(rng.uniform(0, 0.1)), np.float64(rng.uniform(0.1, 0.5)), spots, strikes, years


def cumulative(x: float) -> float:
    """Return the standard normal distribution."""
    return 0.5 * math.erfc(-x / math.sqrt(2))


def call(rate: float, volatility: float, spot: float, strike: float, years: float) -> float:
    """Return the price of a call."""
    width = volatility * math.sqrt(years)
    d1 = (math.log(spot / strike) + (rate + 0.5 * volatility**2) * years) / width
    return spot * cumulative(d1) - strike * math.exp(-rate * years) * cumulative(d1 - width)


def reference(
    rate: np.float64, volatility: np.float64, spots: F64, strikes: F64, years: F64
) -> tuple[F64, F64]:
    """Return the prices of calls and puts."""
    options = zip(spots, strikes, years, strict=True)
    calls = np.array([call(rate, volatility, *option) for option in options], np.float64)
    return calls, calls - spots + strikes * np.exp(-rate * years)
