-- An own operator is applied to operands of another type.
-- ==
-- error: bool

def (+^) (a: i32) (b: i32) : i32 = a * 10 + b

def main (x: i32) : i32 = x +^ true
