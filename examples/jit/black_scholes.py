"""4. Prices of European options; ``normcdf`` is called twice and compiled once."""

import numpy as np

import funmem as fm

COEFFICIENTS = (1.330274429, -1.821255978, 1.781477937, -0.356563782, 0.319381530)


@fm.jit
def normcdf(x):
    k = 1.0 / (1.0 + 0.2316419 * abs(x))
    p = 0.0
    for c in COEFFICIENTS:  # a Python loop: unrolled
        p = (p + c) * k
    w = 1.0 - 0.3989423 * np.exp(-x * x / 2.0) * p
    return fm.where(x < 0, 1.0 - w, w)


@fm.jit
def call_price(price, strike, years, rate, volatility):
    deviation = volatility * np.sqrt(years)
    d1 = (np.log(price / strike) + (rate + volatility**2 / 2.0) * years) / deviation
    d2 = d1 - deviation
    return price * normcdf(d1) - strike * np.exp(-rate * years) * normcdf(d2)


if __name__ == "__main__":
    prices = np.linspace(80, 120, 5, dtype=np.float32)
    print(call_price(prices, 100.0, 1.0, 0.05, 0.2))
