-- An entry point cannot be polymorphic.
-- ==
-- error: polymorphic|type parameter|t

entry main 't (x: t) : t = x
