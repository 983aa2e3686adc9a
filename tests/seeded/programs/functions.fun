-- Functions of scalars, called on the host, in kernels, in an operator and in a loop that updates in
-- place; some may trap.
def half (x : i64) -> (r : i64) =
  let (y : i64) = x / 2
  in (y)

def mix (x : i64) (y : i64) -> (a : i64) (b : i64) =
  let (p : i64) = call half (x)
  let (less : bool) = p < y
  let (q : i64) = if less then
      let (s : i64) = p + y
      in (s)
    else
      let (t : i64) = call half (y)
      in (t)
  in (p, q)

def divided (x : i64) (y : i64) -> (r : i64) =
  let (q : i64) = x / y
  in (q)

entry main [n] (xs : *[n]i64) (d : i64) -> (r : [n]i64) (s : i64) (t : [n]i64) =
  let (h : i64) = call half (d)
  let (ys : [n]i64) =
    kernel i < n do
      let (x : i64) = xs[i]
      let (a : i64) (b : i64) = call mix (x, i)
      let (c : i64) = a * b + h
      in (c)
  let (sum : i64) =
    kernel j < n reduce comm
      (\(a1 : i64) (b1 : i64) -> let (p1 : i64) (q1 : i64) = call mix (a1, b1)
        let (c1 : i64) = a1 + b1
        in (c1)) (0)
    do
      let (y : i64) = ys[j]
      let (z : i64) = call divided (y, d) partial
      in (z)
  let (zs : [n]i64) = loop (ws : *[n]i64) = xs for k < n do
    let (w : i64) = ws[k]
    let (v : i64) = call half (w)
    let (us : [n]i64) = ws with [k] = v
    in (us)
  in (ys, sum, zs)
