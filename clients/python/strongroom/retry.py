"""Which calls are repeated, and after which pause."""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from typing import Mapping, Optional

from .catalogue import OPERATIONS
from .errors import StrongroomError


@dataclass(frozen=True)
class Rules:
    #: Seconds that one try may take.
    timeout: float
    #: The most retries, for a call that may be repeated.
    retries: int
    #: Seconds of the first pause. Each further one is twice as long, and all are shortened at random so that clients do
    #: not retry in step.
    first_delay: float
    #: Seconds of the longest pause. A call whose Retry-After is longer fails immediately, with ``retry_after`` in its
    #: error.
    longest_delay: float

    def changed(self, timeout: Optional[float], retries: Optional[int]) -> Rules:
        return replace(
            self,
            timeout=self.timeout if timeout is None else timeout,
            retries=self.retries if retries is None else retries,
        )


#: Calls other than GET that are repeated: they change nothing, or a first call whose answer was lost does no harm. All
#: others, such as those that create, rotate, delete, import or change something, are sent once.
REPEATABLE: Mapping[str, str] = {
    "auth.check": "says that the session is good",
    "transparent.encrypt": "another ciphertext of the same plaintext; a key that the first call made is used by the second",
    "transparent.decrypt": "the same plaintext",
    "transparent.rewrap": "another ciphertext; the one that was sent stays good",
    "transparent.sign": "another signature of the same input, as good as the first",
    "transparent.verify": "the same judgement",
    "transparent.hmac": "the same HMAC",
    "transparent.datakey": "another data key; the first reached no caller and is kept nowhere",
    "transparent.random": "other random bytes",
    "transparent.hash": "the same hash",
}

#: Statuses of temporary failures: 429 and 503 of the appliance, and those of a proxy that could not reach it.
_PASSING_STATUSES = (429, 502, 503, 504)
_PASSING_CODES = ("network", "timeout", "protocol")


def is_repeatable(operation: str) -> bool:
    method = OPERATIONS[operation][0]
    return operation != "auth.logout" if method == "GET" else operation in REPEATABLE


def pause_after(error: StrongroomError, tries: int, rules: Rules) -> Optional[float]:
    """Seconds before the next try; None for no further try."""
    if tries > rules.retries or (error.code not in _PASSING_CODES and error.status not in _PASSING_STATUSES):
        return None
    if error.retry_after is not None:
        return error.retry_after if error.retry_after <= rules.longest_delay else None
    delay: float = min(rules.longest_delay, rules.first_delay * 2 ** (tries - 1))
    return delay * random.uniform(0.5, 1.0)
