"""The errors that failed calls raise."""

from __future__ import annotations

from functools import partial
from typing import Any, Mapping, Optional, Tuple, Type

from .catalogue import ERRORS


class StrongroomError(Exception):
    """The error of a failed call. Its text is the appliance's sentence."""

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
        #: Code of the catalogue; ``unknown`` for a code of a newer release; ``network``, ``timeout`` and ``protocol``
        #: are errors of the client.
        self.code = code
        #: Number in the appliance's error catalogue; None where no appliance answered.
        self.number = number
        #: HTTP status; None without an answer.
        self.status = status
        #: The X-Request-Id header of the answer. A proxy may have set it.
        self.request_id = request_id
        #: Seconds after which the call may be repeated.
        self.retry_after = retry_after

    def __reduce__(self) -> Tuple[Any, ...]:
        """Makes the error picklable, for example for ``concurrent.futures``, which passes errors between processes."""
        return partial(type(self), self.message, code=self.code), (), vars(self)


class AuthenticationError(StrongroomError):
    """The login was refused, or the session has ended and the client has no login."""


class PermissionError(StrongroomError):
    """The caller may not make this call."""


class NotFoundError(StrongroomError):
    """The resource does not exist, or is not shared with the caller."""


class ConflictError(StrongroomError):
    """The present state does not allow the call."""


class ThrottledError(StrongroomError):
    """Too many calls: ``retry_after`` says how long to wait."""


class UnavailableError(StrongroomError):
    """The appliance, its token or its database is unavailable."""


class NetworkError(StrongroomError):
    """No answer arrived: no connection, or a timeout. The call may or may not have taken effect."""


class ProtocolError(StrongroomError):
    """The answer is not one of the appliance: it was cut off, or a proxy wrote it."""


class StreamError(ValueError):
    """The input of a decryption is not an encrypted stream, or was changed or cut off."""


_CODES: Mapping[int, Tuple[str, int]] = {number: (code, status) for code, (number, status) in ERRORS.items()}

#: Errors about the caller's identity, although their status is 403 or 400: session.invalid, login.refused,
#: login.type_disabled.
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
    """The error with a number of the catalogue. An item of a batch has no status; it gets that of the catalogue."""
    code, usual = _CODES.get(number or 0, ("unknown", None))
    real = usual if status is None else status
    kind = _CLASSES.get(real or 0, StrongroomError)
    if number in _OF_AUTHENTICATION:
        kind = AuthenticationError
    return kind(message, code=code, number=number, status=real, request_id=request_id, retry_after=retry_after)
