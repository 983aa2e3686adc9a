import funmem as fm


@fm.jit
def f(x):
    return x * 1j


f(1.0)
