"""Whether an LMAD of integers has one address for each index: what a check at run time asks."""

from collections.abc import Sequence


def injective(lens: Sequence[int], strides: Sequence[int]) -> bool:
    """Whether no two indices ``0 <= i_k < lens[k]`` have one ``sum_k i_k * strides[k]``.

    Two indices of one address differ by d, ``abs(d_k) < lens[k]``, with ``sum_k d_k * strides[k]``
    zero.  With the largest strides first, only those d_k matter which the smaller strides can still
    make up for; where each stride exceeds the reach of the smaller ones, none but zero.  The
    helper ``sz_injective`` of the generated C does the same.
    """
    if min(lens, default=1) <= 0:
        return True
    pairs = [(abs(s), n - 1) for n, s in zip(lens, strides, strict=True) if n > 1]
    pairs.sort(reverse=True)
    reach = [sum(s * most for s, most in pairs[k:]) for k in range(len(pairs) + 1)]

    def meet(k: int, total: int) -> bool:
        """Whether d_k, … bring a total to zero, not all of them and the total being zero."""
        stride, most = pairs[k]
        first = 0 if total == 0 else max(-most, -((total + reach[k + 1]) // stride))
        last = min(most, (reach[k + 1] - total) // stride)
        for d in range(first, last + 1):
            new = total + d * stride
            if (new == 0 and total != 0) or (k + 1 < len(pairs) and meet(k + 1, new)):
                return True
        return False

    return all(s > 0 for s, _ in pairs) and not (pairs and meet(0, 0))
