"""13. A chain of matrices, multiplied in the order that costs least.

With constant sizes the order is decided while the function is traced: ``a.shape`` are Python
integers then.  With unknown sizes the products are made from left to right.
"""

from functools import cache
from itertools import pairwise

import numpy as np

import funmem as fm


def order(sizes):
    """Return the cheapest tree of products: an index, or a pair of trees."""

    @cache
    def best(i, j):
        if j - i == 1:
            return 0, i
        costs = []
        for k in range(i + 1, j):
            (left, a), (right, b) = best(i, k), best(k, j)
            costs.append((left + right + sizes[i] * sizes[k] * sizes[j], (a, b)))
        return min(costs, key=lambda c: c[0])

    return best(0, len(sizes) - 1)[1]


def multiplied(tree, matrices):
    if isinstance(tree, int):
        return matrices[tree]
    return multiplied(tree[0], matrices) @ multiplied(tree[1], matrices)


@fm.jit
def chain(a, b, c, d):
    matrices = a, b, c, d
    sizes = (*(m.shape[0] for m in matrices), d.shape[1])
    if all(isinstance(n, int) for n in sizes):
        return multiplied(order(sizes), matrices)
    return a @ b @ c @ d


def specialised(*sizes):
    """Return the variant for four matrices of these constant sizes."""
    return chain.lower(*(fm.f32[n, m] for n, m in pairwise(sizes)))


if __name__ == "__main__":
    low = specialised(10, 100, 5, 50, 1)
    print(low.signature)
    matrices = [np.ones(s, np.float32) for s in ((10, 100), (100, 5), (5, 50), (50, 1))]
    print(low.compile()(*matrices)[0])
