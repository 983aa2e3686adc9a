-- Fields of parameters whose types are not written.
-- ==
-- input { [3, 1, 2] 10i64 } output { 2i32 [9i32, 3i32, 6i32] 13i64 }
-- input { [-5] 0i64 } output { 0i32 [-15i32] 1i64 }

def main (xs: []i32) (k: i64) : (i32, []i32, i64) =
  let sum p = p.0 + p.1
  let span (p: {lo: i32, hi: i32}) = p.hi - p.lo
  let ps = map (\x -> (x, x * 2)) xs
  let longest = span {lo = i32.minimum xs, hi = i32.maximum xs}
  in (longest, map sum ps, (\r -> r.n + k) {n = length xs})
