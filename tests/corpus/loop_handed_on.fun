-- A view that shows one element at all indices is handed on: after two iterations it is in `a`,
-- and updated.
entry main (n : i64) (k : i64) -> (r : [n + 1]i64) (s : [n + 1]i64) =
  let (x : [n + 1]i64) = iota [n + 1] 10 1
  let (z : [n + 1]i64) = x[0 : n + 1 : 0]
  let (y1 : [n + 1]i64) = iota [n + 1] 20 1
  let (y2 : [n + 1]i64) = iota [n + 1] 30 1
  let (y3 : [n + 1]i64) = iota [n + 1] 40 1
  let (a1 : [n + 1]i64) (b1 : [n + 1]i64) (c1 : [n + 1]i64) =
    loop (a : [n + 1]i64) = y1, (b : [n + 1]i64) = y2, (c : *[n + 1]i64) = y3 for i < k do
      let (c2 : [n + 1]i64) = c with [0] = i
      in (b, z, c2)
  let (r1 : [n + 1]i64) = a1 with [0] = 7
  let (s1 : [n + 1]i64) = c1 with [n] = 8
  in (r1, s1)
