"""The steps of a call, which both clients share."""

from __future__ import annotations

import json
import re
import threading
from dataclasses import replace
from functools import partial
from typing import Any, Callable, Dict, List, Mapping, Optional
from urllib.parse import quote, urlencode, urlsplit

from .answer import Envelope, read_answer
from .catalogue import OPERATIONS
from .errors import StrongroomError
from .key_calls import BatchLimits, KeyCall, T, batches, results_of
from .logins import Login
from .retry import Rules, is_repeatable, pause_after
from .session import Session
from .steps import Pause, Send, Steps, Upload, Work

#: The appliance's default port for client certificates.
_CERTIFICATE_PORT = 8443


class Running:
    """Counts the calls under way. Connections are closed once the client is and no call is left, because a call that breaks
    may have taken effect.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._calls = 0
        self._is_closed = False

    def begin(self) -> None:
        with self._lock:
            self._calls += 1

    def end(self) -> bool:
        """Returns whether the connections are to be closed now."""
        with self._lock:
            self._calls -= 1
            return self._is_closed and self._calls == 0

    def close(self) -> bool:
        """Returns whether the connections are to be closed now."""
        with self._lock:
            self._is_closed = True
            return self._calls == 0


class Core:
    def __init__(
        self,
        url: str,
        login: Optional[Login],
        token: Optional[str],
        on_token: Optional[Callable[[Optional[str]], None]],
        rules: Rules,
    ) -> None:
        self._base = base_of(url)
        # httpx would show it in the message of its error.
        if not re.fullmatch("[!-~]*", token or ""):
            raise ValueError("The token has a character that is none of a token, such as a line break.")
        self._rules = rules
        self.running = Running()
        self.session = Session(login, token, on_token, self._send_login)

    def call(
        self,
        operation: str,
        params: Mapping[str, Any],
        query: Mapping[str, Any],
        body: Optional[Mapping[str, Any]],
        file: Optional[Upload],
        rules: Rules,
    ) -> Steps[Envelope]:
        if operation not in OPERATIONS:
            raise ValueError(f"There is no operation {operation!r}: strongroom.OPERATIONS has all.")
        method, template, is_public = OPERATIONS[operation]
        request = Send(method, self._base + path_of(template, params, query), None, None, rules.timeout)
        if file is not None:
            request = replace(request, file=file, fields=_texts(body or {}))
        elif body is not None and method != "GET":
            request = replace(request, body=json.dumps(body).encode())
        attempt = (lambda: _once(request)) if is_public else (lambda: self._with_session(request))
        return _with_retries(attempt, rules if is_repeatable(operation) else replace(rules, retries=0))

    def key_call(self, call: KeyCall[T], rules: Rules) -> Steps[T]:
        envelope = yield from self.call(call.operation, call.params, {}, call.body, None, rules)
        return call.read(envelope["CALLINFO"])

    def key_batch(self, calls: List[KeyCall[Any]], limits: BatchLimits, rules: Rules) -> Steps[List[Any]]:
        """Returns the result or error of each call, in their order. All calls have the same key and operation."""
        outcomes: List[Any] = []
        for part in batches(calls, limits):
            outcomes += yield from self._key_part(part, rules)
        return outcomes

    def _key_part(self, part: List[KeyCall[Any]], rules: Rules) -> Steps[List[Any]]:
        first = part[0]
        body = first.body if len(part) == 1 else {**first.shared, "batch_input": [call.item for call in part]}
        try:
            envelope = yield from self.call(first.operation, first.params, {}, body, None, rules)
            return results_of(part, envelope["CALLINFO"])
        except StrongroomError as error:
            if error.status != 413 or len(part) == 1:
                return [error] * len(part)
        # This appliance accepts smaller bodies than usual.
        half = len(part) // 2
        return (yield from self._key_part(part[:half], rules)) + (yield from self._key_part(part[half:], rules))

    def log_out(self, rules: Rules) -> Steps[None]:
        """Ends the session, if it has not ended already. A call would log in, only to log out."""
        token = self.session.current
        if token is None:
            return
        method, path, _ = OPERATIONS["auth.logout"]
        try:
            yield from _once(Send(method, self._base + path, None, token, rules.timeout))
        except StrongroomError as error:
            if error.code != "session.invalid":
                raise
        self.session.forget()

    def _with_session(self, request: Send) -> Steps[Envelope]:
        token = yield from self.session.token()
        try:
            return (yield from self._with_token(request, token))
        except StrongroomError as error:
            # The appliance checks the token before it acts, so that every call may be repeated with a new token.
            if error.code != "session.invalid" or not self.session.lost(token):
                raise
        return (yield from self._with_token(request, (yield from self.session.token())))

    def _with_token(self, request: Send, token: str) -> Steps[Envelope]:
        return read_answer((yield replace(request, token=token)), partial(self.session.used, token))

    def _send_login(self, login: Login) -> Steps[Envelope]:
        base = self._base
        if login.url is not None:
            base = base_of(login.url)
        elif login.identity is not None:
            base = base_of(f"https://{_host_of(base)}:{_CERTIFICATE_PORT}{urlsplit(base).path}")

        def attempt() -> Steps[Envelope]:
            yield Pause(max(0.0, login.delay()))
            body = json.dumps((yield Work(login.body))).encode()
            url = base + OPERATIONS["auth.login"][1]
            return (yield from _once(Send("POST", url, body, None, self._rules.timeout, identity=login.identity)))

        return _with_retries(attempt, self._rules if login.is_repeatable else replace(self._rules, retries=0))


def _once(request: Send) -> Steps[Envelope]:
    return read_answer((yield request))


def _with_retries(attempt: Callable[[], Steps[Envelope]], rules: Rules) -> Steps[Envelope]:
    tries = 0
    while True:
        tries += 1
        try:
            return (yield from attempt())
        except StrongroomError as error:
            pause = pause_after(error, tries, rules)
            if pause is None:
                raise
        yield Pause(pause)


def base_of(url: str) -> str:
    """Base URL of the interface. Tokens and pass phrases go over TLS only, so another scheme raises ValueError."""
    parts = urlsplit(url)
    if parts.scheme != "https" or not parts.netloc:
        raise ValueError("The address of the appliance begins with https://.")
    path = re.sub(r"/api/1\.0$", "", parts.path.rstrip("/"))
    return f"https://{parts.netloc}{path}/api/1.0"


def _host_of(url: str) -> str:
    host = urlsplit(url).hostname or ""
    return f"[{host}]" if ":" in host else host


def path_of(template: str, params: Mapping[str, Any], query: Mapping[str, Any]) -> str:
    """Path and query of a call, relative to the interface, with its parameters filled in."""

    def segment(match: "re.Match[str]") -> str:
        text = str(params.get(match[1], ""))
        # An empty segment, or one of dots only, would change the address.
        if text in ("", ".", ".."):
            raise ValueError(f"params[{match[1]!r}] is missing, or cannot stand in an address.")
        return quote(text, safe="")

    path = re.sub(r"\{(\w+)\}", segment, template)
    return f"{path}?{urlencode(_texts(query))}" if query else path


def _texts(members: Mapping[str, Any]) -> Dict[str, str]:
    """Members as the text that queries and forms take."""
    return {
        name: value if isinstance(value, str) else json.dumps(value)
        for name, value in members.items()
        if value is not None
    }
