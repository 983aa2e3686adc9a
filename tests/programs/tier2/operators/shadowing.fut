-- Built-in operators can be redefined, for the whole program after it or locally in an expression.
-- ==
-- input { 5 7 } output { 12 35 }

def main (a: i32) (b: i32) : (i32, i32) =
  let plus = a + b
  let (+) = \(x: i32) (y: i32) -> x * y
  in (plus, a + b)

-- ==
-- entry: not_outside
-- input { 5 7 } output { 12 }

entry not_outside (a: i32) (b: i32) : i32 = a + b

-- ==
-- entry: as_parameter
-- input { 6 4 } output { 10 2 24 }

def compute (<>) (x: i32) (y: i32) : i32 = x <> y

entry as_parameter (a: i32) (b: i32) : (i32, i32, i32) = (compute (+) a b, compute (-) a b, compute (*) a b)

-- ==
-- entry: redefined_after_use
-- input { 10 3 } output { 7 13 }

def before (a: i32) (b: i32) : i32 = a - b

def (-) (a: i32) (b: i32) : i32 = a + b

entry redefined_after_use (a: i32) (b: i32) : (i32, i32) = (before a b, a - b)
