import funmem as fm


@fm.jit
def f(x):
    fm.require(x > 0, "x is {}, not positive", x)
    return x


f(-1)
