"""An American put option by a binomial tree, node by node."""

import numpy as np

SIZES = (1, 2, 60)
MEASURE = 1 << 11
RTOL = 1e-9

Arguments = tuple[np.int64, np.float64, np.float64, np.float64, np.float64, np.float64]


def inputs(n: int, seed: int) -> Arguments:
    """Return the number of steps, and an option: spot, strike, rate, volatility, years."""
    spot = 80 + 40 * np.random.default_rng(seed).random()
    option = spot, 110.0, 0.05, 0.3, 1.0
    return (np.int64(n), *map(np.float64, option))  # type: ignore[return-value]


def reference(
    steps: np.int64,
    spot: np.float64,
    strike: np.float64,
    rate: np.float64,
    volatility: np.float64,
    years: np.float64,
) -> tuple[np.float64]:
    """Return the price of the option."""
    n = int(steps)
    dt = years / n
    width = volatility * np.sqrt(dt)
    up, growth = np.exp(width), np.exp(rate * dt)
    p = (growth - 1 / up) / (up - 1 / up)
    price = np.maximum(0, strike - spot * np.exp(width * (2 * np.arange(n + 1) - n)))
    for i in range(n - 1, -1, -1):
        now = strike - spot * np.exp(width * (2 * np.arange(i + 1) - i))
        price = np.maximum(now, (p * price[1:] + (1 - p) * price[:-1]) / growth)
    return (np.float64(price[0]),)
