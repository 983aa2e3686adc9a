"""The languages: FUN, FUNMEM and IMP, their sizes, index functions, rules and texts."""
