"""A process that ends while pictures are seen does so in order: nothing native runs into its end.

A thread that is cut off inside OpenCV while the interpreter shuts down aborts the whole process.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]

ENDS_IN_A_SEARCH = """
import sys, time
from calibration.tablefile import parse_table
from server.pipeline.runner import Runner
from server.pipeline.referee import Referee
from vision.simulate.live import SimulatedTable
from vision.simulate.scenes import evening_scene

scene = evening_scene((1280, 720))
referee = Referee(parse_table(scene.to_toml()), beside=True)
live = Runner(SimulatedTable(scene, fps=30.0), referee)
live.start()
end = time.monotonic() + 60
while referee._watch.searches < {searches} and time.monotonic() < end:
    time.sleep(0.005)
assert referee._watch.searches >= {searches}
{how}
"""


@pytest.mark.parametrize("how", ["", "sys.exit(3)", "raise KeyError('a mistake')", "live.stop()"])
def test_a_process_ends_with_its_own_exit_code_whatever_runs_beside(how: str) -> None:
    code = ENDS_IN_A_SEARCH.format(how=how, searches=1)
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", code], cwd=ROOT, capture_output=True, text=True,
        check=False, timeout=300,
    )  # fmt: skip
    assert done.returncode == {"": 0, "sys.exit(3)": 3, "live.stop()": 0}.get(how, 1), done.stderr
    assert "Fatal Python error" not in done.stderr
    assert "could not be judged" not in done.stderr
    if how.startswith("raise"):
        assert "KeyError: 'a mistake'" in done.stderr
    else:
        assert done.stderr == ""
