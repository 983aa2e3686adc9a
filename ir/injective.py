"""Injectivity of an LMAD of integers, as run-time checks decide it."""

from collections.abc import Sequence


def injective(lens: Sequence[int], strides: Sequence[int]) -> bool:
    """True if no two indices ``0 <= i_k < lens[k]`` have the same ``sum_k i_k * strides[k]``.

    Two indices with the same address differ by a nonzero d with ``abs(d_k) < lens[k]`` and
    ``sum_k d_k * strides[k]`` zero.  The search chooses d_k for the largest strides first and
    keeps only values that the smaller strides can still cancel.  Where each stride exceeds the
    reach of the smaller ones, zero is the only such value.  The helper ``sz_injective`` of the
    generated C does the same.
    """
    if min(lens, default=1) <= 0:
        return True
    pairs = [(abs(s), n - 1) for n, s in zip(lens, strides, strict=True) if n > 1]
    pairs.sort(reverse=True)
    reach = [sum(s * most for s, most in pairs[k:]) for k in range(len(pairs) + 1)]

    def meet(k: int, total: int) -> bool:
        """True if a nonzero d_k, … or a nonzero total can be cancelled to zero."""
        stride, most = pairs[k]
        first = 0 if total == 0 else max(-most, -((total + reach[k + 1]) // stride))
        last = min(most, (reach[k + 1] - total) // stride)
        for d in range(first, last + 1):
            new = total + d * stride
            if (new == 0 and total != 0) or (k + 1 < len(pairs) and meet(k + 1, new)):
                return True
        return False

    return all(s > 0 for s, _ in pairs) and not (pairs and meet(0, 0))
