-- A module and a value of the same name cannot be defined side by side.
-- ==
-- error: g

module g = { def f (x: i32) = x + 1 }
def g (x: i32) = x

def main (x: i32) = g x
