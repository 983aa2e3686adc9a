import funmem as fm


@fm.jit
def f(n):
    return sum(i for i in range(n))


f(3)
