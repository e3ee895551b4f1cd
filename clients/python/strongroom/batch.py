"""Calls of named keys that are sent together, for programs without asyncio."""

from __future__ import annotations

from typing import Any, Callable, Dict, Generic, List, Optional, Tuple, TypeVar, Union

from .key_calls import Data, KeyCall, KeyCalls

T = TypeVar("T")


class Pending(Generic[T]):
    """The result of a call in a batch, available after the with block."""

    def __init__(self) -> None:
        self._outcome: Optional[Tuple[Any]] = None

    def result(self) -> T:
        """Returns the result, or raises the error of this call. An error of one call does not affect the others."""
        if self._outcome is None:
            raise RuntimeError("The batch has not been sent: read results after its with block.")
        (outcome,) = self._outcome
        if isinstance(outcome, Exception):
            raise outcome
        result: T = outcome
        return result


class Batch:
    """Calls that are sent together. ``send`` sends those of one group and returns a result or error for each."""

    def __init__(self, send: Callable[[List[KeyCall[Any]]], List[Any]]) -> None:
        self._send = send
        self._waiting: List[Tuple[KeyCall[Any], Pending[Any]]] = []

    def key(self, vault: Union[int, str], name: str) -> BatchKey:
        return BatchKey(self, KeyCalls(vault, name))

    def add(self, call: KeyCall[T]) -> Pending[T]:
        pending: Pending[T] = Pending()
        self._waiting.append((call, pending))
        return pending

    def __enter__(self) -> Batch:
        return self

    def __exit__(self, error: object, *_more: object) -> None:
        """Sends the calls, unless the block raised an error."""
        groups: Dict[str, List[Tuple[KeyCall[Any], Pending[Any]]]] = {}
        for call, pending in self._waiting if error is None else []:
            groups.setdefault(call.group, []).append((call, pending))
        self._waiting = []
        for group in groups.values():
            outcomes = self._send([call for call, _ in group])
            for (_, pending), outcome in zip(group, outcomes):
                pending._outcome = (outcome,)


class BatchKey:
    """A named key whose calls are sent with the batch."""

    def __init__(self, batch: Batch, calls: KeyCalls) -> None:
        self._batch = batch
        self._calls = calls

    def encrypt(
        self,
        plaintext: Data,
        *,
        aad: Optional[Data] = None,
        key_version: Optional[int] = None,
        type: Optional[str] = None,
    ) -> Pending[str]:
        return self._batch.add(self._calls.encrypt(plaintext, aad, key_version, type))

    def decrypt(self, ciphertext: str, *, aad: Optional[Data] = None) -> Pending[bytes]:
        return self._batch.add(self._calls.decrypt(ciphertext, aad))

    def decrypt_text(self, ciphertext: str, *, aad: Optional[Data] = None) -> Pending[str]:
        return self._batch.add(self._calls.decrypt_text(ciphertext, aad))

    def rewrap(
        self, ciphertext: str, *, aad: Optional[Data] = None, to_version: Optional[int] = None
    ) -> Pending[str]:
        return self._batch.add(self._calls.rewrap(ciphertext, aad, to_version))
