-- Higher-order functions, identities and conversions.

-- | Function application: `x |> f` is `f x`.
def (|>) '^a '^b (x: a) (f: a -> b) : b = f x

-- | Function application: `f <| x` is `f x`.
def (<|) '^a '^b (f: a -> b) (x: a) : b = f x

-- | First `f`, then `g`.
def (>->) '^a '^b '^c (f: a -> b) (g: b -> c) (x: a) : c = g (f x)

-- | First `f`, then `g`, with `g` on the left.
def (<-<) '^a '^b '^c (g: b -> c) (f: a -> b) (x: a) : c = g (f x)

def id '^a (x: a) : a = x

def const '^a '^b (x: a) (_: b) : a = x

def flip '^a '^b '^c (f: a -> b -> c) (y: b) (x: a) : c = f x y

def curry 'a 'b '^c (f: (a, b) -> c) (x: a) (y: b) : c = f (x, y)

def uncurry 'a 'b '^c (f: a -> b -> c) (p: (a, b)) : c = f p.0 p.1

def not (x: bool) : bool = !x

-- | The n-fold application of `f`.
def iterate 'a (n: i32) (f: a -> a) (x: a) : a =
  loop x = x for _i < n do f x

-- | Applies `f` until `p` holds.
def iterate_until 'a (p: a -> bool) (f: a -> a) (x: a) : a =
  loop x = x while !(p x) do f x

-- | Applies `f` while `p` holds.
def iterate_while 'a (p: a -> bool) (f: a -> a) (x: a) : a =
  loop x = x while p x do f x

-- | The identity, as an optimisation barrier.
def opaque 't (x: t) : t = x

-- | The identity; nothing is printed.
def trace 't (x: t) : t = x

-- | The identity.
def break 't (x: t) : t = x

-- | Converts an i32 to single precision.
def r32 (x: i32) : f32 = f32.i32 x

-- | Converts single precision to an i32.
def t32 (x: f32) : i32 = i32.f32 x

-- | Converts an i32 to double precision.
def r64 (x: i32) : f64 = f64.i32 x

-- | Converts double precision to an i32.
def t64 (x: f64) : i32 = i32.f64 x
