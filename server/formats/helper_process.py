"""A function that is called in a process of its own: calls and answers pickled, over its input and output.

In a thread of the server a long calculation would hold the interpreter while a frame waits to be told. A
process of its own, less urgent than others, uses what the machine has left.
"""

from __future__ import annotations

import atexit
import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable
from contextlib import suppress
from typing import IO, Any

LOWER = 10
"""How much nicer to others the process is."""

STOP = "stop"
"""What is sent instead of a call so that the one that is made comes to its end."""

PACKED = 20
"""How often something is packed anew that changes meanwhile."""

_stopped = threading.Event()


class HelperEnded(Exception):
    """The process ended before it had answered."""


class HelperProcess:
    """Calls `function` as it would be called here, one call at a time, in a process started for the first.

    It ends with this one, however this one ends: then it reads the end of its input. The function must be
    one of a module; what it takes and gives is pickled.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self._function = function
        self._process: subprocess.Popen[bytes] | None = None
        self._writing = threading.Lock()
        atexit.register(self.close)

    def __call__(self, *what: Any, patience_s: float | None = None) -> Any:
        """What the function gives; what it raises is raised here.

        Raises `HelperEnded` where the process is gone, or has not answered after `patience_s` seconds: then
        it is ended. The next call starts another.
        """
        process = self._running()
        late = threading.Timer(patience_s, process.kill) if patience_s is not None else None
        if late is not None:
            late.daemon = True
            late.start()
        assert process.stdout is not None
        try:
            self._send(what, process)
            found = pickle.load(process.stdout)
        except (OSError, EOFError, pickle.UnpicklingError) as error:
            self.close()
            raise HelperEnded(f"the process ended with {process.returncode}") from error
        finally:
            if late is not None:
                late.cancel()
        if isinstance(found, Exception):
            raise found
        return found

    def stop(self) -> None:
        """Asks the call that is made now, if any, to come to its end: there `stopped` is true from now on."""
        process = self._process
        if process is not None and process.poll() is None:
            with suppress(OSError, ValueError):
                self._send(STOP, process)

    @property
    def pid(self) -> int:
        """The number of the process, which is started where there is none."""
        return self._running().pid

    def _send(self, what: object, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin is not None
        with self._writing:
            _send(what, process.stdin)

    def _running(self) -> subprocess.Popen[bytes]:
        if self._process is None or self._process.poll() is not None:
            self.close()
            module, name = self._function.__module__, self._function.__qualname__
            serves = f"from {__name__} import serve; from {module} import {name}; serve({name})"
            known = os.environ | {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-c", serves],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env=known,
            )
        return self._process

    def close(self) -> None:
        """Ends the process, if there is one."""
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait()
        for end in (process.stdin, process.stdout):
            if end is not None:
                with suppress(OSError):
                    end.close()


def _send(what: object, to: IO[bytes]) -> None:
    to.write(_packed(what))
    to.flush()


def _packed(what: object) -> bytes:
    """Pickles; anew where another thread kept something that it had worked out in the very moment.

    What is worked out once is kept with its object (`cached_property`), which cannot be read meanwhile.
    """
    for _ in range(PACKED):
        with suppress(RuntimeError):
            return pickle.dumps(what, pickle.HIGHEST_PROTOCOL)
    return pickle.dumps(what, pickle.HIGHEST_PROTOCOL)


# In the process


def stopped() -> bool:
    """Whether the call that is made now is to come to its end."""
    return _stopped.is_set()


def serve(function: Callable[..., Any]) -> None:
    """What the process does: answers the calls on its input, until that ends."""
    # Ctrl-C reaches every process of a terminal; this one ends when the server lets it go.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(os, "nice"):
        os.nice(LOWER)
    # Whatever somebody prints must not come between the answers.
    answers, sys.stdout = sys.stdout.buffer, sys.stderr
    calls: queue.SimpleQueue[tuple[Any, ...]] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(calls,), daemon=True).start()
    while True:
        what = calls.get()
        found: Any
        try:
            found = function(*what)
        except Exception as error:
            found = error
        try:
            _send(found, answers)
        except BrokenPipeError:
            return


def _read(calls: queue.SimpleQueue[tuple[Any, ...]]) -> None:
    """Reads calls, and that one is to stop, while another is made."""
    while True:
        try:
            what = pickle.load(sys.stdin.buffer)
        except EOFError:
            # In the midst of a calculation, too: nobody waits for its answer any more.
            os._exit(0)
        except Exception:
            # What cannot be read leaves the input somewhere within it.
            traceback.print_exc()
            os._exit(1)
        if what == STOP:
            _stopped.set()
        else:
            _stopped.clear()
            calls.put(what)
