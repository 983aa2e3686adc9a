-- Conditionals and loops: sizes that are returned along, parameters that change.
entry main [n] [m] (c : bool) (x : [n]i64) (y : [m]i64) -> (r : i64) =
  let (z : [k]i64) (k : i64) = if c then in (x, n) else in (y, m)
  let (six : [6]i64) (l : i64) (a : [l][2]i64) = if c then
      let (p : [6]i64) = iota [6] 0 1
      let (q : [3][2]i64) = reshape [3][2] p
      in (p, 3, q)
    else
      let (p2 : [6]i64) = iota [6] 0 1
      let (q2 : [n][2]i64) = replicate [n][2] 1
      in (p2, n, q2)
  let (grown_size : i64) (grown : [grown_size]i64) =
    loop (s : i64) = k, (v : [s]i64) = z for i < 3 do
      let (s2 : i64) = 2 * s
      let (v2 : [2 * s]i64) = concat 0 v v
      let (v3 : [s2]i64) = reshape [s2] v2
      in (s2, v3)
  let (go_on : bool) (steps : i64) = loop (g : bool) = c, (t : i64) = 0 while g do
    let (t1 : i64) = t + 1
    let (g1 : bool) = t1 < 10
    in (g1, t1)
  let (nothing_happens : i64) = loop (u : i64) = 0 for i2 < -5 do in (i2)
  let = if c then
      assert c "yes"
      in ()
    else in ()
  in (steps)
