-- Fresh arrays, and what is written into them.
entry main [n] (x : *[n]i64) (rows : [2][n]f32) -> [k] (r : [k]i64) (s : [3][2][n]f32) =
  let (i8s : [n]i8) = iota [n] 0i8 -1i8
  let (zeros : [n][3]f32) = replicate [n][3] 0.0f32
  let (s1 : [3][2][n]f32) = replicate [3] rows
  let (none : [0]f32) = [] : f32
  let (some : [3]i64) = [1, 2, 3] : i64
  let (both : [2][n]i64) = [x, x] : [n]i64
  let (x1 : [n]i64) = copy x
  let (long : [2 * n + 3]i64) = concat 0 x x1 some
  let (wide : [n][6]f32) = concat 1 zeros zeros
  let (later : [n][2]f64) = scratch [n][2] f64
  let (x2 : [n]i64) = x with [0] = 1
  let (x3 : [n]i64) = x2 with [0 : 3] = some
  let (is : [3]i64) = copy some
  let (x4 : [n]i64) = scatter x3 is some
  let (corners : [2][2]i64) = replicate [2][2] 7
  let (x5 : [n]i64) = x4 with flat [3 + {(2 : n - 1) (2 : -1)}] = corners
  let (x6 : [n]i64) = x5 with flat [n - 1 + {}] = 9
  let (pairs : [n][2]f32) = replicate [n][2] 1.0f32
  let (news : [3][2]f32) = replicate [3][2] 2.0f32
  let (pairs1 : [n][2]f32) = scatter pairs is news
  let (m : i64) = 2 * n + 3
  let (r1 : [m]i64) = iota [m] 0 1
  in (m, r1, s1)
