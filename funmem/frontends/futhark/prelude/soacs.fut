-- Parallel operations on whole arrays.

def map 'a [n] 'x (f: a -> x) (as: [n]a) : *[n]x =
  intrinsics.map f as

def map1 'a [n] 'x (f: a -> x) (as: [n]a) : *[n]x =
  intrinsics.map f as

def map2 'a 'b [n] 'x (f: a -> b -> x) (as: [n]a) (bs: [n]b) : *[n]x =
  intrinsics.map2 f as bs

def map3 'a 'b 'c [n] 'x (f: a -> b -> c -> x) (as: [n]a) (bs: [n]b) (cs: [n]c) : *[n]x =
  intrinsics.map3 f as bs cs

def map4 'a 'b 'c 'd [n] 'x (f: a -> b -> c -> d -> x)
                            (as: [n]a) (bs: [n]b) (cs: [n]c) (ds: [n]d) : *[n]x =
  intrinsics.map4 f as bs cs ds

def map5 'a 'b 'c 'd 'e [n] 'x (f: a -> b -> c -> d -> e -> x)
                               (as: [n]a) (bs: [n]b) (cs: [n]c) (ds: [n]d) (es: [n]e) : *[n]x =
  intrinsics.map5 f as bs cs ds es

def reduce [n] 'a (op: a -> a -> a) (ne: a) (as: [n]a) : a =
  intrinsics.reduce op ne as

def reduce_comm [n] 'a (op: a -> a -> a) (ne: a) (as: [n]a) : a =
  intrinsics.reduce_comm op ne as

def scan [n] 'a (op: a -> a -> a) (ne: a) (as: [n]a) : *[n]a =
  intrinsics.scan op ne as

-- | The exclusive scan: each result is the reduction of the elements before it.
def exscan [n] 'a (op: a -> a -> a) (ne: a) (as: [n]a) : *[n]a =
  let sums = intrinsics.scan op ne as
  in intrinsics.map (\i -> if i == 0 then ne else sums[i - 1]) (intrinsics.iota n)

def filter [n] 'a (p: a -> bool) (as: [n]a) : *[]a =
  intrinsics.filter p as

def partition [n] 'a (p: a -> bool) (as: [n]a) : ?[k].([k]a, [n - k]a) =
  let flags = intrinsics.map (\a -> if p a then 1i64 else 0i64) as
  let ends = intrinsics.scan (+) 0 flags
  let k = if n == 0 then 0 else ends[n - 1]
  let places = intrinsics.map3 (\flag end i -> if flag == 1 then end - 1 else k + i - end)
                               flags ends (intrinsics.iota n)
  let both = intrinsics.scatter (intrinsics.copy as) places as
  in (both[0:k], both[k:n] :> [n - k]a)

def partition2 [n] 'a (p1: a -> bool) (p2: a -> bool) (as: [n]a) : ?[k][l].([k]a, [l]a, [n - k - l]a) =
  let (xs, rest) = partition p1 as
  let (ys, zs) = partition p2 rest
  let k = intrinsics.length xs
  let l = intrinsics.length ys
  in (xs :> [k]a, ys :> [l]a, zs :> [n - k - l]a)

def scatter 't [k] [n] (dest: *[k]t) (is: [n]i64) (vs: [n]t) : *[k]t =
  intrinsics.scatter dest is vs

def scatter_2d 't [k] [l] [n] (dest: *[k][l]t) (is: [n](i64, i64)) (vs: [n]t) : *[k][l]t =
  intrinsics.scatter_2d dest is vs

def scatter_3d 't [k] [l] [m] [n] (dest: *[k][l][m]t) (is: [n](i64, i64, i64)) (vs: [n]t) : *[k][l][m]t =
  intrinsics.scatter_3d dest is vs

-- | `scatter` into an array of `k` copies of `x`.
def spread 't [n] (k: i64) (x: t) (is: [n]i64) (vs: [n]t) : *[k]t =
  intrinsics.scatter (intrinsics.replicate k x) is vs

def reduce_by_index 'a [k] [n] (dest: *[k]a) (op: a -> a -> a) (ne: a) (is: [n]i64) (as: [n]a) : *[k]a =
  intrinsics.hist dest op ne is as

def reduce_by_index_2d 'a [k] [l] [n] (dest: *[k][l]a) (op: a -> a -> a) (ne: a) (is: [n](i64, i64)) (as: [n]a) : *[k][l]a =
  intrinsics.hist_2d dest op ne is as

def reduce_by_index_3d 'a [k] [l] [m] [n] (dest: *[k][l][m]a) (op: a -> a -> a) (ne: a) (is: [n](i64, i64, i64)) (as: [n]a) : *[k][l][m]a =
  intrinsics.hist_3d dest op ne is as

-- | A histogram in a fresh array of `k` buckets.
def hist 'a [n] (op: a -> a -> a) (ne: a) (k: i64) (is: [n]i64) (as: [n]a) : *[k]a =
  intrinsics.hist (intrinsics.replicate k ne) op ne is as

def all [n] 'a (p: a -> bool) (as: [n]a) : bool =
  intrinsics.reduce_comm (&&) true (intrinsics.map p as)

def any [n] 'a (p: a -> bool) (as: [n]a) : bool =
  intrinsics.reduce_comm (||) false (intrinsics.map p as)

def and [n] (xs: [n]bool) : bool =
  intrinsics.reduce_comm (&&) true xs

def or [n] (xs: [n]bool) : bool =
  intrinsics.reduce_comm (||) false xs

def foldl [n] 'a 'b (f: a -> b -> a) (acc: a) (bs: [n]b) : a =
  loop acc = acc for b in bs do f acc b

def foldr [n] 'a 'b (f: b -> a -> a) (acc: a) (bs: [n]b) : a =
  loop acc = acc for i < n do f bs[n - 1 - i] acc
