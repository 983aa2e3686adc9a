-- A definition may have the name of a module, whose members its body still sees.
-- ==
-- input { 3 } output { 6.5 }

def f64 (x: i32) : f64 = f64.i32 x * 2

def main (x: i32) : f64 = f64 x + 0.5
