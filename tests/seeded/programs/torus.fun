-- Neighbours on a torus: remainders by both dimensions and by the other one, a clamped index with a branch on it.
entry main [n] [m] (xs : [n][m]i64) -> (r : [n][m]i64) =
  let (ys : [n][m]i64) =
    kernel i < n, j < m do
      let (right : i64) = (j + 1) % m
      let (left : i64) = (j - 2 + m) % m
      let (down : i64) = (i + 1) % n
      let (up : i64) = (i - 1 + n) % n
      let (other : i64) = (j + 1) % n
      let (west : i64) = max(0, j - 1)
      let (a : i64) = xs[i, right]
      let (b : i64) = xs[i, left]
      let (c : i64) = xs[down, j]
      let (d : i64) = xs[up, west]
      let (first : bool) = j == 0
      let (e : i64) = if first then
          in (7)
        else
        let (w : i64) = xs[i, west]
        in (w)
      let (y : i64) = a + 10 * b + 100 * c + 1000 * d + 10000 * e + other
      in (y)
  in (ys)
