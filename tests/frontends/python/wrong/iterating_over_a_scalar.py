import funmem as fm


@fm.jit
def f(x):
    return sum(x)


f(1.0)
