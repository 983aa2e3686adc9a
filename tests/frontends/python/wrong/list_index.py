import funmem as fm


@fm.jit
def f(i):
    return [1.0, 2.0, 3.0][i]


f(1)
