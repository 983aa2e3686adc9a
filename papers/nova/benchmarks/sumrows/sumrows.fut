-- The sums of rows of different lengths, which lie one after the other: row i has the elements from
-- starts[i] up to starts[i + 1].
-- ==
-- input { [0i64, 2i64, 2i64, 5i64] [1f32, 2f32, 3f32, 4f32, 5f32] } output { [3f32, 0f32, 12f32] }
-- input { [0i64] empty([0]f32) } output { empty([0]f32) }
-- input { [0i64, 0i64] empty([0]f32) } output { [0f32] }
-- input { [0i64, 2i64] [1f32] } error: out of bounds

-- A thread for each row.
entry main [k] [m] (starts: [k]i64) (xs: [m]f32) : []f32 =
  map2 (\start end -> loop sum = 0 for e in start..<end do sum + xs[e]) (init starts) (tail starts)

-- ==
-- entry: flattened
-- input { [0i64, 2i64, 2i64, 5i64] [1f32, 2f32, 3f32, 4f32, 5f32] } output { [3f32, 0f32, 12f32] }
-- input { [0i64] empty([0]f32) } output { empty([0]f32) }
-- input { [0i64, 0i64] empty([0]f32) } output { [0f32] }

-- Every element has the same work: a sum over all, which begins again where a row does.
entry flattened [k] [m] (starts: [k]i64) (xs: [m]f32) : []f32 =
  let flags = scatter (replicate m false) (init starts) (replicate (k - 1) true)
  let plus (f, x) (g, y) = (f || g, if g then y else x + y)
  let sums = scan plus (false, 0) (zip flags xs)
  in map2 (\start end -> if start < end then sums[end - 1].1 else 0) (init starts) (tail starts)
