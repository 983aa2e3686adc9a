import funmem as fm


@fm.jit
def f(x, y):
    return max(x, y)


f(1, 2)
