import funmem as fm


@fm.jit
def f(x):
    return fm.zeros(-3) + x


f(1.0)
