import funmem as fm


@fm.jit
def f(x):
    return int(x) + 1


f(1.5)
