import funmem as fm


@fm.jit
def f(x):
    return x


f(["a", "b"])
