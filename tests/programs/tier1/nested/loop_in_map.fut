-- Sequential loops in each element of a map, of equal and of different length.
-- ==
-- entry: powers
-- input { [2, 3, -1] [3, 0, 5] } output { [8, 1, -1] }
-- input { empty([0]i32) empty([0]i32) } output { empty([0]i32) }

-- ==
-- entry: collatz
-- input { [1i64, 6i64, 7i64] } output { [0, 8, 16] }

-- ==
-- entry: sort_rows
-- input { [[3, 1, 2], [9, 8, 7], [1, 2, 3]] } output { [[1, 2, 3], [7, 8, 9], [1, 2, 3]] }
-- input { [[1]] } output { [[1]] }
-- input { empty([2][0]i32) } output { empty([2][0]i32) }

-- ==
-- entry: simulate
-- input { [1u32, 2u32] 3 } output { [[1015568748u32, 1586005467u32, 2165703038u32], [1017233273u32, 1975575172u32, 811535379u32]] }

entry powers [n] (xs: [n]i32) (ks: [n]i32) = map2 (\x k -> loop p = 1 for _i < k do p * x) xs ks
entry collatz [n] (xs: [n]i64) : [n]i32 =
  map (\x -> (loop (x, k) = (x, 0) while x > 1 do (if x % 2 == 0 then x / 2 else 3 * x + 1, k + 1)).1) xs
entry sort_rows [n] [m] (xss: [n][m]i32) =
  map (\xs ->
         loop ys = copy xs for i < m do
           let (ys, _) =
             loop (ys, j) = (ys, i) while j > 0 && ys[j - 1] > ys[j] do
               let a = ys[j - 1]
               let ys[j - 1] = ys[j]
               let ys[j] = a
               in (ys, j - 1)
           in ys)
      xss
entry simulate [n] (seeds: [n]u32) (k: i32) =
  map (\s -> (loop (s, out) = (s, replicate 3 0) for i < k do
                let s = s * 1664525 + 1013904223 in (s, out with [i] = s)).1) seeds
