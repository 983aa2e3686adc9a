-- Kernels, collectives, branches and loops.
entry main [n][m] (a : [n][m]f32) (h : *[n]i64) (w : bool) -> (r : [n]f32) (s : f32) =
  let (rows : [n]f32) (twice : [n][m]f32) =
    kernel i < n, j < m reduce comm (\ (x : f32) (y : f32) -> let (z : f32) = x + y in (z)) (0.0f32) do
      let (v : f32) = a[i, j] let (v2 : f32) = v * 2.0f32
      in (v, v2)
  let (least : f32) (place : i64) =
    kernel t < n reduce (\ (x : f32) (p : i64) (y : f32) (q : i64) ->
      let (less : bool) = x < y || x == y && p < q
      let (z : f32) (r : i64) = if less then in (x, p) else in (y, q)
      in (z, r)) (f32.inf, -1) do let (v : f32) = rows[t] in (v, t)
  let (sums : [n]f32) = kernel i < n scan (\ (x : f32) (y : f32) -> let (z : f32) = x + y in (z)) (0.0f32)
    do let (v : f32) = rows[i] in (v)
  let (h1 : [n]i64) (h2 : [n]i64) = kernel i < n
    hist (h, g) (\ (x : i64) (x2 : i64) (y : i64) (y2 : i64) -> in (x, y2)) (0, 0)
    do in (i, 1, 2)
  let (x1 : f32) (x2 : [n]f32) =
    loop (x : f32) = 0.0f32, (y : *[n]f32) = rows for i < n*m - 1 do
      let (y1 : [n]f32) = y with [i] = x
      in (x, y1)
  let (go : bool) (steps : u32) = loop (c : bool) = w, (k : u32) = 0u32 while c do in (false, k)
  let = loop for i < n do in ()
  let = kernel i < n do assert w "not in parallel" in ()
  let (deep : [n]f32) =
    if w then
      let (inner : [n]f32) = kernel i < n do
        let (v : f32) = loop (acc : f32) = 1.0f32 for j < i do
          let (big : bool) = acc > 100.0f32
          let (acc1 : f32) = if big then in (acc) else let (acc2 : f32) = acc * 2.0f32 in (acc2)
          in (acc1)
        in (v)
      in (inner)
    else in (rows)
  in (deep, least)
