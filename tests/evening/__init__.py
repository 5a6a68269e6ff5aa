"""Evenings that a machine plays, on the real application over a table whose truth is known.

An owner, players on phones, a spectator, a hostile phone. A seeded player does what the pages offer, what
hands do (push, put elsewhere, lift, cover, push back) and what cheats do (any message, with facts of their
own), and undoes, types, accepts, disputes, gives up, restarts, is killed. Around it phones change hands,
terrain is moved, games follow one another, the disk is full. The camera is bumped, the set-up is changed, two
pages do the same at once. After every act what is known outside the product is held against what it says.
"""

from tests.evening import acts, around, camera, hostile, owners  # noqa: F401  (each act makes itself known)
from tests.evening.evening import Played, play, shortest
from tests.evening.twins import unlike

__all__ = ["Played", "play", "shortest", "unlike"]
