"""`python -m tests.golden --game ID [NAME …]`: plays golden games and writes their logs and ends anew.

Only when a rule was changed on purpose: the logs are what must not change by itself. Where events tell more
of what happened than before, `--told-anew` writes the games that are there again, and refuses if anything
else of them changes; `--words-anew` does so where they say it in other words or name another
place in the book. The games of a rule book are played by the module `<id>_games` beside this one.
"""

from __future__ import annotations

import argparse

from benchmarks.games import told_again
from engine.game.match import Match
from engine.game.registry import game_called
from tests.golden import HERE, end_of, games_of, log_of, read, told_anew


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--game", required=True, help="the id of the game")
    parser.add_argument("--told-anew", action="store_true", help="what is there, with today's events")
    parser.add_argument("--words-anew", action="store_true", help="the same, with today's words")
    parser.add_argument("name", nargs="*", help="only these")
    said = parser.parse_args()
    game = game_called(said.game)
    folder = HERE / game.about.id
    folder.mkdir(exist_ok=True)
    for name, played in games_of(game.about.id).items():
        if said.name and name not in said.name:
            continue
        path = folder / f"{name}.jsonl"
        again = said.told_anew or said.words_anew
        match = told_anew(Match.replay(game, read(path)), said.words_anew) if again else played()
        told_again(match, 0)
        path.write_text(log_of(match), encoding="utf-8", newline="\n")
        path.with_suffix(".end.json").write_text(end_of(match), encoding="utf-8", newline="\n")
        print(f"{name}: {len(match.log)} events, {path.stat().st_size / 1024:.0f} kB, {match.log[-1].words}")


if __name__ == "__main__":
    main()
