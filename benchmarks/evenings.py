"""`python -m benchmarks.evenings --game NAME`: long evenings, by the machine that plays those of the gate."""

from tests.evening.__main__ import main

if __name__ == "__main__":
    main()
