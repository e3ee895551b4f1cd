"""What a call does, one step after the other, without saying how: the clients with and without asyncio do the steps."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Callable, Generator, Mapping, Optional, Tuple, TypeVar, Union


@dataclass(frozen=True)
class Upload:
    """A file that goes with a call, in multipart/form-data."""

    name: str
    content: bytes = field(repr=False)
    type: str = "application/octet-stream"


@dataclass(frozen=True)
class Identity:
    """Paths of a client certificate and its private key, PEM."""

    certificate: str
    key: str


@dataclass(frozen=True)
class Send:
    """One request and its whole answer, in ``timeout`` seconds. Its outcome is an Answer. Reports of errors show no secret of it."""

    method: str
    url: str
    body: Optional[bytes] = field(repr=False)
    token: Optional[str] = field(repr=False)
    timeout: float
    fields: Optional[Mapping[str, str]] = field(default=None, repr=False)
    file: Optional[Upload] = None
    identity: Optional[Identity] = None

    def headers(self) -> Mapping[str, str]:
        headers = {"Accept": "application/json", "User-Agent": "strongroom-client/0.1.0 (Python)"}
        if self.token is not None:
            headers["X-Http-Token"] = self.token
        if self.body is not None:
            headers["Content-Type"] = "application/json"
        return headers

    def files(self) -> Optional[Mapping[str, Tuple[str, bytes, str]]]:
        return None if self.file is None else {"file": (self.file.name, self.file.content, self.file.type)}


@dataclass(frozen=True)
class Answer:
    status: int
    headers: Mapping[str, str]
    body: bytes = field(repr=False)


@dataclass(frozen=True)
class Pause:
    seconds: float


@dataclass(frozen=True)
class Lock:
    """Takes the lock of the session; its outcome is what gives it back, or None where it is held and shall not be waited for."""

    waits: bool


@dataclass(frozen=True)
class Work:
    """What may take a while, such as asking a person or a token of the machine."""

    do: Callable[[], Any]


Step = Union[Send, Pause, Lock, Work]
T = TypeVar("T")
Steps = Generator[Step, Any, T]
