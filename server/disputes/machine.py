"""What a machine says in a dispute: it stands by what was measured, and says no to what nobody saw."""

from __future__ import annotations

from engine.ruling import Verdict
from server.disputes.desk import Desk
from server.disputes.dispute import Outcome
from server.web.authentication import Identity


def reply(desk: Desk, player: str, who: Identity) -> bool:
    """Answer what is proposed in the dispute that is open, where that waits for this machine.

    Says whether one is open: as long as people look at it, nothing else is done.
    """
    now = desk.open
    if now is None:
        return False
    proposal = now.proposal
    if proposal is None or player not in proposal.missing:
        return True
    party = desk.party(who)
    if agreeable(now.dispute.ruling.verdict, proposal.outcome):
        desk.consent(party, proposal.number)
    else:
        desk.decline(party, proposal.number)
    return True


def agreeable(verdict: Verdict, outcome: Outcome | None) -> bool:
    """Whether a machine consents to an outcome: the one that was measured; to roll where it is too close.

    >>> agreeable(Verdict.YES, "yes"), agreeable(Verdict.YES, "no"), agreeable(Verdict.TOO_CLOSE, None)
    (True, False, True)
    """
    return outcome is None if verdict is Verdict.TOO_CLOSE else outcome == verdict.value
