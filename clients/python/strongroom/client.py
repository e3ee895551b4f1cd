"""The client for programs without asyncio. Threads may share a client."""

from __future__ import annotations

import copy
import threading
import time
from typing import TYPE_CHECKING, Any, Callable, Iterator, Mapping, Optional, TypeVar, Union, cast

import httpx

from .answer import Envelope
from .batch import Batch
from .catalogue import Operation
from .core import Core
from .files import Path, write_whole
from .key_calls import BatchLimits, Data, DataKey, KeyCall, KeyCalls, to_bytes
from .logins import Login
from .retry import Rules
from .steps import Answer, Identity, Lock, Pause, Send, Step, Steps, Upload, Whole
from .tls import Ca, context_of, deadline, failed, headers_of

if TYPE_CHECKING:
    from .api import Call
    from .streams import Source

T = TypeVar("T")


def _by_operation(method: Callable[..., Envelope]) -> Call:
    """Types a method for type checkers: arguments and result depend on the name of the operation."""
    return cast("Call", method)


class Client:
    """A client of the appliance at ``url``. The first call logs in."""

    def __init__(
        self,
        url: str,
        login: Optional[Login] = None,
        *,
        token: Optional[str] = None,
        on_token: Optional[Callable[[Optional[str]], None]] = None,
        ca: Optional[Ca] = None,
        transport: Optional[httpx.BaseTransport] = None,
        timeout: float = 30.0,
        retries: int = 4,
        first_delay: float = 0.2,
        longest_delay: float = 20.0,
    ) -> None:
        self._rules = Rules(timeout, retries, first_delay, longest_delay)
        self._core = Core(url, login, token, on_token, self._rules)
        self._ca = ca
        self._transport = transport
        self._http = self._open(None)
        self._lock = threading.Lock()

    @_by_operation
    def call(
        self,
        operation: Operation,
        *,
        params: Optional[Mapping[str, Any]] = None,
        query: Optional[Mapping[str, Any]] = None,
        body: Optional[Mapping[str, Any]] = None,
        file: Optional[Upload] = None,
    ) -> Envelope:
        """Calls an operation of the interface by its name in the OpenAPI document. Returns the envelope of its success."""
        return self._run(self._core.call(operation, params or {}, query or {}, body, file, self._rules))

    def key(self, vault: Union[int, str], name: str) -> Key:
        """A key by its name. Makes no call. The first encryption creates a missing key, where the vault allows that."""
        return Key(self, KeyCalls(vault, name))

    def batch(self, limits: BatchLimits = BatchLimits()) -> Batch:
        """Joins calls: those inside ``with client.batch() as batch`` are sent together when the block ends."""
        return Batch(lambda calls: self._run(self._core.key_batch(calls, limits, self._rules)))

    def with_options(self, *, timeout: Optional[float] = None, retries: Optional[int] = None) -> Client:
        """A client with the same session and connections, but other limits for its calls."""
        other = copy.copy(self)
        other._rules = self._rules.changed(timeout, retries)
        return other

    def login(self) -> None:
        """Logs in if there is no session. Without this, the first call does."""
        self._run(self._core.session.token())

    def logout(self) -> None:
        """Ends the session."""
        self._run(self._core.log_out(self._rules))

    def close(self) -> None:
        """Closes the connections, once the calls under way have ended. The session remains open until it expires."""
        if self._core.running.close():
            self._http.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def _open(self, identity: Optional[Identity]) -> httpx.Client:
        if self._transport is not None:
            return httpx.Client(transport=self._transport)
        return httpx.Client(verify=context_of(self._ca, identity), trust_env=False)

    def _run(self, steps: Steps[T]) -> T:
        self._core.running.begin()
        try:
            step = next(steps)
            while True:
                try:
                    outcome = self._do(step)
                except BaseException as error:
                    step = steps.throw(error)
                else:
                    step = steps.send(outcome)
        except StopIteration as end:
            result: T = end.value
            return result
        finally:
            if self._core.running.end():
                self._http.close()

    def _do(self, step: Step) -> Any:
        if isinstance(step, Send):
            if step.identity is None:
                return _send(self._http, step)
            with self._open(step.identity) as http:
                return _send(http, step)
        if isinstance(step, Pause):
            return time.sleep(step.seconds)
        if isinstance(step, Lock):
            return self._lock.release if self._lock.acquire(blocking=step.waits) else None
        if isinstance(step, Whole):
            return self._run(step.steps)
        return step.do()


def _send(http: httpx.Client, step: Send) -> Answer:
    deadline.ends_at = time.monotonic() + step.timeout
    has_begun = False
    try:
        with http.stream(
            step.method,
            step.url,
            content=step.body,
            data=step.fields,
            files=step.files(),
            headers=step.headers(),
            timeout=step.timeout,
        ) as response:
            has_begun = True
            body = response.read()
        return Answer(response.status_code, headers_of(response), body)
    except (httpx.HTTPError, TimeoutError, OSError) as error:
        failed(error, step, has_begun)


