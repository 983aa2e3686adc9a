"""Peer implementations in numpy, numba and jax."""

import numpy as np

ROW, COLUMN, AIR, AMBIENT, HEATING = (np.float32(x) for x in (0.15, 0.2, 0.01, 80, 0.5))


def numpy_peer(steps, t, power):
    def run():
        now = np.pad(t, 1, mode="edge")
        new = np.empty_like(now)
        part, sums = np.empty_like(t), np.empty_like(t)
        for _ in range(steps):
            here = now[1:-1, 1:-1]
            np.multiply(here, np.float32(-2), out=part)
            part += now[:-2, 1:-1]
            part += now[2:, 1:-1]
            np.multiply(part, COLUMN, out=sums)
            np.multiply(here, np.float32(-2), out=part)
            part += now[1:-1, :-2]
            part += now[1:-1, 2:]
            part *= ROW
            sums += part
            np.subtract(AMBIENT, here, out=part)
            part *= AIR
            sums += part
            np.multiply(power, HEATING, out=part)
            sums += part
            np.add(here, sums, out=new[1:-1, 1:-1])
            new[0], new[-1] = new[1], new[-2]
            new[:, 0], new[:, -1] = new[:, 1], new[:, -2]
            now, new = new, now
        return (now[1:-1, 1:-1],)

    return run


def numba_peer(steps, t, power):
    from numba import njit, prange

    @njit(parallel=True)
    def step(t, power, out):
        n, m = t.shape
        for i in prange(n):
            up, down = max(i - 1, 0), min(i + 1, n - 1)
            for j in range(m):
                left, right = max(j - 1, 0), min(j + 1, m - 1)
                x = t[i, j]
                out[i, j] = (
                    x
                    + COLUMN * (t[up, j] + t[down, j] - np.float32(2) * x)
                    + ROW * (t[i, left] + t[i, right] - np.float32(2) * x)
                    + AIR * (AMBIENT - x)
                    + HEATING * power[i, j]
                )

    spare = (np.empty_like(t), np.empty_like(t))

    def run():
        now = t
        for k in range(steps):
            step(now, power, spare[k % 2])
            now = spare[k % 2]
        return (now,)

    return run


def jax_peer(steps, t, power):
    import jax
    import jax.numpy as jnp

    def step(_, t):
        p = jnp.pad(t, 1, mode="edge")
        return (
            t
            + COLUMN * (p[:-2, 1:-1] + p[2:, 1:-1] - 2 * t)
            + ROW * (p[1:-1, :-2] + p[1:-1, 2:] - 2 * t)
            + AIR * (AMBIENT - t)
            + HEATING * args[1]
        )

    args = jax.device_put((t, power))
    simulate = jax.jit(lambda t: (jax.lax.fori_loop(0, int(steps), step, t),))
    return lambda: jax.block_until_ready(simulate(args[0]))
