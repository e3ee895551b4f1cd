"""The session of a client: its login, prolongation, renewal and changes of token."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field
from typing import Callable, Optional

from .answer import Envelope
from .errors import AuthenticationError, StrongroomError
from .logins import Login
from .steps import Lock, Steps, Whole

#: The part of its lifetime after which a session with a fixed end is renewed. Calls use the old token meanwhile.
_RENEWAL_PART = 0.8
#: Seconds before a failed renewal is repeated, while the old session is still valid.
_RENEW_AGAIN = 5.0


@dataclass
class _Open:
    token: str = field(repr=False)
    #: Time at which the session ends unless it is used; infinity for a token of an earlier run.
    ends_at: float = math.inf
    renew_at: float = math.inf
    #: Seconds by which each call prolongs the session; 0 for a fixed end.
    idle: float = 0.0


class Session:
    def __init__(
        self,
        login: Optional[Login],
        token: Optional[str],
        on_token: Optional[Callable[[Optional[str]], None]],
        send: Callable[[Login], Steps[Envelope]],
    ) -> None:
        self._login = login
        self._open = None if token is None else _Open(token)
        self._on_token = on_token or (lambda _token: None)
        self._send = send
        self._logins = 0
        self._failure: Optional[StrongroomError] = None

    def token(self) -> Steps[str]:
        """Returns the token for the next call, after a login if there is no session."""
        now = time.monotonic()
        session = self._open
        if session is None or now >= session.ends_at:
            begun: str = yield Whole(self._begin(session))
            return begun
        release = (yield Lock(waits=False)) if now >= session.renew_at else None
        if release is None:
            return session.token
        # Other calls use the old session meanwhile. It is valid until its end, so that any error of the renewal is
        # ignored: a token file may be missing for a moment, or a callback of the program may fail. A login after the
        # end reports it.
        try:
            session.renew_at = now + _RENEW_AGAIN
            return (yield from self._log_in())
        except Exception:
            return session.token
        finally:
            release()

    def _begin(self, ended: Optional[_Open]) -> Steps[str]:
        """Logs in once for all waiting calls, which share its success or failure."""
        logins = self._logins
        release = yield Lock(waits=True)
        try:
            if self._open is not None and self._open is not ended:
                return self._open.token
            if self._logins != logins and self._failure is not None:
                raise self._failure
            return (yield from self._log_in())
        finally:
            release()

    def _log_in(self) -> Steps[str]:
        login = self._login
        if login is None:
            raise AuthenticationError("The client has no session, and no login to begin one.", code="session.invalid")
        started = time.monotonic()
        self._failure = None
        try:
            info = (yield from self._send(login))["CALLINFO"]
            token = info.get("token")
            if not isinstance(token, str):
                raise AuthenticationError("The login gave no token.", code="protocol")
        except StrongroomError as error:
            self._failure = error
            raise
        finally:
            self._logins += 1
        timeout = info.get("timeout")
        life = timeout / 1000 if isinstance(timeout, (int, float)) and timeout > 0 else math.inf
        if login.is_prolonged:
            self._open = _Open(token, started + life, idle=life)
        else:
            self._open = _Open(token, started + life, renew_at=started + life * _RENEWAL_PART)
        self._on_token(token)
        return token

    def used(self, sent: str, following: str) -> None:
        """Notes that a call with this token was answered, and the token that the answer gives for the next call."""
        session = self._open
        if session is None or session.token != sent:
            return
        if session.idle > 0:
            session.ends_at = time.monotonic() + session.idle
        if following != sent:
            session.token = following
            self._on_token(following)

    def lost(self, sent: str) -> bool:
        """Forgets a token that the appliance refuses. Returns whether the call can be repeated with another one."""
        if self._open is not None and self._open.token == sent:
            self.forget()
        return self._open is not None or self._login is not None

    @property
    def current(self) -> Optional[str]:
        """The present token, without a login."""
        return None if self._open is None else self._open.token

    def forget(self) -> None:
        if self._open is not None:
            self._open = None
            self._on_token(None)
