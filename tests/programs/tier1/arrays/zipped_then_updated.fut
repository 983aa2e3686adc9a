-- zip gives an array that shares nothing: it may be updated while its operands are still read, and the other way round.
-- ==
-- entry: operands_are_read
-- input { 3i64 } output { 15i64 }
-- input { 1i64 } output { 15i64 }

-- ==
-- entry: with_itself
-- input { 3i64 } output { [0i64, 21i64, 4i64] }
-- input { 2i64 } output { [0i64, 21i64] }

-- ==
-- entry: operand_is_updated
-- input { 2i64 } output { [0i64, 1i64] [9i64, 1i64] }

-- ==
-- entry: in_a_branch
-- input { 2i64 true } output { 8i64 }
-- input { 2i64 false } output { 1i64 }

-- ==
-- entry: in_a_loop
-- input { 3i64 } output { [1i64, 3i64, 5i64] [0i64, 1i64, 2i64] }
-- input { 0i64 } output { empty([0]i64) empty([0]i64) }

-- ==
-- entry: scattered
-- input { 3i64 } output { [7i64, 1i64, 2i64] [0i64, 1i64, 2i64] }

-- ==
-- entry: read_by_an_update
-- input { true [1i32, 2i32, 3i32, 4i32] } output { [1i32, 1i32, 2i32, 3i32] }
-- input { false [1i32, 2i32, 3i32, 4i32] } output { [1i32, 1i32, 2i32, 3i32] }

-- ==
-- entry: next_values
-- input { 0i64 [1i32, 2i32] [3i32, 4i32] } output { [1i32, 2i32] [3i32, 4i32] }
-- input { 1i64 [1i32, 2i32] [3i32, 4i32] } output { [7i32, 5i32] [7i32, 2i32] }
-- input { 2i64 [1i32, 2i32] [3i32, 4i32] } output { [5i32, 5i32] [5i32, 5i32] }

entry operands_are_read (n: i64) : i64 =
  let xs = map (\i -> i * i) (iota n)
  let ps = zip xs (iota n)
  let ps = ps with [0] = (7, 8)
  in xs[0] + ps[0].0 + ps[0].1

entry with_itself (n: i64) : []i64 =
  let xs = iota n
  let ps = zip xs xs
  let ps = ps with [1] = (10, 11)
  in map (\(x, y) -> x + y) ps

entry operand_is_updated (n: i64) : ([]i64, []i64) =
  let xs = iota n
  let ps = zip xs (replicate n true)
  let xs = xs with [0] = 9
  in (map (.0) ps, xs)

entry in_a_branch (n: i64) (c: bool) : i64 =
  let xs = iota n
  let ps = zip xs xs
  let qs = if c then ps with [0] = (3, 4) else ps
  in qs[0].0 + qs[0].1 + xs[1]

entry in_a_loop (n: i64) : ([]i64, []i64) =
  let xs = iota n
  let ps = loop ps = zip xs (map (+ 1) xs) for i < n do
             ps with [i] = (ps[i].0 + ps[i].1, 0)
  in (map (\(x, y) -> x + y) ps, xs)

entry scattered (n: i64) : ([]i64, []i64) =
  let xs = iota n
  let ps = scatter (zip xs xs) [0] [(7, 7)]
  in (map (.1) ps, xs)

-- The other branch returns xs itself, of which the update then reads.
entry read_by_an_update (c: bool) (xs: *[4]i32) : [4]i32 =
  let ps = zip xs xs
  let ys = if c then xs with [1] = 5 else xs
  let (zs, _) = unzip ps
  in ys with [1:4] = zs[0:3]

entry next_values (n: i64) (xs: *[2]i32) (ys: *[2]i32) : ([2]i32, [2]i32) =
  loop (xs: *[2]i32, ys: *[2]i32) = (xs, ys) for i < n do
    let s = ys[1]
    let ys = ys with [0] = 3
    let xs = xs with [0] = ys[0] + s
    let ps = zip xs xs
    let zs = if i % 2 == 0 then xs with [1] = 5 else xs
    let (us, _) = unzip ps
    in (zs, us)
