-- The type of an entry point must be known: here nothing says what it takes.
-- ==
-- error: [Ee]ntry

entry same x = x
