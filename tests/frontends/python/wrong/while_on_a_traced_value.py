import funmem as fm


@fm.jit
def f(x):
    while x < 10:
        x = x * 2
    return x


f(1)