class Key:
    """A named key of a vault. The key material stays in the appliance."""

    def __init__(self, client: Client, calls: KeyCalls) -> None:
        self._client = client
        self._calls = calls

    def encrypt(
        self,
        plaintext: Data,
        *,
        aad: Optional[Data] = None,
        key_version: Optional[int] = None,
        type: Optional[str] = None,
    ) -> str:
        """Returns the ciphertext, an ASCII text. ``aad`` is authenticated but not stored: decryption needs the same."""
        return self._do(self._calls.encrypt(plaintext, aad, key_version, type))

    def decrypt(self, ciphertext: str, *, aad: Optional[Data] = None) -> bytes:
        """Returns the plaintext."""
        return self._do(self._calls.decrypt(ciphertext, aad))

    def decrypt_text(self, ciphertext: str, *, aad: Optional[Data] = None) -> str:
        """Returns the plaintext as text (UTF-8)."""
        return self._do(self._calls.decrypt_text(ciphertext, aad))

    def rewrap(self, ciphertext: str, *, aad: Optional[Data] = None, to_version: Optional[int] = None) -> str:
        """Re-encrypts a ciphertext with the latest version, or ``to_version``. The plaintext stays in the appliance."""
        return self._do(self._calls.rewrap(ciphertext, aad, to_version))

    def sign(self, data: Data, *, key_version: Optional[int] = None, **form: Union[str, bool]) -> str:
        """Returns the signature, ASCII text ``service:vN:…`` with the version N of the key.

        ``form``: ``prehashed``, ``hash_algorithm``, ``signature_algorithm``, ``marshaling_algorithm``.
        """
        return self._do(self._calls.sign(data, key_version, form))

    def verify(self, data: Data, signature: str, **form: Union[str, bool]) -> bool:
        """Returns whether the signature is valid. ``form`` must be that of the signature."""
        return self._do(self._calls.verify(data, signature, form))

    def hmac(self, data: Data, *, key_version: Optional[int] = None) -> str:
        """Returns the HMAC, ASCII text ``service:vN:…`` with the version N of the key."""
        return self._do(self._calls.hmac(data, key_version))

    def verify_hmac(self, data: Data, hmac: str) -> bool:
        """Returns whether the HMAC is valid."""
        return self._do(self._calls.verify_hmac(data, hmac))

    def data_key(
        self,
        *,
        bits: int = 256,
        aad: Optional[Data] = None,
        wrapped: bool = False,
        key_version: Optional[int] = None,
    ) -> DataKey:
        """Returns a new data key, encrypted under this key, and as plaintext unless ``wrapped`` is set."""
        return self._do(self._calls.data_key(bits, aad, wrapped, key_version))

    def encrypt_stream(
        self, source: Source, *, aad: Data = b"", key_version: Optional[int] = None
    ) -> Iterator[bytes]:
        """Encrypts a stream of any length with a new data key. Requires the package ``cryptography``."""
        from .streams import Encryption, pieces_of

        made = self.data_key(aad=aad, key_version=key_version)
        encryption = Encryption(made, to_bytes(aad))
        yield encryption.head
        for piece in pieces_of(source):
            yield from encryption.update(piece)
        yield encryption.finish()

    def decrypt_stream(self, source: Source, *, aad: Data = b"") -> Iterator[bytes]:
        """Decrypts a stream of ``encrypt_stream``. Each piece of output is genuine, but the output is complete only if
        the stream ends without an error: do not use it before.
        """
        from .segments import Opener
        from .streams import Head, pieces_of, open_with

        head = Head()
        opener: Optional[Opener] = None
        for piece in pieces_of(source):
            if opener is None:
                found = head.take(piece)
                if found is None:
                    continue
                wrapped, piece = found
                opener = Opener(self.decrypt(wrapped, aad=aad), to_bytes(aad))
            yield from opener.update(piece)
        yield open_with(opener)

    def encrypt_file(self, source: Path, target: Path, *, aad: Data = b"") -> None:
        """Encrypts ``source`` to ``target``, which appears only when it is complete."""
        with open(source, "rb") as file:
            write_whole(target, self.encrypt_stream(file, aad=aad))

    def decrypt_file(self, source: Path, target: Path, *, aad: Data = b"") -> None:
        """Decrypts ``source`` to ``target``, which appears only when all of ``source`` was found genuine."""
        with open(source, "rb") as file:
            write_whole(target, self.decrypt_stream(file, aad=aad))

    def _do(self, call: KeyCall[T]) -> T:
        client = self._client
        return client._run(client._core.key_call(call, client._rules))
