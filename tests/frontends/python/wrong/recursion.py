import funmem as fm


@fm.jit
def f(n):
    return fm.cond(n < 1, lambda: 1, lambda: n * f(n - 1))


f(3)
