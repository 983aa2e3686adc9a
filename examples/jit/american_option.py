"""An American put option by a binomial tree; the loop's array loses one element in each step."""

import numpy as np

import funmem as fm


@fm.jit
def put(
    steps: fm.i64,
    spot: fm.f64,
    strike: fm.f64,
    rate: fm.f64,
    volatility: fm.f64,
    years: fm.f64,
):
    """Return the price of an option that may be exercised at each of the steps."""
    fm.require(steps > 0, "a tree has at least one step, not {}", steps)
    dt = years / steps
    width = volatility * np.sqrt(dt)
    up, growth = np.exp(width), np.exp(rate * dt)
    p = (growth - 1 / up) / (up - 1 / up)
    rise, fall = p / growth, (1 - p) / growth
    gains = strike - spot * np.exp(width * fm.arange(-steps, steps + 1))

    def step(_, prices):
        n = prices.shape[0] - 1
        own = fm.build(n, lambda k: gains[steps - n + 1 + 2 * k])
        return np.maximum(own, rise * prices[1:] + fall * prices[:-1])

    last = fm.build(steps + 1, lambda k: np.maximum(0, gains[2 * k]))
    return fm.loop(steps, step, last)[0]


if __name__ == "__main__":
    print(put(100, 100.0, 110.0, 0.05, 0.3, 1.0))
