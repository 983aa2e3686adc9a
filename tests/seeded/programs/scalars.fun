-- Branches, loops and kernels over scalars.
entry main [n] (a : [n]i32) (k : i64)
    -> (p : i64) (q : bool) (l : i64) (o : i64) (e : i64) (f : bool) (g : [n]bool) (h : i64)
    (j : [n]i64) =
  let (c : bool) = k > 2
  let (d : bool) = k > 3
  let (p1 : i64) (q1 : bool) = if d then
      let (k2 : i64) = k * 2
      in (n, true)
    else
      in (k, false)
  let (k3 : i64) = k * 2
  let (l1 : i64) (m1 : i64) = loop (x : i64) = 0, (y : i64) = k for i < n do
    let (x2 : i64) = x + y
    let (y2 : i64) = y + 1
    in (x2, y2)
  let (o1 : i64) = loop (x3 : i64) = k for i2 < 0 do
    let (x4 : i64) = x3 + 1
    in (x4)
  let (e1 : i64) = loop (x5 : i64) = k for i3 < 1 do
    let (x6 : i64) = x5 + i3
    in (x6)
  let (f1 : bool) = if c then in (false) else in (true)
  let (g1 : [n]bool) = kernel t < n do
    let (inner : bool) = t < n - 1
    in (inner)
  let (h1 : i64) = k3 + p1
  let (j1 : [n]i64) = kernel w < n do
    let (w2 : i64) = w * 3
    in (w2)
  in (p1, f1, l1, o1, e1, q1, g1, h1, j1)
