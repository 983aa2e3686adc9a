-- A name that nothing defines is reported with its spelling.
-- ==
-- error: [Uu]nknown.*heigth

def area (width: i32) (height: i32) : i32 = width * heigth

def main (w: i32) (h: i32) = area w h
