import funmem as fm


@fm.jit
def f(x):
    return fm.cond(x, lambda: 1, lambda: 2)


f(3)
