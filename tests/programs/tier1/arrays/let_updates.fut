-- `let x[i] = e` is an update under the same name.
-- ==
-- entry: swap
-- input { [1, 2, 3] 0i64 2i64 } output { [3, 2, 1] }
-- input { [1, 2, 3] 1i64 1i64 } output { [1, 2, 3] }

-- ==
-- entry: sieve
-- input { 20i64 } output { [2i64, 3i64, 5i64, 7i64, 11i64, 13i64, 17i64, 19i64] }
-- input { 3i64 } output { [2i64] }

-- ==
-- entry: identity
-- input { 2i64 } output { [[1, 0], [0, 1]] }
-- input { 0i64 } output { empty([0][0]i32) }

-- ==
-- entry: self_reference
-- input { [1, 2, 3] } output { [1, 4, 3] }

entry swap [n] (xs: *[n]i32) (i: i64) (j: i64) : [n]i32 =
  let a = xs[i]
  let xs[i] = xs[j]
  let xs[j] = a
  in xs

entry sieve (n: i64) : []i64 =
  let composite =
    loop composite = replicate n false for i in 2..<n do
      if composite[i] then composite
      else loop composite for j < i64.max 0 ((n - 1) / i - 1) do
             let composite[(j + 2) * i] = true in composite
  in (loop ps = [] for i in 2..<n do if composite[i] then ps else ps ++ [i])

entry identity (n: i64) : [n][n]i32 =
  let m = replicate n (replicate n 0)
  in loop m for i < n do let m[i, i] = 1 in m

entry self_reference (xs: []i32) =
  let ys = copy xs
  let ys[1] = ys[0] + ys[2]
  in ys
