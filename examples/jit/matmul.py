"""3. The product of two matrices, as a map in a map; ``a @ b`` is the same."""

import numpy as np

import funmem as fm


@fm.jit
def matmul(a: fm.f32["n", "k"], b: fm.f32["k", "m"]):
    return fm.map(lambda r: fm.map(lambda c: (r * c).sum(), b.T), a)


@fm.jit
def product(a: fm.f32["n", "k"], b: fm.f32["k", "m"]):
    return a @ b


if __name__ == "__main__":
    a = np.arange(6, dtype=np.float32).reshape(2, 3)
    print(matmul(a, a.T.copy()))
