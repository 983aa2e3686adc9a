"""The front end of NOVA, the language of paper 001 (papers/frontends/nova.md).

reader (frontends/sexpr.py) -> parser -> infer -> elaborate -> Core
"""
