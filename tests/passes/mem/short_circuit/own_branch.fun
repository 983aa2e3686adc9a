-- One branch makes a thread's row, the other one shows a row that was there before, and copies it.
-- done: copy of out, result of a thread of y
-- refused: (1) copy of v: other threads of the kernel out use xs
entry main [n] [k] (xs : [n][k]i32) -> (r : [n][k]i32) =
  let (out : [n][k]i32) = kernel i < n do
    let (c : bool) = i == 1
    let (y : [k]i32) = if c then
      let (v : [k]i32) = xs[i, 0 : k]
      in (v)
    else
      let (b : [k]i32) = kernel j < k do
        let (x : i32) = xs[i, k - 1 - j]
        let (s : i32) = x * 2i32
        in (s)
      in (b)
    in (y)
  in (out)
