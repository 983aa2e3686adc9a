-- Needleman-Wunsch: the blocks of an antidiagonal of q blocks are built in the matrix itself, from
-- the row above each of them and the column to the left, which other blocks do not write.
-- done: update of wave, result of a thread of block
-- refused: (5) copy of z: it is a parameter of the entry point
entry main (q : i64) (b : i64) (xs : *[(q*b + 1)*(q*b + 1)]i32)
    -> (zs : [(q*b + 1)*(q*b + 1)]i32) =
  let (ok : bool) = 1 <= b
  assert ok "blocks have elements"
  let (z : [(q*b + 1)*(q*b + 1)]i32) = loop (m : *[(q*b + 1)*(q*b + 1)]i32) = xs for k < q do
    let (above : [k + 1][b + 1]i32) = flat m[k*b + {(k + 1 : b*(q*b + 1) - b) (b + 1 : 1)}]
    let (left : [k + 1][b]i32) =
      flat m[k*b + q*b + 1 + {(k + 1 : b*(q*b + 1) - b) (b : q*b + 1)}]
    let (wave : [k + 1][b][b]i32) = kernel i < k + 1 do
      let (empty : [b][b]i32) = replicate [b][b] 0i32
      let (block : [b][b]i32) = loop (p : *[b][b]i32) = empty for j < b do
        let (l : i32) = left[i, j]
        let (a : i32) = above[i, j + 1]
        let (s : i32) = l + a
        let (p1 : [b][b]i32) = p with [j, j] = s
        in (p1)
      in (block)
    let (m1 : [(q*b + 1)*(q*b + 1)]i32) =
      m with flat [k*b + q*b + 2 + {(k + 1 : b*(q*b + 1) - b) (b : q*b + 1) (b : 1)}] = wave
    in (m1)
  in (z)
