"""An appliance in memory for tests of programs that use the client: real encryption, and failures on demand.

It supports logins, vaults and their keys. Other operations answer 404 (``request.not_found``), or as ``answers`` says.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import os
import re
from typing import Any, Callable, Dict, List, Mapping, Optional, Tuple

import httpx
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from .aio import AsyncClient
from .catalogue import ERRORS, OPERATIONS, Operation
from .client import Client
from .logins import ServiceStaticLogin

_ADDRESSES: List[Tuple[str, str, "re.Pattern[str]"]] = [
    (name, method, re.compile("/api/1\\.0" + re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", path)))
    for name, (method, path, _) in OPERATIONS.items()
]
Members = Dict[str, Any]


class _Failure(Exception):
    def __init__(self, code: str, retry_after: Optional[int] = None) -> None:
        super().__init__(code)
        self.code = code
        self.retry_after = retry_after


class FakeAppliance:
    def __init__(self) -> None:
        #: Names of the called operations, in order.
        self.calls: List[str] = []
        #: Answers of operations that the fake does not support: members beside CALLINFO.
        self.answers: Dict[str, Mapping[str, Any]] = {}
        self._failures: List[Tuple[str, _Failure]] = []
        self._tokens: List[str] = []
        self._vaults: Dict[str, str] = {}
        self._keys: Dict[Tuple[str, str], List[bytes]] = {}

    def client(self) -> Client:
        """A client that repeats calls without a pause, unless ``fail`` sets one."""
        return Client("https://fake.example", _LOGIN, transport=self.transport(), first_delay=0.0)

    def async_client(self) -> AsyncClient:
        return AsyncClient("https://fake.example", _LOGIN, transport=self.transport(), first_delay=0.0)

    def transport(self) -> httpx.MockTransport:
        """The transport, for clients that a program creates itself."""
        return httpx.MockTransport(self._answer)

    def add_vault(self, name: str) -> str:
        """Adds a vault and returns its id."""
        vault = str(len(self._vaults) + 1)
        self._vaults[vault] = name
        return vault

    def fail(self, operation: Operation, code: str, *, times: int = 1, retry_after: Optional[int] = None) -> None:
        """Makes the next calls of an operation fail with a code of the catalogue."""
        self._failures += [(operation, _Failure(code, retry_after))] * times

    def end_sessions(self) -> None:
        self._tokens.clear()

    def _answer(self, request: httpx.Request) -> httpx.Response:
        try:
            return self._respond(self._operation(request))
        except _Failure as failure:
            number, status = ERRORS[failure.code]
            callinfo = {"status": "FAIL"}
            codes = {str(number): failure.code, "2000": "see ERRORS"}
            body = {"CALLINFO": callinfo, "ERRORCODES": codes, "ERRORS": [f"The fake fails: {failure.code}."]}
            wait = {} if failure.retry_after is None else {"Retry-After": str(failure.retry_after)}
            return httpx.Response(status, json=body, headers=wait)

    def _respond(self, answer: Mapping[str, Any]) -> httpx.Response:
        info = {"status": "SUCCESS", **answer.get("CALLINFO", {})}
        return httpx.Response(200, json={**answer, "CALLINFO": info})

    def _operation(self, request: httpx.Request) -> Mapping[str, Any]:
        for name, method, pattern in _ADDRESSES:
            match = pattern.fullmatch(request.url.path)
            if method == request.method and match is not None:
                break
        else:
            raise _Failure("request.not_found")
        self.calls.append(name)
        for at, (operation, failure) in enumerate(self._failures):
            if operation == name:
                del self._failures[at]
                raise failure
        if not OPERATIONS[name][2] and request.headers.get("X-Http-Token") not in self._tokens:
            raise _Failure("session.invalid")
        is_json = request.headers.get("Content-Type") == "application/json"
        body: Members = json.loads(request.content) if is_json else {}
        if name in self.answers:
            return self.answers[name]
        handler: Optional[Callable[[Members, Members], Members]] = getattr(self, "_" + name.replace(".", "_"), None)
        if handler is None:
            raise _Failure("request.not_found")
        return handler(match.groupdict(), body)

    def _auth_login(self, _params: Members, _body: Members) -> Members:
        self._tokens.append(os.urandom(16).hex())
        return {"CALLINFO": {"token": self._tokens[-1], "timeout": 3_600_000}}

    def _auth_check(self, _params: Members, _body: Members) -> Members:
        return {}

    def _auth_logout(self, _params: Members, _body: Members) -> Members:
        self._tokens.clear()
        return {}

    def _vault_list(self, _params: Members, _body: Members) -> Members:
        return {"VAULTS": [{"id": vault, "groupname": name} for vault, name in self._vaults.items()]}

    def _vault_create(self, _params: Members, body: Members) -> Members:
        vault = self.add_vault(body["vaultname"])
        return {"VAULT": [{"id": vault, "groupname": body["vaultname"]}]}

    def _transparent_key_create(self, params: Members, _body: Members) -> Members:
        if self._place(params) in self._keys:
            raise _Failure("key.exists")
        self._versions(params, True)
        return {}

    def _transparent_key_rotate(self, params: Members, _body: Members) -> Members:
        self._versions(params).append(os.urandom(32))
        return {}

    def _transparent_encrypt(self, params: Members, body: Members) -> Members:
        versions = self._versions(params, True)
        return _each(body, lambda item: {"ciphertext": _seal(versions, _bytes(item, "plaintext"), item)})

    def _transparent_decrypt(self, params: Members, body: Members) -> Members:
        versions = self._versions(params)
        return _each(body, lambda item: {"plaintext": _text(_open(versions, item))})

    def _transparent_rewrap(self, params: Members, body: Members) -> Members:
        versions = self._versions(params)
        return _each(body, lambda item: {"ciphertext": _seal(versions, _open(versions, item), item)})

    def _transparent_datakey(self, params: Members, body: Members) -> Members:
        made = os.urandom(int(body.get("bits", 256)) // 8)
        shown = {"plaintext": _text(made)} if params["type"] == "plaintext" else {}
        return {"CALLINFO": {"ciphertext": _seal(self._versions(params), made, body), **shown}}

    def _transparent_hmac(self, params: Members, body: Members) -> Members:
        return {"CALLINFO": {"hmac": _mac(self._versions(params), body)}}

    def _transparent_sign(self, params: Members, body: Members) -> Members:
        return {"CALLINFO": {"signature": _mac(self._versions(params), body)}}

    def _transparent_verify(self, params: Members, body: Members) -> Members:
        shown = body.get("hmac", body.get("signature", ""))
        return {"CALLINFO": {"valid": hmac.compare_digest(shown, _mac(self._versions(params), body))}}

    def _versions(self, params: Members, is_made: bool = False) -> List[bytes]:
        if params["vaultid"] not in self._vaults:
            raise _Failure("vault.not_found")
        place = self._place(params)
        if place not in self._keys and not is_made:
            raise _Failure("key.not_found")
        return self._keys.setdefault(place, [os.urandom(32)])

    def _place(self, params: Members) -> Tuple[str, str]:
        return params["vaultid"], params["name"]


_LOGIN = ServiceStaticLogin(account="fake", key="fake")


def _each(body: Members, act: Callable[[Members], Members]) -> Members:
    if "batch_input" not in body:
        return {"CALLINFO": act(body)}

    def outcome(item: Members) -> Members:
        try:
            return act(item)
        except _Failure as failure:
            return {"error": {"code": str(ERRORS[failure.code][0]), "text": f"The fake fails: {failure.code}."}}

    return {"CALLINFO": {"batch_results": [outcome(item) for item in body["batch_input"]]}}


def _seal(versions: List[bytes], plaintext: bytes, item: Members) -> str:
    nonce = os.urandom(12)
    sealed = nonce + AESGCM(versions[-1]).encrypt(nonce, plaintext, _bytes(item, "aad"))
    return f"service:v{len(versions)}:{_text(sealed)}"


def _open(versions: List[bytes], item: Members) -> bytes:
    match = re.fullmatch(r"service:v([1-9]\d*):([A-Za-z0-9+/]+=*)", item["ciphertext"])
    if match is None:
        raise _Failure("ciphertext.malformed")
    if int(match[1]) > len(versions):
        raise _Failure("key.version_unknown")
    sealed = base64.b64decode(match[2])
    try:
        return AESGCM(versions[int(match[1]) - 1]).decrypt(sealed[:12], sealed[12:], _bytes(item, "aad"))
    except (InvalidTag, ValueError):
        raise _Failure("ciphertext.invalid") from None


def _mac(versions: List[bytes], body: Members) -> str:
    return f"service:v{len(versions)}:{_text(hmac.new(versions[-1], _bytes(body, 'input'), hashlib.sha256).digest())}"


def _bytes(item: Members, name: str) -> bytes:
    return base64.b64decode(item.get(name, ""))


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode()
