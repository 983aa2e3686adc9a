import funmem as fm


@fm.jit
def f(n):
    return fm.loop(n, lambda i, s: (s, s), 1.0)


f(3)
