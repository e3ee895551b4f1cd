"""What a call that fails raises."""

from __future__ import annotations

from functools import partial
from typing import Any, Mapping, Optional, Tuple, Type

from .catalogue import ERRORS


class StrongroomError(Exception):
    """A call failed. Its text is the appliance's sentence."""

    def __init__(
        self,
        message: str,
        *,
        code: str,
        number: Optional[int] = None,
        status: Optional[int] = None,
        request_id: Optional[str] = None,
        retry_after: Optional[float] = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        #: Code of the catalogue; ``unknown`` for one of a newer release; ``network``, ``timeout`` and ``protocol`` are the client's own.
        self.code = code
        #: Number of the appliance's catalogue; None where no appliance answered.
        self.number = number
        #: HTTP status; None where nothing answered.
        self.status = status
        #: The header X-Request-Id of the answer, which a proxy in front may give.
        self.request_id = request_id
        #: Seconds that the appliance asks to wait.
        self.retry_after = retry_after

    def __reduce__(self) -> Tuple[Any, ...]:
        """Goes from one process to another, as those of ``concurrent.futures`` do."""
        return partial(type(self), self.message, code=self.code), (), vars(self)


class AuthenticationError(StrongroomError):
    """The login was refused, or the session has ended and the client has no login of its own."""


class PermissionError(StrongroomError):
    """The caller may not do this."""


class NotFoundError(StrongroomError):
    """There is no such thing, or it is not shared with the caller."""


class ConflictError(StrongroomError):
    """The state of things does not allow the call."""


class ThrottledError(StrongroomError):
    """Too many calls: ``retry_after`` says when the next may come."""


class UnavailableError(StrongroomError):
    """The appliance, its token or its database cannot serve at this moment."""


class NetworkError(StrongroomError):
    """No answer came: no connection, or none in time. Whether the call took effect is not known."""


class ProtocolError(StrongroomError):
    """What came is not an answer of the appliance: it was cut, or a proxy in between wrote it."""


class StreamError(ValueError):
    """What was to be decrypted is not a stream of a client, or was changed or cut."""


_CODES: Mapping[int, Tuple[str, int]] = {number: (code, status) for code, (number, status) in ERRORS.items()}

#: 403 or 400, and yet about who calls: session.invalid, login.refused, login.type_disabled.
_OF_AUTHENTICATION = (1200, 1201, 1203)

_CLASSES: Mapping[int, Type[StrongroomError]] = {
    401: AuthenticationError,
    403: PermissionError,
    404: NotFoundError,
    409: ConflictError,
    429: ThrottledError,
    503: UnavailableError,
}


def appliance_error(
    message: str,
    number: Optional[int],
    status: Optional[int] = None,
    *,
    request_id: Optional[str] = None,
    retry_after: Optional[float] = None,
) -> StrongroomError:
    """The error with this number; its status comes from the catalogue where an item of a batch failed by itself."""
    code, usual = _CODES.get(number or 0, ("unknown", None))
    real = usual if status is None else status
    kind = _CLASSES.get(real or 0, StrongroomError)
    if number in _OF_AUTHENTICATION:
        kind = AuthenticationError
    return kind(message, code=code, number=number, status=real, request_id=request_id, retry_after=retry_after)
