"""Harlan, the language of paper 000: S-expressions, macros, inference, and translation to Core.

text -> data (reader) -> syntax tree (macros, expand: names resolved) -> types (infer) -> Core
(elaborate).  The library is Harlan text of our own, in ``library/``.
"""
