-- A literal must fit its type, below as well as above.
-- ==
-- error: 256

def brighten (pixel: u8) : u8 = u8.max pixel 200 + 256

def main (xs: []u8) = map brighten xs
