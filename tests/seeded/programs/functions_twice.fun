-- A function with two results and two parameters of one type, and one that may trap.
def both (x : i64) (y : i64) -> (a : i64) (b : i64) =
  let (p : i64) = x * 2 + y
  let (q : i64) = x - y
  in (p, q)

def divided (x : i64) (y : i64) -> (r : i64) =
  let (q : i64) = x / y
  in (q)

entry main [n] (xs : [n]i64) -> (r : [n]i64) (s : [n]i64) =
  let (ys : [n]i64) (zs : [n]i64) =
    kernel i < n do
      let (x : i64) = xs[i]
      let (a : i64) (b : i64) = call both (x, i)
      let (c : i64) = call divided (100, x) partial
      let (d : i64) = a + c
      in (d, b)
  in (ys, zs)
