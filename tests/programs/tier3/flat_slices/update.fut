-- A flat update writes a block into a row-major array in place.
-- ==
-- input { 8i64 } output { [0i64, 90i64, 91i64, 3i64, 92i64, 93i64, 6i64, 7i64] }
-- input { 5i64 } error: out of bounds

def block (n: i64) (m: i64) : *[n][m]i64 = tabulate_2d n m (\i j -> 90 + i * m + j)

def main (n: i64) : []i64 = intrinsics.flat_update_2d (iota n) 1 3 1 (block 2 2)

-- ==
-- entry: transposed
-- input { 9i64 } output { [90i64, 93i64, 96i64, 91i64, 94i64, 97i64, 92i64, 95i64, 98i64] }

entry transposed (n: i64) : []i64 = intrinsics.flat_update_2d (iota n) 0 1 3 (block 3 3)

-- ==
-- entry: wavefront
-- input { 3i64 } output { [[1, 1, 1], [1, 2, 3], [1, 3, 6]] }
-- input { 1i64 } output { [[1]] }

-- Paths in a grid, one antidiagonal after the other: reads two neighbours, writes the diagonal.
entry wavefront (n: i64) : [n][n]i32 =
  let flat =
    loop a = replicate (n * n) 1i32 for d in 2..<i64.max 2 (2 * n - 1) do
      let low = i64.max 1 (d - n + 1)
      let count = i64.max 0 (i64.min (d - 1) (n - 1) - low + 1)
      let first = low * n + (d - low)
      let news = map (\k -> let at = first + k * (n - 1) in a[at - 1] + a[at - n]) (iota count)
      in if count == 0 then a
         else intrinsics.flat_update_2d a first 1 (n - 1) [news]
  in unflatten (flat :> [n * n]i32)

-- ==
-- entry: three
-- input { } output { [7i64, 7i64, 2i64, 3i64, 7i64, 7i64, 6i64, 7i64] }

entry three : []i64 = intrinsics.flat_update_3d (iota 8) 0 8 4 1 (replicate 1 (replicate 2 (replicate 2 7)))
