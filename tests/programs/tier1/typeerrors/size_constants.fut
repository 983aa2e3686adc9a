-- Constant sizes that differ.
-- ==
-- error: 3.*2|2.*3

def cross (a: [3]f32) (b: [3]f32) : f32 = a[0] * b[1] - a[1] * b[0]

def main (x: f32) = cross [x, x, x] [x, x]
