entry c1_yes [n] [m] (xs : [n]i64) (ys : [m]i64) -> (r : [n][m]i64) =
  let (s : [n][m]i64) =
    kernel i < n do
      let (x : i64) = xs[i]
      let (row : [m]i64) =
        kernel j < m do
          let (y : i64) = ys[j]
          let (z : i64) = x + y
          in (z)
      in (row)
  in (s)

entry c1_no [n] [m] (xs : [n]i64) (ys : [m]i64) -> (r : [n]i64) =
  let (s : [n]i64) =
    kernel i < n do
      let (x : i64) = xs[i]
      let (d : i64) = 12 / x
      let (t : i64) =
        kernel j < m reduce
          (\(a : i64) (b : i64) ->
            let (c : i64) = a + b
            in (c)) (0)
        do
          let (y : i64) = ys[j]
          let (z : i64) = d + y
          in (z)
      in (t)
  in (s)

entry c2_yes [n] [m] (xs : [n]i64) (ys : [m]i64) -> (r : [n]i64) =
  let (s : [n]i64) =
    kernel i < n do
      let (t : i64) =
        kernel j < m reduce
          (\(a : i64) (b : i64) ->
            let (c : i64) = a + b
            in (c)) (0)
        do
          let (y : i64) = ys[j]
          in (y)
      in (t)
  in (s)

entry c2_no [n] (xs : [n]i64) -> (r : [n]i64) =
  let (s : [n]i64) =
    kernel i < n do
      let (t : i64) =
        kernel j < i reduce
          (\(a : i64) (b : i64) ->
            let (c : i64) = a + b
            in (c)) (0)
        do
          let (y : i64) = xs[j]
          in (y)
      in (t)
  in (s)

entry c3_yes [n] [m] (xs : [n]i64) (ys : [m]i64) -> (r : [n]i64) =
  let (s : [n]i64) =
    kernel i < n do
      let (t : i64) =
        kernel j < m reduce
          (\(a : i64) (b : i64) ->
            let (c : i64) = max(a, b)
            let (d : i64) = max(c, i)
            in (d)) (0)
        do
          let (y : i64) = ys[j]
          in (y)
      in (t)
  in (s)

entry c3_no [n] [m] (xs : [n]i64) (ys : [m]i64) -> (r : [n]i64) =
  let (s : [n]i64) =
    kernel i < n do
      let (x : i64) = xs[i]
      let (t : i64) =
        kernel j < m reduce
          (\(a : i64) (b : i64) ->
            let (c : i64) = max(a, b)
            let (d : i64) = max(c, x)
            in (d)) (0)
        do
          let (y : i64) = ys[j]
          in (y)
      in (t)
  in (s)

entry c4_no [n] [m] (xs : [n]i64) (ys : [m]i64) -> (r : [n][4]i64) =
  let (s : [n][4]i64) =
    kernel i < n do
      let (h : [4]i64) = replicate [4] 0
      let (t : [4]i64) =
        kernel j < m hist (h)
          (\(a : i64) (b : i64) ->
            let (c : i64) = a + b
            in (c)) (0)
        do
          let (y : i64) = ys[j]
          in (y, 1)
      in (t)
  in (s)

entry c5_no [n] (xs : [n]i64) (m : i64) -> (r : [n]i64) =
  let (s : [n]i64) =
    kernel i < n do
      let (t : i64) =
        kernel j < m reduce
          (\(a : i64) (b : i64) ->
            let (c : i64) = a + b
            in (c)) (0)
        do
          let (y : i64) = i * j
          in (y)
      in (t)
  in (s)

entry c5_yes [n] (xs : [n]i64) (m : i64) -> (q : [m]i64) (r : [n]i64) =
  let (is : [m]i64) = iota [m] 0 1
  let (s : [n]i64) =
    kernel i < n do
      let (t : i64) =
        kernel j < m reduce
          (\(a : i64) (b : i64) ->
            let (c : i64) = a + b
            in (c)) (0)
        do
          let (y : i64) = i * j
          in (y)
      in (t)
  in (is, s)

entry c6_no [n] [m] (ys : [n][m]i64) (k : i64) -> (r : [n][m]i64) (q : [n][m]i64) =
  let (s : [n][m]i64) (u : [n][m]i64) =
    kernel i < n do
      let (row : [m]i64) =
        kernel j < m do
          let (y : i64) = ys[i, j]
          let (z : i64) = y * 2
          in (z)
      let (other : [m]i64) =
        kernel l < m do
          let (w : i64) = row[-l + m - 1]
          in (w)
      let (new : [m]i64) = row with [k] = 7
      in (new, other)
  in (s, u)

