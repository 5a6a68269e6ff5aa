"""Who may talk to the server."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.web.middleware import CONTENT_POLICY, Bucket, host_allowed, origin_allowed


@pytest.mark.parametrize(
    ("host", "allowed"),
    [
        ("localhost", True),
        ("localhost:8014", True),
        ("127.0.0.1:8014", True),
        ("192.168.178.20:8014", True),
        ("[::1]:8014", True),
        ("raspberrypi:8014", True),
        ("raspberrypi.local", True),
        ("table.fritz.box", False),
        ("evil.example", False),
        ("127.0.0.1.evil.example", False),
        ("[::1", False),
        ("", False),
    ],
)
def test_hosts(host: str, allowed: bool) -> None:
    assert host_allowed(host) is allowed


@pytest.mark.parametrize(
    ("origin", "allowed"),
    [
        (None, True),
        ("http://127.0.0.1:8014", True),
        ("https://127.0.0.1:8014", True),
        ("http://127.0.0.1:9999", False),
        ("http://evil.example", False),
        ("http://127.0.0.1:8014.evil.example", False),
        ("http://[", False),
        ("null", False),
        ("", False),
    ],
)
def test_origins(origin: str | None, allowed: bool) -> None:
    assert origin_allowed(origin, "127.0.0.1:8014") is allowed


@given(st.text(max_size=60), st.text(max_size=60))
def test_no_header_breaks_the_guard(origin: str, host: str) -> None:
    assert host_allowed(host) in (True, False)
    assert origin_allowed(origin, host) in (True, False)


def test_the_policy_allows_nothing_from_elsewhere() -> None:
    sources = {s for rule in CONTENT_POLICY.split("; ") for s in rule.split()[1:]}
    assert sources <= {"'none'", "'self'", "blob:", "data:"}


def test_a_bucket_lets_a_burst_pass_and_then_a_rate() -> None:
    now = 0.0
    bucket = Bucket(rate=10, burst=5, clock=lambda: now)
    assert [bucket.pass_one() for _ in range(6)] == [True] * 5 + [False]
    now = 0.25
    assert [bucket.pass_one() for _ in range(3)] == [True, True, False]
    now = 100.0
    assert sum(bucket.pass_one() for _ in range(20)) == 5
