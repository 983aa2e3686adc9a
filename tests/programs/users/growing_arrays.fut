-- Loops whose arrays change their size.
-- ==
-- input { 3 } output { [4i32] 11i64 [0i64, 0i64, 1i64, 0i64, 1i64, 2i64] }
-- input { 0 } output { [1i32] 1i64 [0i64, 0i64, 1i64, 0i64, 1i64, 2i64] }

def main (n: i32) : ([]i32, i64, []i64) =
  let doubled = loop xs = [1] for _i < n do xs ++ map (+ 1) xs
  let (rest, steps) = loop (ys, k) = (doubled, 0) while length ys > 1 do (filter (> ys[0]) ys, k + 1)
  let tri = loop acc = [] for i in [1, 2, 3i64] do acc ++ iota i
  in (rest, steps + length doubled, tri)
