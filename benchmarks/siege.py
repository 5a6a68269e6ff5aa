"""`python -m benchmarks.siege [--quick] [--json]`: a server under attack, as its tests have it."""

from tests.server.siege import main

if __name__ == "__main__":
    raise SystemExit(main())
