import funmem as fm


@fm.jit
def f(x):
    return fm.where(0 < x < 1, x, 0.0)


f(0.5)