entry c7_no [n] [m] (ys : [n][m]i64) (xs : [n]i64) -> (r : [n][m]i64) (q : [n]i64) =
  let (s : [n][m]i64) (u : [n]i64) =
    kernel i < n do
      let (row : [m]i64) =
        kernel j < m do
          let (y : i64) = ys[i, j]
          let (z : i64) = 12 / y
          in (z)
      let (k : i64) = xs[i]
      let (w : i64) = row[k]
      in (row, w)
  in (s, u)

entry c8_no [n] [m] (ys : [n][m]i64) (xs : [n]i64) -> (r : [n][3]i64) (q : [n]i64) =
  let (s : [n][3]i64) (u : [n]i64) =
    kernel i < n do
      let (row : [3]i64) =
        kernel j < 3 do
          let (y : i64) = xs[i]
          let (z : i64) = y + j
          in (z)
      let (w : i64) = row[2]
      in (row, w)
  in (s, u)

entry c9_no [n] [m] (ys : [n][m]i64) (xs : [n]i64) -> (r : [n][m]i64) =
  let (s : [n][m]i64) =
    kernel i < n do
      let (own : [m]i64) = ys[i, 0 : m]
      let (fin : [m]i64) =
        loop (cur : [m]i64) = own for p < i do
          let (next : [m]i64) =
            kernel j < m do
              let (x : i64) = cur[j]
              let (z : i64) = x + p
              in (z)
          in (next)
      in (fin)
  in (s)

-- nest,simplify -->

entry c1_yes [n] [m] (xs : [n]i64) (ys : [m]i64) -> (r : [n][m]i64) =
  let (s : [n][m]i64) =
    kernel i < n, j < m do
      let (x : i64) = xs[i]
      let (y : i64) = ys[j]
      let (z : i64) = x + y
      in (z)
  in (s)

entry c1_no [n] [m] (xs : [n]i64) (ys : [m]i64) -> (r : [n]i64) =
  let (s : [n]i64) =
    kernel i < n do
      let (x : i64) = xs[i]
      let (d : i64) = 12 / x
      let (t : i64) =
        kernel j < m reduce
          (\(a : i64) (b : i64) ->
            let (c : i64) = a + b
            in (c)) (0)
        do
          let (y : i64) = ys[j]
          let (z : i64) = d + y
          in (z)
      in (t)
  in (s)

entry c2_yes [n] [m] (xs : [n]i64) (ys : [m]i64) -> (r : [n]i64) =
  let (s : [n]i64) =
    kernel i < n, j < m reduce
      (\(a : i64) (b : i64) ->
        let (c : i64) = a + b
        in (c)) (0)
    do
      let (y : i64) = ys[j]
      in (y)
  in (s)

entry c2_no [n] (xs : [n]i64) -> (r : [n]i64) =
  let (s : [n]i64) =
    kernel i < n do
      let (t : i64) =
        kernel j < i reduce
          (\(a : i64) (b : i64) ->
            let (c : i64) = a + b
            in (c)) (0)
        do
          let (y : i64) = xs[j]
          in (y)
      in (t)
  in (s)

entry c3_yes [n] [m] (xs : [n]i64) (ys : [m]i64) -> (r : [n]i64) =
  let (s : [n]i64) =
    kernel i < n, j < m reduce
      (\(a : i64) (b : i64) ->
        let (c : i64) = max(a, b)
        let (d : i64) = max(c, i)
        in (d)) (0)
    do
      let (y : i64) = ys[j]
      in (y)
  in (s)

entry c3_no [n] [m] (xs : [n]i64) (ys : [m]i64) -> (r : [n]i64) =
  let (s : [n]i64) =
    kernel i < n do
      let (x : i64) = xs[i]
      let (t : i64) =
        kernel j < m reduce
          (\(a : i64) (b : i64) ->
            let (c : i64) = max(a, b)
            let (d : i64) = max(c, x)
            in (d)) (0)
        do
          let (y : i64) = ys[j]
          in (y)
      in (t)
  in (s)

entry c4_no [n] [m] (xs : [n]i64) (ys : [m]i64) -> (r : [n][4]i64) =
  let (s : [n][4]i64) =
    kernel i < n do
      let (h : [4]i64) = replicate [4] 0
      let (t : [4]i64) =
        kernel j < m hist (h)
          (\(a : i64) (b : i64) ->
            let (c : i64) = a + b
            in (c)) (0)
        do
          let (y : i64) = ys[j]
          in (y, 1)
      in (t)
  in (s)

entry c5_no [n] (xs : [n]i64) (m : i64) -> (r : [n]i64) =
  let (s : [n]i64) =
    kernel i < n do
      let (t : i64) =
        kernel j < m reduce
          (\(a : i64) (b : i64) ->
            let (c : i64) = a + b
            in (c)) (0)
        do
          let (y : i64) = i * j
          in (y)
      in (t)
  in (s)

