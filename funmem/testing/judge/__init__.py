"""Judges: is a program, after a pass or on an engine, still what it was?"""
