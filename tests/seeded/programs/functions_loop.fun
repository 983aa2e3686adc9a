-- The bound of a loop in a kernel comes from a call.
def steps (x : i64) -> (r : i64) =
  let (y : i64) = x % 4
  let (z : i64) = max(y, 0)
  in (z)

entry main [n] [w] (xs : [n]i64) (rows : [w][n]f32) -> (r : [n]f32) =
  let (ys : [n]f32) =
    kernel i < n do
      let (x : i64) = xs[i]
      let (m : i64) = call steps (x)
      let (s : f32) = loop (t : f32) = 0f32 for k < w do
        let (v : f32) = rows[k, i]
        let (c : bool) = k < m
        let (u : f32) = if c then
            let (a : f32) = t + v
            in (a)
          else
            in (t)
        in (u)
      in (s)
  in (ys)
