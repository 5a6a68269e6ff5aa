"""What is measured against truth and against peers, not asserted."""

import os

# As in the commands (server/commands/cli.py): what is measured is what players run.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
