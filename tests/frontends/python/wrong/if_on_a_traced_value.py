import funmem as fm


@fm.jit
def f(x):
    if x > 0:
        return x
    return -x


f(1.0)
