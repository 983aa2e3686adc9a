import funmem as fm


@fm.jit
def f(x):
    return fm.cond(x > 0, lambda: x, lambda: (x, x))


f(1.0)
