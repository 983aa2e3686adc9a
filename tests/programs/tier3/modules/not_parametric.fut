-- Only a parametric module can be applied.
-- ==
-- error: Cannot apply non-parametric module

module plain = { def x = 1i32 }
module other = plain { def x = 2i32 }

def main : i32 = other.x
