"""Source languages: each becomes Core (:mod:`funmem.ir.core`)."""
