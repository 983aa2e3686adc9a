"""Passes from IMP to IMP."""
