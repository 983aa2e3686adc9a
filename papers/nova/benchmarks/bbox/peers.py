"""Peer implementations in numpy, numba and jax."""


def numpy_peer(xs, ys):
    return lambda: (xs.min(), ys.min(), xs.max(), ys.max())


def numba_peer(xs, ys):
    from numba import njit, prange

    @njit(parallel=True, fastmath=True)
    def box(xs, ys):
        left, low, right, high = xs[0], ys[0], xs[0], ys[0]
        for i in prange(len(xs)):
            left, right = min(left, xs[i]), max(right, xs[i])
            low, high = min(low, ys[i]), max(high, ys[i])
        return left, low, right, high

    return lambda: box(xs, ys)


def jax_peer(xs, ys):
    import jax

    box = jax.jit(lambda xs, ys: (xs.min(), ys.min(), xs.max(), ys.max()))
    args = jax.device_put((xs, ys))
    return lambda: jax.block_until_ready(box(*args))
