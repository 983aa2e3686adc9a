-- A slice must not be used after its array was consumed.
-- ==
-- error: [Cc]onsum

def main (xs: *[]i32) =
  let rest = xs[1:]
  let xs[0] = 7
  in (xs, rest)
