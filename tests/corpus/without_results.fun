-- Statements without results are there for their traps.
entry main [n] (xs : [n]i64) (k : i64) -> (r : i64) =
  let (c : bool) = k > 0
  let = if c then
    let (a : i64) = xs[k]
    let (d : bool) = a > 0
    assert d "not positive"
    in ()
  else
    in ()
  let = kernel i < n do
    let (x : i64) = xs[i]
    let (own : [k]i64) = iota [k] x 1
    let (back : [k]i64) = reverse 0 own
    let = if c then
      let (first : i64) = back[0]
      let (ok : bool) = first > -5
      assert ok "far below: {}" (x)
      in ()
    else
      in ()
    let = kernel l < k do
      let (y : i64) = own[l]
      let (q : i64) = 12 / y
      in ()
    in ()
  let = loop for j < k do
    let (row : [n]i64) = copy xs
    let (new : [n]i64) = row with [0] = j
    let (z : i64) = new[n - 1]
    let (w : i64) = 7 % z
    in ()
  let = loop for t < 3 do
    in ()
  in (k)
