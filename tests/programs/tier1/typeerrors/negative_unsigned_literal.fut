-- A negative literal has no unsigned type.
-- ==
-- error: u8

def darken (pixel: u8) : u8 = pixel + -1

def main (xs: []u8) = map darken xs
