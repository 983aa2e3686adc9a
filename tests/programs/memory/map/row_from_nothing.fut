-- A thread fills a row of the result, element by element.
-- ==
-- input { 2i64 4i64 } output { [[0i64, 1i64, 1i64, 2i64], [1i64, 1i64, 2i64, 3i64]] }
-- structure seq-mem { Alloc 1 Copy 0 }

def main (n: i64) (m: i64) =
  map (\k -> let r = replicate m k
             let r = if m > 1 then r with [1] = 1 else r
             in loop r for i < m - 2 do r with [i + 2] = r[i] + r[i + 1])
      (iota n)
