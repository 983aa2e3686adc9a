-- An import of a file that does not exist.
-- ==
-- error: no_such_file

import "no_such_file"

def main (x: i32) : i32 = x
