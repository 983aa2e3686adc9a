entry main [n] (xs : [n]f32) -> (best : f32) (place : i64) =
  let (value : f32) (index : i64) =
    kernel i < n reduce
      (\(v1 : f32) (i1 : i64) (v2 : f32) (i2 : i64) ->
        let (second : bool) = v2 > v1
        let (v : f32) (j : i64) =
          if second then
            in (v2, i2)
          else
            in (v1, i1)
        in (v, j)) (-f32.inf, -1)
    do
      let (x : f32) = xs[i]
      in (x, i)
  in (value, index)