entry c5_yes [n] (xs : [n]i64) (m : i64) -> (q : [m]i64) (r : [n]i64) =
  let (is : [m]i64) = iota [m] 0 1
  let (s : [n]i64) =
    kernel i < n, j < m reduce
      (\(a : i64) (b : i64) ->
        let (c : i64) = a + b
        in (c)) (0)
    do
      let (y : i64) = i * j
      in (y)
  in (is, s)

entry c6_no [n] [m] (ys : [n][m]i64) (k : i64) -> (r : [n][m]i64) (q : [n][m]i64) =
  let (s : [n][m]i64) (u : [n][m]i64) =
    kernel i < n do
      let (row : [m]i64) =
        kernel j < m do
          let (y : i64) = ys[i, j]
          let (z : i64) = y * 2
          in (z)
      let (other : [m]i64) =
        kernel l < m do
          let (w : i64) = row[-l + m - 1]
          in (w)
      let (new : [m]i64) = row with [k] = 7
      in (new, other)
  in (s, u)

entry c7_no [n] [m] (ys : [n][m]i64) (xs : [n]i64) -> (r : [n][m]i64) (q : [n]i64) =
  let (s : [n][m]i64) (u : [n]i64) =
    kernel i < n do
      let (row : [m]i64) =
        kernel j < m do
          let (y : i64) = ys[i, j]
          let (z : i64) = 12 / y
          in (z)
      let (k : i64) = xs[i]
      let (w : i64) = row[k]
      in (row, w)
  in (s, u)

entry c8_no [n] [m] (ys : [n][m]i64) (xs : [n]i64) -> (r : [n][3]i64) (q : [n]i64) =
  let (s : [n][3]i64) (u : [n]i64) =
    kernel i < n do
      let (row : [3]i64) =
        kernel j < 3 do
          let (y : i64) = xs[i]
          let (z : i64) = y + j
          in (z)
      let (w : i64) = row[2]
      in (row, w)
  in (s, u)

entry c9_no [n] [m] (ys : [n][m]i64) (xs : [n]i64) -> (r : [n][m]i64) =
  let (s : [n][m]i64) =
    kernel i < n do
      let (own : [m]i64) = ys[i, 0 : m]
      let (fin : [m]i64) =
        loop (cur : [m]i64) = own for p < i do
          let (next : [m]i64) =
            kernel j < m do
              let (x : i64) = cur[j]
              let (z : i64) = x + p
              in (z)
          in (next)
      in (fin)
  in (s)
-- nest: s (conditions.fun:14:3): (1) the body is one kernel, after cheap statements that cannot trap: operator / traps on some operands
-- nest: s (conditions.fun:14:3): (8) the body contains a map over more than a few iterations: no part of the body is a map
-- nest: s (conditions.fun:37:3): (2) sizes are the same in every iteration: i depends on the iteration
-- nest: s (conditions.fun:37:3): (8) the body contains a map over more than a few iterations: no part of the body is a map
-- nest: s (conditions.fun:58:3): (3) operator and neutral elements do not depend on the iteration: the operator uses x
-- nest: s (conditions.fun:58:3): (8) the body contains a map over more than a few iterations: no part of the body is a map
-- nest: s (conditions.fun:70:3): (4) the inner kernel is not a histogram: every iteration has its own buckets
-- nest: s (conditions.fun:70:3): (8) the body contains a map over more than a few iterations: no part of the body is a map
-- nest: s (conditions.fun:82:3): (5) no size is negative if the outer kernel is empty: m may be negative
-- nest: s (conditions.fun:82:3): (8) the body contains a map over more than a few iterations: no part of the body is a map
-- nest: s u (conditions.fun:103:3): (1) the body is one kernel, after cheap statements that cannot trap: row is computed only once per iteration
-- nest: s u (conditions.fun:103:3): (6) an array is consumed in the part that makes it: row is consumed in one part and made in another
-- nest: s u (conditions.fun:116:3): (1) the body is one kernel, after cheap statements that cannot trap: it does not end with a kernel
-- nest: s u (conditions.fun:116:3): (7) all parts raise the same kind of trap: two parts may raise different kinds of trap
-- nest: s u (conditions.fun:127:3): (1) the body is one kernel, after cheap statements that cannot trap: it does not end with a kernel
-- nest: s u (conditions.fun:127:3): (8) the body contains a map over more than a few iterations: no part of the body is a map
-- nest: s (conditions.fun:137:3): (1) the body is one kernel, after cheap statements that cannot trap: fin is computed only once per iteration
-- nest: s (conditions.fun:137:3): (9) the loop is counted, with the same trip count in every iteration: i depends on the iteration
-- nest: s (conditions.fun:137:3): (8) the body contains a map over more than a few iterations: no part of the body is a map
