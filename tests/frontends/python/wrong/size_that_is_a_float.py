import funmem as fm


@fm.jit
def f(x):
    return fm.zeros(x * 2.0)


f(3)
