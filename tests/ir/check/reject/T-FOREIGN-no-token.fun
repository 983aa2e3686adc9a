-- T-FOREIGN: an effect without a token
entry f (x : i64) -> (r : i64) =
  let (y : i64) = call ask (x) effect
  in (y)
