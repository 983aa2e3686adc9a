-- An argument of another type than the parameter.
-- ==
-- error: i64

def repeat (n: i64) (x: f64) : [n]f64 = replicate n x

def main (count: i32) (x: f64) = repeat count x
