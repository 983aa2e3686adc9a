-- A loop in a kernel exchanges two arrays and makes a third: the copies form a circle.
entry main [n] (k : i64) (steps : i64) (xs : [n]i32) -> (r : [n][k]i32) =
  let (out : [n][k]i32) = kernel i < n do
    let (x : i32) = xs[i]
    let (a : [k]i32) = iota [k] x 1i32
    let (b : [k]i32) = iota [k] x 10i32
    let (p : [k]i32) (q : [k]i32) (o : [k]i32) =
      loop (u : [k]i32) = a, (v : [k]i32) = b, (w : [k]i32) = a for t < steps do
        let (c : bool) = t % 3 == 2
        let (u2 : [k]i32) = if c then
          let (f : [k]i32) = kernel j < k do
            let (e : i32) = u[j]
            let (e2 : i32) = v[k - 1 - j]
            let (e3 : i32) = e - e2
            in (e3)
          in (f)
        else
          in (v)
        in (u2, u, v)
    let (sum : [k]i32) = kernel l < k do
      let (s1 : i32) = p[l]
      let (s2 : i32) = q[l]
      let (s3 : i32) = o[l]
      let (s4 : i32) = s1 * 100i32 + s2 * 10i32 + s3
      in (s4)
    in (sum)
  in (out)
