"""The radix sort of paper 003 (section 6, after Blelloch 1990): a scan and a scatter a bit."""

import funmem as fm


@fm.jit
def sort(xs: fm.u32["n"]) -> fm.u32["n"]:
    n = xs.shape[0]

    def split(bit, xs):
        ones = fm.i64((xs >> fm.u32(bit)) & 1)
        upto = ones.cumsum()
        zeros = fm.cond(n == 0, lambda: 0, lambda: n - upto[n - 1])
        at = fm.where(ones == 1, zeros + upto - 1, fm.arange(n) - upto)
        return fm.scatter(fm.zeros(n, fm.u32), at, xs)

    return fm.loop(32, split, xs)
