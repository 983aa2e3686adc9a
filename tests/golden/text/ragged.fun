entry main [n] (lens : [n]i64) -> (sums : [n]i64) =
  let (out : [n]i64) =
    kernel i < n do
      let (len : i64) = lens[i]
      let (squares : [len]i64) =
        kernel j < len do
          let (sq : i64) = j * j
          in (sq)
      let (prefix : [len]i64) =
        kernel j2 < len scan
          (\(a : i64) (b : i64) ->
            let (c : i64) = a + b
            in (c)) (0)
        do
          let (s : i64) = squares[j2]
          in (s)
      let (total : i64) =
        kernel j3 < len reduce
          (\(a3 : i64) (b3 : i64) ->
            let (c3 : i64) = a3 + b3
            in (c3)) (0)
        do
          let (p : i64) = prefix[j3]
          in (p)
      in (total)
  in (out)
