-- T-ASSERT: more values than a device reports
entry f (c : bool) (x : i64) -> (r : i64) =
  assert c "{}{}{}{}{}{}{}{}{}{}{}{}{}{}{}{}{}{}{}{}{}{}{}{}{}" (x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x)
  in (x)
