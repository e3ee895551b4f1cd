"""The steps of a call as data. The clients with and without asyncio carry them out."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Callable, Generator, Mapping, Optional, Tuple, TypeVar, Union


@dataclass(frozen=True)
class Upload:
    """A file of a call, in multipart/form-data."""

    name: str
    content: bytes = field(repr=False)
    type: str = "application/octet-stream"


@dataclass(frozen=True)
class Identity:
    """Paths of a client certificate and its private key, in PEM."""

    certificate: str
    key: str


@dataclass(frozen=True)
class Send:
    """Sends a request. The result is an Answer; ``timeout`` limits the whole exchange in seconds. Error reports show no
    secret.
    """

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
    """Takes the lock of the session. The result releases it; None if it is held and ``waits`` is False."""

    waits: bool


@dataclass(frozen=True)
class Work:
    """Runs a function that may take long, such as asking a person or signing with a token."""

    do: Callable[[], Any]


@dataclass(frozen=True)
class Whole:
    """Takes steps that other calls wait for as well: they go on when the call that began them is cancelled."""

    steps: Generator[Any, Any, Any]


Step = Union[Send, Pause, Lock, Work, Whole]
T = TypeVar("T")
Steps = Generator[Step, Any, T]
