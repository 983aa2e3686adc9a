-- Updates of fields and elements at any depth; newer than Futhark 0.25.
-- ==
-- entry: of_let
-- input { [1, 2, 3] [10, 20] 1i64 7 } output { [1, 7, 3] [10, 20] }
-- input { [1] [10] 0i64 7 } output { [7] [10] }
-- input { [1] [10] 1i64 7 } error: Index \[1\] out of bounds for array of shape \[1\].

entry of_let [n] [m] (xs: *[n]i32) (ys: [m]i32) (i: i64) (v: i32) : ([n]i32, [m]i32) =
  let r = {inner = {xs, ys}, k = 3i64}
  let r.inner.xs[i] = v
  let r.k = r.k + 1
  in (r.inner.xs, r.inner.ys)

-- ==
-- entry: of_with
-- input { [1, 2, 3] [4, 5, 6] 1i64 7 } output { [1, 7, 3] [4, 5, 6] [1, 7, 3] [4, 5, -7] }
-- input { [1, 2, 3] [4, 5, 6] 3i64 7 } error: out of bounds

entry of_with [n] (xs: *[n]i32) (ys: *[n]i32) (i: i64) (v: i32) =
  let ps = map2 (\a b -> {f = {a, c = 0i32}, b}) xs ys
  let qs = {ps, last = n - 1} with ps[i].f.a = v
  let (as, bs) = unzip (map (\p -> (p.f.a, p.b)) qs.ps)
  let rs = copy qs.ps with [qs.last].b = -v
  in (as, bs, map (\p -> p.f.a) rs, map (.b) rs)

-- ==
-- entry: of_rows
-- input { [[1, 2], [3, 4], [5, 6]] } output { [[1, 2], [3, 40], [50, 60]] [0, 1, 9] }

entry of_rows [n] (xss: *[n][2]i32) : ([n][2]i32, [n]i32) =
  let ps = map2 (\row i -> {row, at = i32.i64 i}) xss (iota n)
  let ps[1].row[1] = 40
  let ps[2] = {row = copy ps[2].row, at = 9}
  let ps[2].row[0:2] = [50, 60]
  in unzip (map (\p -> (p.row, p.at)) ps)

-- ==
-- entry: of_slices
-- input { [[1, 2, 3], [4, 5, 6], [7, 8, 9]] } output { [[1, 2, 3], [0, 5, 6], [7, -8, -9]] }

entry of_slices (xss: *[3][3]i32) : [3][3]i32 =
  let xss[1][0] = 0
  in xss with [1:3][1][1:3] = [-8, -9]

-- ==
-- entry: of_planes
-- input { 2i64 3i64 } output { [[0i64, 1i64, 2i64], [10i64, 11i64, 99i64]] [[0i64, 0i64, 0i64], [0i64, 0i64, 5i64]] }

entry of_planes (n: i64) (m: i64) : ([n][m]i64, [n][m]i64) =
  let ps = tabulate_2d n m (\i j -> {x = 10 * i + j, y = {z = 0i64}})
  let ps[1, 2].y.z = 5
  let ps[1, 2].x = 99
  in (map (map (.x)) ps, map (map (.y.z)) ps)

-- ==
-- entry: sections
-- input { [[1, 2], [3, 4]] 1i64 } output { [3, 4] [4, 3] 2 [[2, 1], [4, 3]] }

entry sections (xss: [2][2]i32) (i: i64) =
  let r = {rows = map (\xs -> {xs, k = xs[1]}) xss}
  in (copy ((.rows[i].xs) r), map (.rows[i].xs[::-1]) [r] |> head, (.rows[0].k) r, map (.xs[::-1]) r.rows)
