-- The two operands of an arithmetic operator must have one type; nothing converts by itself.
-- ==
-- error: f32

def mean [n] (xs: [n]f32) (count: i32) : f32 = f32.sum xs / count

def main (xs: []f32) = mean xs 3
