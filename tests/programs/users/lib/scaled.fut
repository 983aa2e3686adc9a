-- What imports_in_modules.fut imports.
def unit : i32 = 10
def scaled (x: i32) : i32 = x * unit
