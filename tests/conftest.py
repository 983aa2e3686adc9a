"""Settings for all tests."""

from hypothesis import HealthCheck, settings

# The default: the same examples on every run, judged by no clock.
settings.register_profile(
    "ci",
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=[HealthCheck.too_slow],
)
# New examples on every run: pytest --hypothesis-profile explore
settings.register_profile("explore", deadline=None, max_examples=2000)
settings.load_profile("ci")
