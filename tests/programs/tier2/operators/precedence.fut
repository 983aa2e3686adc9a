-- The first character of an operator decides how tightly it binds, and all bind to the left.
-- ==
-- input { } output { 2074 1074 }

def (+^) (a: i32) (b: i32) : i32 = a * 10 + b
def (*^) (a: i32) (b: i32) : i32 = a * 100 - b

def main : (i32, i32) =
  ( 1 +^ 2 *^ 3 +^ 4      -- (1 +^ (2 *^ 3)) +^ 4
  , 1 *^ 2 +^ 3 *^ 4 - 202  -- (1 *^ 2) +^ (3 *^ 4) - 202
  )

-- ==
-- entry: left_associative
-- input { 1 2 3 } output { 123 -4 }

def (-.) (a: i32) (b: i32) : i32 = a - b

entry left_associative (a: i32) (b: i32) (c: i32) : (i32, i32) = (a +^ b +^ c, a -. b -. c)

-- ==
-- entry: same_level
-- input { 10 4 3 } output { 9 3 }

def (+.) (a: i32) (b: i32) : i32 = a + b

entry same_level (a: i32) (b: i32) (c: i32) : (i32, i32) = (a - b +. c, a -. b - c)

-- ==
-- entry: levels
-- input { 1 } output { true 6 true }

-- `**.` binds tighter than `*.`, that tighter than `+.`, then comparisons, then `&&.`, then `||.`.
def (**.) (a: i32) (b: i32) : i32 = a ** b
def (*.) (a: i32) (b: i32) : i32 = a * b
def (==.) (a: i32) (b: i32) : bool = a == b
def (&&.) (a: bool) (b: bool) : bool = a && b
def (||.) (a: bool) (b: bool) : bool = a || b

entry levels (x: i32) : (bool, i32, bool) =
  ( false &&. false ||. x +. 2 *. 3 **. 2 ==. 19
  , x +. x *. 5
  , true ||. true &&. false
  )

-- ==
-- entry: shifts_and_bits
-- input { 1 } output { 12 8 3 }

def (<<.) (a: i32) (b: i32) : i32 = a << b
def (|.) (a: i32) (b: i32) : i32 = a | b
def (&.) (a: i32) (b: i32) : i32 = a & b

entry shifts_and_bits (x: i32) : (i32, i32, i32) =
  (x +. 2 <<. 2, x <<. 3, x &. 1 |. 2)
