import funmem as fm


@fm.jit
def f(x):
    return object()


f(1.0)
