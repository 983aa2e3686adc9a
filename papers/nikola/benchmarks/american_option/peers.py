"""Peer implementations in numpy, numba and jax: the same tree."""

import numpy as np


def tree(steps, spot, strike, rate, volatility, years):
    """Return the factors of a rise and a fall, and what exercising gains."""
    n = int(steps)
    dt = years / n
    up, growth = np.exp(volatility * np.sqrt(dt)), np.exp(rate * dt)
    p = (growth - 1 / up) / (up - 1 / up)
    gains = strike - spot * np.exp(volatility * np.sqrt(dt) * np.arange(-n, n + 1))
    return n, p / growth, (1 - p) / growth, gains


def numpy_peer(*args):
    def run():
        n, rise, fall, gains = tree(*args)
        prices = np.maximum(0, gains[::2])
        for i in range(n - 1, -1, -1):
            own = gains[n - i : n + i + 1 : 2]
            prices = np.maximum(own, rise * prices[1:] + fall * prices[:-1])
        return (prices[0],)

    return run


def numba_peer(*args):
    from numba import njit

    @njit(fastmath=True)
    def price(n, rise, fall, gains):
        prices = np.maximum(0.0, gains[::2])
        for i in range(n - 1, -1, -1):
            for k in range(i + 1):
                later = rise * prices[k + 1] + fall * prices[k]
                prices[k] = max(gains[n - i + 2 * k], later)
        return prices[0]

    return lambda: (np.float64(price(*tree(*args))),)


def jax_peer(*args):
    import jax
    import jax.numpy as jnp

    jax.config.update("jax_enable_x64", True)
    n, *_ = tree(*args)

    def price(rise, fall, gains):
        def step(j, prices):
            i = n - 1 - j
            own = gains[jnp.minimum(n - i + 2 * jnp.arange(n), 2 * n)]
            later = jnp.maximum(own, rise * prices[1:] + fall * prices[:-1])
            return prices.at[:-1].set(later)

        return (jax.lax.fori_loop(0, n, step, jnp.maximum(0.0, gains[::2]))[0],)

    compiled = jax.jit(price)
    return lambda: jax.block_until_ready(compiled(*tree(*args)[1:]))
