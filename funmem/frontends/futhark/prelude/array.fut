-- Array construction, decomposition and reshaping.

def length [n] 't (_: [n]t) : i64 = n

def null [n] 't (_: [n]t) : bool = n == 0

def head [n] 't (x: [n]t) : t = x[0]

def last [n] 't (x: [n]t) : t = x[n - 1]

def tail [n] 't (x: [n]t) : [n - 1]t = x[1:] :> [n - 1]t

def init [n] 't (x: [n]t) : [n - 1]t = x[0:n - 1] :> [n - 1]t

def take [n] 't (i: i64) (x: [n]t) : [i]t = x[0:i] :> [i]t

def drop [n] 't (i: i64) (x: [n]t) : [n - i]t = x[i:] :> [n - i]t

def split [n] [m] 't (xs: [n + m]t) : ([n]t, [m]t) =
  (xs[0:n] :> [n]t, xs[n:n + m] :> [m]t)

def reverse [n] 't (x: [n]t) : [n]t = intrinsics.reverse x

def rotate [n] 't (r: i64) (xs: [n]t) : *[n]t =
  intrinsics.map (\i -> xs[(i + r) % n]) (intrinsics.iota n)

def concat [n] [m] 't (xs: [n]t) (ys: [m]t) : *[n + m]t = intrinsics.concat xs ys

def (++) [n] [m] 't (xs: [n]t) (ys: [m]t) : *[n + m]t = intrinsics.concat xs ys

def concat_to [n] [m] 't (k: i64) (xs: [n]t) (ys: [m]t) : *[k]t =
  intrinsics.concat xs ys :> [k]t

def sized 't (n: i64) (x: []t) : [n]t = x :> [n]t

def replicate 't (n: i64) (x: t) : *[n]t = intrinsics.replicate n x

def rep 't [n] (x: t) : *[n]t = intrinsics.replicate n x

def copy 't (x: t) : *t = intrinsics.copy x

def manifest 't (x: t) : *t = intrinsics.copy x

def iota (n: i64) : *[n]i64 = intrinsics.iota n

def indices [n] 't (_: [n]t) : *[n]i64 = intrinsics.iota n

def tabulate 't (n: i64) (f: i64 -> t) : *[n]t =
  intrinsics.map f (intrinsics.iota n)

def tabulate_2d 't (n: i64) (m: i64) (f: i64 -> i64 -> t) : *[n][m]t =
  intrinsics.map (\i -> intrinsics.map (f i) (intrinsics.iota m)) (intrinsics.iota n)

def tabulate_3d 't (n: i64) (m: i64) (o: i64) (f: i64 -> i64 -> i64 -> t) : *[n][m][o]t =
  intrinsics.map (\i -> tabulate_2d m o (f i)) (intrinsics.iota n)

def transpose [n] [m] 't (x: [n][m]t) : [m][n]t = intrinsics.transpose x

def flatten [n] [m] 't (x: [n][m]t) : [n * m]t = intrinsics.flatten x

def flatten_3d [n] [m] [l] 't (x: [n][m][l]t) : [n * m * l]t =
  intrinsics.flatten (intrinsics.flatten x)

def flatten_4d [n] [m] [l] [k] 't (x: [n][m][l][k]t) : [n * m * l * k]t =
  intrinsics.flatten (flatten_3d x)

def unflatten [n] [m] 't (x: [n * m]t) : [n][m]t = intrinsics.unflatten x

def unflatten_3d [n] [m] [l] 't (x: [n * m * l]t) : [n][m][l]t =
  unflatten (unflatten x)

def unflatten_4d [n] [m] [l] [k] 't (x: [n * m * l * k]t) : [n][m][l][k]t =
  unflatten (unflatten_3d x)

def zip [n] 'a 'b (as: [n]a) (bs: [n]b) : *[n](a, b) = intrinsics.zip2 as bs

def zip2 [n] 'a 'b (as: [n]a) (bs: [n]b) : *[n](a, b) = intrinsics.zip2 as bs

def zip3 [n] 'a 'b 'c (as: [n]a) (bs: [n]b) (cs: [n]c) : *[n](a, b, c) =
  intrinsics.zip3 as bs cs

def zip4 [n] 'a 'b 'c 'd (as: [n]a) (bs: [n]b) (cs: [n]c) (ds: [n]d) : *[n](a, b, c, d) =
  intrinsics.zip4 as bs cs ds

def zip5 [n] 'a 'b 'c 'd 'e (as: [n]a) (bs: [n]b) (cs: [n]c) (ds: [n]d) (es: [n]e) : *[n](a, b, c, d, e) =
  intrinsics.zip5 as bs cs ds es

def unzip [n] 'a 'b (xs: [n](a, b)) : ([n]a, [n]b) = intrinsics.unzip2 xs

def unzip2 [n] 'a 'b (xs: [n](a, b)) : ([n]a, [n]b) = intrinsics.unzip2 xs

def unzip3 [n] 'a 'b 'c (xs: [n](a, b, c)) : ([n]a, [n]b, [n]c) = intrinsics.unzip3 xs

def unzip4 [n] 'a 'b 'c 'd (xs: [n](a, b, c, d)) : ([n]a, [n]b, [n]c, [n]d) =
  intrinsics.unzip4 xs

def unzip5 [n] 'a 'b 'c 'd 'e (xs: [n](a, b, c, d, e)) : ([n]a, [n]b, [n]c, [n]d, [n]e) =
  intrinsics.unzip5 xs

-- | Element i is `as[offset + i * s]`.
def flat_index_1d 'a [k] (as: [k]a) (offset: i64) (n: i64) (s: i64) : [n]a =
  intrinsics.flat_index_1d as offset n s

def flat_index_2d 'a [k] (as: [k]a) (offset: i64) (n: i64) (s: i64) (m: i64) (t: i64) : [n][m]a =
  intrinsics.flat_index_2d as offset n s m t

def flat_index_3d 'a [k] (as: [k]a) (offset: i64) (n: i64) (s: i64) (m: i64) (t: i64) (l: i64) (u: i64) : [n][m][l]a =
  intrinsics.flat_index_3d as offset n s m t l u

def flat_index_4d 'a [k] (as: [k]a) (offset: i64) (n: i64) (s: i64) (m: i64) (t: i64) (l: i64) (u: i64) (p: i64) (v: i64) : [n][m][l][p]a =
  intrinsics.flat_index_4d as offset n s m t l u p v

def flat_update_1d 'a [k] [n] (as: *[k]a) (offset: i64) (s: i64) (vs: [n]a) : *[k]a =
  intrinsics.flat_update_1d as offset s vs

def flat_update_2d 'a [k] [n] [m] (as: *[k]a) (offset: i64) (s: i64) (t: i64) (vs: [n][m]a) : *[k]a =
  intrinsics.flat_update_2d as offset s t vs

def flat_update_3d 'a [k] [n] [m] [l] (as: *[k]a) (offset: i64) (s: i64) (t: i64) (u: i64) (vs: [n][m][l]a) : *[k]a =
  intrinsics.flat_update_3d as offset s t u vs

def flat_update_4d 'a [k] [n] [m] [l] [p] (as: *[k]a) (offset: i64) (s: i64) (t: i64) (u: i64) (v: i64) (vs: [n][m][l][p]a) : *[k]a =
  intrinsics.flat_update_4d as offset s t u v vs
