-- One branch makes a thread's row, the other one copies one to it; each returns a number besides.
-- done: copy of out, copy of sums, result of a thread of y
-- refused: (1) copy of v: other threads of the kernel out sums use xs
entry main [n] [k] (xs : [n][k]i32) -> (r : [n][k]i32) (q : [n]i32) =
  let (out : [n][k]i32) (sums : [n]i32) = kernel i < n do
    let (c : bool) = i == 1
    let (s : i32) (y : [k]i32) = if c then
      let (v : [k]i32) = xs[i, 0 : k]
      in (3i32, v)
    else
      let (b : [k]i32) = kernel j < k do
        let (x : i32) = xs[i, k - 1 - j]
        let (s1 : i32) = x * 2i32
        in (s1)
      in (4i32, b)
    in (y, s)
  in (out, sums)
