-- (5) What the loop carries grows.
-- refused: (5) concat of y: the size of a depends on
-- refused: (5) next value of a: the size of a depends on
-- refused: (1) concat of a: cut is a result of the loop y
-- done: copy of z, concat of end, concat of extra
entry main (steps : i64) -> [l] (zs : [l + 1]i32) =
  let (none : [0]i32) = [] : i32
  let (k : i64) (y : [k]i32) = loop (s : i64) = 0, (a : [s]i32) = none for t < steps do
    let (s1 : i64) = s + 1
    let (extra : [1]i32) = iota [1] 7i32 1i32
    let (next : [s + 1]i32) = concat 0 a extra
    let (cut : [s1]i32) = next[0 : s1]
    in (s1, cut)
  let (end : [1]i32) = replicate [1] 9i32
  let (z : [k + 1]i32) = concat 0 y end
  in (k, z)
