-- A size that only the argument of a type abbreviation names: `cap n` tells n where n is asked for.
-- ==
-- input { 65i64 } output { 2i64 [1i64, 1i64] 65i64 }
-- input { 0i64 } output { 0i64 empty([0]i64) 0i64 }

def cap (n: i64) = (n + 63) / 64

type bitset [n] = [cap n]i64

def empty (n: i64) : bitset [n] = replicate (cap n) 0

def union [n] (a: bitset [n]) (b: bitset [n]) : bitset [n] = map2 (|) a b

def size_of [n] (_: bitset [n]) = n

def main (n: i64) =
  let s = union (empty n) (map (+ 1) (empty n))
  in (length s, s, size_of s)
