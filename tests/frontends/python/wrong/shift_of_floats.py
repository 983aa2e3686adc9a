import funmem as fm


@fm.jit
def f(x):
    return x << 1


f(1.0)
