"""Imported before any pass: from then on they say which seeded bugs they come across."""

from tests.seeded.reach import watch

watch()
