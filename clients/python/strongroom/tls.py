"""TLS connections: the CA of the appliance, and a client certificate where a login needs one."""

from __future__ import annotations

import asyncio
import math
import os
import socket
import ssl
import threading
import time
from typing import Any, Mapping, NoReturn, Optional, Union

import httpx

from .errors import NetworkError, ProtocolError
from .steps import Identity, Send

#: Path of a PEM file, or PEM text.
Ca = Union[str, "os.PathLike[str]"]


class _Deadline(threading.local):
    #: Time at which the call of this thread ends.
    ends_at = math.inf


deadline = _Deadline()


class _Socket(ssl.SSLSocket):
    """Limits all reads and writes of a call together. httpx limits each one, so that a server that sends a byte from time
    to time could hold a call for hours.
    """

    def settimeout(self, value: Optional[float]) -> None:
        left = deadline.ends_at - time.monotonic()
        if left <= 0:
            raise socket.timeout("The time of the call is over.")
        super().settimeout(left if value is None else min(value, left))


class CancelledConnect(Exception):
    pass


class Connecting:
    """Tells httpcore that a cancelled attempt to connect has failed. Otherwise its socket stays open, and before httpcore
    0.18 its place in the pool is taken, so that the client could make no call after 100 of them.
    """

    async def trace(self, event: str, info: Mapping[str, Any]) -> None:
        if event == "connection.connect_tcp.complete":
            self._stream = info["return_value"]
        if not isinstance(info.get("exception"), asyncio.CancelledError):
            return
        if event == "connection.start_tls.failed":
            await self._stream.aclose()
        if event in ("connection.connect_tcp.failed", "connection.start_tls.failed"):
            raise CancelledConnect


def context_of(ca: Optional[Ca], identity: Optional[Identity]) -> ssl.SSLContext:
    """The TLS settings. Without ``ca``, the CAs of the system are trusted."""
    try:
        if isinstance(ca, str) and "-----BEGIN" in ca:
            context = ssl.create_default_context(cadata=ca)
        else:
            context = ssl.create_default_context(cafile=None if ca is None else _readable(ca))
    except ssl.SSLError as error:
        raise ValueError(f"{ca} holds no certificate in PEM.") from error
    context.sslsocket_class = _Socket
    if identity is None:
        return context
    certificate, key = identity.certificate, identity.key
    try:
        context.load_cert_chain(_readable(certificate), _readable(key))
    except ssl.SSLError as error:
        raise ValueError(f"{certificate} and {key} hold no certificate with its private key in PEM.") from error
    return context


def _readable(path: Ca) -> Ca:
    """Opens the file first, because an error of the module ssl does not name a missing file."""
    with open(path, "rb"):
        return path


def headers_of(response: httpx.Response) -> Mapping[str, str]:
    return {name.lower(): value for name, value in response.headers.items()}


def failed(error: Exception, request: Send, has_begun: bool) -> NoReturn:
    """Raises the error for a failure below HTTP. ``has_begun``: the headers of the answer had arrived."""
    if isinstance(error, (httpx.TimeoutException, TimeoutError, asyncio.TimeoutError)):
        raise NetworkError(f"No whole answer came within {request.timeout:g} s.", code="timeout") from error
    if has_begun:
        raise ProtocolError("The answer ended before it was complete.", code="protocol") from error
    is_foreign = any(words in str(error) for words in ("issuer certificate", "self-signed", "self signed"))
    cure = " Give the CA of its certificate as ca." if is_foreign else ""
    raise NetworkError(f"The appliance could not be reached: {error}{cure}", code="network") from error
