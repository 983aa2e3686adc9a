-- Functions: several results, control, checks, calls of earlier functions; calls on the host and in
-- kernels.
def half (x : f32) -> (r : f32) =
  let (y : f32) = x * 0.5f32
  in (y)

def both (x : f32) (k : i64) -> (r : f32) (q : i64) =
  let (y : f32) = call half (x)
  let (z : f32) (j : i64) =
    loop (a : f32) = y, (b : i64) = 0 for i < k do
      let (a2 : f32) = call half (a)
      let (b2 : i64) = b + i
      in (a2, b2)
  in (z, j)

def checked (x : i64) (y : i64) -> (q : i64) =
  let (c : bool) = x < 100
  assert c "x is {}" (x)
  let (q1 : i64) = x / y
  in (q1)

entry f [n] (xs : [n]f32) (d : i64) -> (r : [n]f32) (s : [n]i64) (e : i64) =
  let (h : i64) = call checked (d, d) partial
  let (ys : [n]f32) (zs : [n]i64) =
    kernel i < n do
      let (x : f32) = xs[i]
      let (a : f32) (b : i64) = call both (x, 3)
      let (q : i64) = call checked (i, d) partial
      let (g : i64) = q + b
      in (a, g)
  in (ys, zs, h)
