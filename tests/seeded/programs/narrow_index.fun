-- An index as an i8, and back: the numbers from 128 on become negative.
entry main (n : i64) -> (r : [200]i64) =
  let (r1 : [200]i64) =
    kernel i < 200 do
      let (k : i8) = i8(i)
      let (wide : i64) = i64(k)
      let (x : i64) = wide + n
      in (x)
  in (r1)
