entry diagonal [n] [m] (xs : [n][m]i64) -> (r : [n][n]i64) =
  let (s : [n][n]i64) =
    kernel i < n, j < n do
      let (c : bool) = i == j
      let (t : i64) =
        if c then
          in (1)
        else
          let (sum : i64) =
            kernel k < m reduce
              (\(a : i64) (b : i64) ->
                let (d : i64) = a + b
                in (d)) (0)
            do
              let (x : i64) = xs[i, k]
              let (y : i64) = xs[j, k]
              let (z : i64) = x * y
              in (z)
          in (sum)
      in (t)
  in (s)

entry unequal [n] [m] (xs : [n][m]i64) (p : i64) -> (r : [n]i64) =
  let (s : [n]i64) =
    kernel i < n do
      let (q : i64) = p + 1
      let (c : bool) = i != q
      let (t : i64) =
        if c then
          let (last : i64) =
            loop (h : i64) = 0 for k < m do
              let (x : i64) = xs[i, k]
              let (g : i64) = h * 3
              let (e : i64) = g + x
              in (e)
          in (last)
        else
          in (7)
      in (t)
  in (s)

entry c10_no [n] (xs : [n]i64) -> (r : [n][n]i64) =
  let (s : [n][n]i64) =
    kernel i < n, j < n do
      let (c : bool) = i < j
      let (t : i64) =
        if c then
          in (1)
        else
          let (last : i64) =
            loop (h : i64) = 0 for k < n do
              let (x : i64) = xs[k]
              let (g : i64) = h + x
              in (g)
          in (last)
      in (t)
  in (s)

entry c10_data_no [n] (xs : [n]i64) -> (r : [n]i64) =
  let (s : [n]i64) =
    kernel i < n do
      let (p : i64) = xs[i]
      let (c : bool) = i == p
      let (t : i64) =
        if c then
          in (1)
        else
          let (last : i64) =
            loop (h : i64) = 0 for k < n do
              let (x : i64) = xs[k]
              let (g : i64) = h + x
              in (g)
          in (last)
      in (t)
  in (s)

entry c11_no [n] (xs : [n]i64) -> (r : [n]i64) =
  let (s : [n]i64) =
    kernel i < n do
      let (c : bool) = i == 0
      let (t : i64) =
        if c then
          in (1)
        else
          let (last : i64) =
            loop (h : i64) = 0 for k < 3 do
              let (p : i64) = i - 1
              let (x : i64) = xs[p]
              let (g : i64) = h + x
              in (g)
          in (last)
      in (t)
  in (s)

entry c12_no [n] [m] (xs : [n][m]i64) -> (r : [n]i64) =
  let (s : [n]i64) =
    kernel i < n do
      let (row : [m]i64) = replicate [m] 5
      let (c : bool) = i == 0
      let (t : i64) =
        if c then
          in (1)
        else
          let (done : [m]i64) =
            loop (a : *[m]i64) = row for k < m do
              let (b : [m]i64) = a with [k] = k
              in (b)
          let (u : i64) =
            kernel l < m reduce
              (\(e : i64) (f : i64) ->
                let (d : i64) = e + f
                in (d)) (0)
            do
              let (x : i64) = done[l]
              in (x)
          in (u)
      in (t)
  in (s)

-- nest,simplify -->

entry diagonal [n] [m] (xs : [n][m]i64) -> (r : [n][n]i64) =
  let (s : [n][n]i64) =
    kernel i < n, j < n do
      let (c : bool) = i == j
      let (sum : i64) =
        kernel k < m reduce
          (\(a : i64) (b : i64) ->
            let (d : i64) = a + b
            in (d)) (0)
        do
          let (x : i64) = xs[i, k]
          let (y : i64) = xs[j, k]
          let (z : i64) = x * y
          in (z)
      let (t : i64) =
        if c then
          in (1)
        else
          in (sum)
      in (t)
  in (s)

entry unequal [n] [m] (xs : [n][m]i64) (p : i64) -> (r : [n]i64) =
  let (s : [n]i64) =
    kernel i < n do
      let (q : i64) = p + 1
      let (c : bool) = i != q
      let (last : i64) =
        loop (h : i64) = 0 for k < m do
          let (x : i64) = xs[i, k]
          let (g : i64) = h * 3
          let (e : i64) = g + x
          in (e)
      let (t : i64) =
        if c then
          in (last)
        else
          in (7)
      in (t)
  in (s)

entry c10_no [n] (xs : [n]i64) -> (r : [n][n]i64) =
  let (s : [n][n]i64) =
    kernel i < n, j < n do
      let (c : bool) = i < j
      let (t : i64) =
        if c then
          in (1)
        else
          let (last : i64) =
            loop (h : i64) = 0 for k < n do
              let (x : i64) = xs[k]
              let (g : i64) = h + x
              in (g)
          in (last)
      in (t)
  in (s)

entry c10_data_no [n] (xs : [n]i64) -> (r : [n]i64) =
  let (s : [n]i64) =
    kernel i < n do
      let (p : i64) = xs[i]
      let (c : bool) = i == p
      let (t : i64) =
        if c then
          in (1)
        else
          let (last : i64) =
            loop (h : i64) = 0 for k < n do
              let (x : i64) = xs[k]
              let (g : i64) = h + x
              in (g)
          in (last)
      in (t)
  in (s)

entry c11_no [n] (xs : [n]i64) -> (r : [n]i64) =
  let (s : [n]i64) =
    kernel i < n do
      let (c : bool) = i == 0
      let (t : i64) =
        if c then
          in (1)
        else
          let (last : i64) =
            loop (h : i64) = 0 for k < 3 do
              let (x : i64) = xs[i - 1]
              let (g : i64) = h + x
              in (g)
          in (last)
      in (t)
  in (s)

entry c12_no [n] [m] (xs : [n][m]i64) -> (r : [n]i64) =
  let (s : [n]i64) =
    kernel i < n do
      let (row : [m]i64) = replicate [m] 5
      let (c : bool) = i == 0
      let (t : i64) =
        if c then
          in (1)
        else
          let (done : [m]i64) =
            loop (a : *[m]i64) = row for k < m do
              let (b : [m]i64) = a with [k] = k
              in (b)
          let (u : i64) =
            kernel l < m reduce
              (\(e : i64) (f : i64) ->
                let (d : i64) = e + f
                in (d)) (0)
            do
              let (x : i64) = done[l]
              in (x)
          in (u)
      in (t)
  in (s)
-- nest: s (branches.fun:3:3): (1) the body is one kernel, after cheap statements that cannot trap: it does not end with a kernel
-- nest: s (branches.fun:3:3): (8) the body contains a map over more than a few iterations: no part of the body is a map
-- nest: t (branches.fun:38:5): (10) all iterations but one take the branch: its condition is no comparison with an index
-- nest: t (branches.fun:53:5): (10) all iterations but one take the branch: its condition is no comparison with an index
-- nest: t (branches.fun:67:5): (11) what the branch computes cannot trap elsewhere: [p] may be out of bounds of a dimension of xs with n elements
-- nest: t (branches.fun:83:5): (12) the branch updates no array and calls no function with effects: it updates an array
-- nest: s (branches.fun:80:3): (1) the body is one kernel, after cheap statements that cannot trap: it does not end with a kernel
-- nest: s (branches.fun:80:3): (8) the body contains a map over more than a few iterations: no part of the body is a map
