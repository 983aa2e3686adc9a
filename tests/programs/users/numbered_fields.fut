-- Tuples as records with numbers as fields.
-- ==
-- input { 4 5i64 } output { 5i64 4i32 14i32 }
-- input { -1 0i64 } output { 0i64 -1i32 9i32 }

type pair = {0: i32, 1: i64}
def swap (p: pair) : {0: i64, 1: i32} = {0 = p.1, 1 = p.0}
def main (x: i32) (y: i64) : (i64, i32, i32) =
  let p = {0 = x, 1 = y}
  let {0 = a, 1 = b} = swap p
  let q : (i32, i64) = p
  in (a, b, q.0 + (p with 0 = 10).0)
