import funmem as fm

kept = []


@fm.jit
def f(x):
    kept.append(x)
    return x


@fm.jit
def g(x):
    return x + kept[0]


f(1.0)


g(1.0)
