"""`python -m tableref …`: the command line, where its own command is not on the path."""

from . import main

if __name__ == "__main__":
    main()
