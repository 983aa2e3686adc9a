-- One branch fills a thread's row, and does nothing else; the other one copies one to it.
-- done: copy of out, result of a thread of y
-- refused: (1) copy of v: other threads of the kernel out use xs
entry main [n] [k] (xs : [n][k]i32) -> (r : [n][k]i32) =
  let (out : [n][k]i32) = kernel i < n do
    let (c : bool) = i == 1
    let (y : [k]i32) = if c then
      let (v : [k]i32) = xs[i, 0 : k]
      in (v)
    else
      let (b : [k]i32) = replicate [k] 4i32
      in (b)
    in (y)
  in (out)
