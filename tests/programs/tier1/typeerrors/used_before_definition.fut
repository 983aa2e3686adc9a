-- A definition is only visible to those after it.
-- ==
-- error: [Uu]nknown.*later

def first (x: i32) = later x + 1

def later (x: i32) = x * 2

def main (x: i32) = first x
