-- A name may be bound only once among the parameters.
-- ==
-- error: "?x"?.*(also|twice|again|already|[Dd]uplicate)|(also|twice|again|already|[Dd]uplicate).*x

def distance (x: f32) (x: f32) = f32.abs (x - x)

def main (a: f32) (b: f32) = distance a b
