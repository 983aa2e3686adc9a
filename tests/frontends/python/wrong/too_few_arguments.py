import funmem as fm


@fm.jit
def f(x, y):
    return x + y


f(1.0)
