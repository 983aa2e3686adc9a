import funmem as fm


@fm.jit
def f(x):
    return float(x)


f(1)
