import funmem as fm


@fm.jit
def f(x, y):
    return fm.where(x > 0 and y > 0, x, y)


f(1, 2)
