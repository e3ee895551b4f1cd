"""Calls of a named key: their bodies and results. Calls with the same key and operation can be sent as one batch."""

from __future__ import annotations

import base64
import binascii
import json
from dataclasses import dataclass, field
from typing import Any, Callable, Dict, Generic, Iterator, List, Mapping, NamedTuple, Optional, TypeVar, Union

from .answer import member
from .errors import ProtocolError, appliance_error

#: Text is encoded as UTF-8.
Data = Union[str, bytes, bytearray, memoryview]
T = TypeVar("T")
Members = Mapping[str, Any]


class DataKey(NamedTuple):
    #: The encrypted key, which is stored with the data.
    ciphertext: str
    #: The plaintext key; None for a wrapped one.
    plaintext: Optional[bytes]

    def __repr__(self) -> str:
        """Leaves out the plaintext key, because logs and error reports show this text."""
        return f"DataKey(ciphertext={self.ciphertext!r})"


@dataclass(frozen=True)
class KeyCall(Generic[T]):
    operation: str
    params: Mapping[str, str]
    item: Members = field(repr=False)
    read: Callable[[Members], T]
    #: Members of the body other than the items of a batch.
    shared: Members = field(default_factory=dict)

    @property
    def body(self) -> Dict[str, Any]:
        return {**self.shared, **self.item}

    @property
    def group(self) -> str:
        """A text that is equal for calls that can be sent as one batch."""
        return json.dumps([self.operation, self.params, self.shared], sort_keys=True)


@dataclass(frozen=True)
class BatchLimits:
    #: The most items in one call. The appliance accepts 1,000.
    items: int = 1_000
    #: The most characters of the items in one call. By default the appliance accepts bodies of 2 MiB.
    characters: int = 1_500_000


class KeyCalls:
    """The calls of one key."""

    def __init__(self, vault: Union[int, str], name: str) -> None:
        self.vault = str(vault)
        self.name = name

    def encrypt(self, plaintext: Data, aad: Optional[Data], version: Optional[int], type: Optional[str]) -> KeyCall[str]:
        item = _given(plaintext=_base64(plaintext), aad=_encoded(aad), key_version=version)
        return self._call("encrypt", item, lambda result: member(result, "ciphertext"), _given(type=type))

    def decrypt(self, ciphertext: str, aad: Optional[Data]) -> KeyCall[bytes]:
        return self._call("decrypt", _given(ciphertext=_text(ciphertext), aad=_encoded(aad)), _plaintext)

    def decrypt_text(self, ciphertext: str, aad: Optional[Data]) -> KeyCall[str]:
        item = _given(ciphertext=_text(ciphertext), aad=_encoded(aad))
        return self._call("decrypt", item, lambda result: _plaintext(result).decode())

    def rewrap(self, ciphertext: str, aad: Optional[Data], to_version: Optional[int]) -> KeyCall[str]:
        item = _given(ciphertext=_text(ciphertext), aad=_encoded(aad), to_version=to_version)
        return self._call("rewrap", item, lambda result: member(result, "ciphertext"))

    def sign(self, data: Data, version: Optional[int], form: Members) -> KeyCall[str]:
        item = _given(input=_base64(data), key_version=version, **form)
        return self._call("sign", item, lambda result: member(result, "signature"))

    def verify(self, data: Data, signature: str, form: Members) -> KeyCall[bool]:
        return self._call("verify", _given(input=_base64(data), signature=_text(signature), **form), _valid)

    def hmac(self, data: Data, version: Optional[int]) -> KeyCall[str]:
        return self._call("hmac", _given(input=_base64(data), key_version=version), lambda result: member(result, "hmac"))

    def verify_hmac(self, data: Data, hmac: str) -> KeyCall[bool]:
        return self._call("verify", _given(input=_base64(data), hmac=_text(hmac)), _valid)

    def data_key(self, bits: int, aad: Optional[Data], wrapped: bool, version: Optional[int]) -> KeyCall[DataKey]:
        item = _given(bits=bits, aad=_encoded(aad), key_version=version)
        kind = {"type": "wrapped" if wrapped else "plaintext"}

        def read(result: Members) -> DataKey:
            return DataKey(member(result, "ciphertext"), None if wrapped else _plaintext(result))

        return self._call("datakey", item, read, params=kind)

    def _call(
        self,
        operation: str,
        item: Members,
        read: Callable[[Members], T],
        shared: Optional[Members] = None,
        params: Optional[Mapping[str, str]] = None,
    ) -> KeyCall[T]:
        place = {"vaultid": self.vault, "name": self.name, **(params or {})}
        return KeyCall(f"transparent.{operation}", place, item, read, shared or {})


def batches(calls: List[KeyCall[Any]], limits: BatchLimits) -> Iterator[List[KeyCall[Any]]]:
    part: List[KeyCall[Any]] = []
    characters = 0
    for call in calls:
        own = 64 + sum(len(str(value)) for value in call.item.values())
        if part and (len(part) == limits.items or characters + own > limits.characters):
            yield part
            part, characters = [], 0
        part.append(call)
        characters += own
    if part:
        yield part


def results_of(part: List[KeyCall[Any]], info: Members) -> List[Any]:
    """Returns the result or error of each call."""
    if len(part) == 1:
        return [_outcome(part[0], info)]
    results = info.get("batch_results")
    if not isinstance(results, list) or len(results) != len(part):
        raise ProtocolError("The answer has not one result for each item.", code="protocol")
    return [_outcome(call, result) for call, result in zip(part, results)]


def _outcome(call: KeyCall[T], result: Members) -> Union[T, Exception]:
    error = result.get("error")
    if error is not None:
        return appliance_error(str(error["text"]), int(error["code"]))
    try:
        return call.read(result)
    except (ProtocolError, UnicodeDecodeError) as failure:
        return failure


def to_bytes(data: Data) -> bytes:
    """Converts text or bytes and refuses anything else: ``bytes(17)`` would be 17 zero bytes."""
    if isinstance(data, str):
        return data.encode()
    if isinstance(data, (bytes, bytearray, memoryview)):
        return bytes(data)
    raise TypeError(f"Text or bytes are taken, and not {type(data).__name__}.")


def _base64(data: Data) -> str:
    return base64.b64encode(to_bytes(data)).decode()


def _encoded(data: Optional[Data]) -> Optional[str]:
    return None if data is None else _base64(data)


def _text(ciphertext: str) -> str:
    """Refuses bytes: ciphertexts are ASCII text, and only the program knows how a column of bytes is encoded."""
    if not isinstance(ciphertext, str):
        raise TypeError(f"Ciphertexts, signatures and HMACs are str, and not {type(ciphertext).__name__}.")
    return ciphertext


def _given(**members: Any) -> Members:
    return {name: value for name, value in members.items() if value is not None}


def _plaintext(result: Members) -> bytes:
    try:
        return base64.b64decode(member(result, "plaintext"), validate=True)
    except binascii.Error:
        raise ProtocolError("The plaintext of the answer is not base64.", code="protocol") from None


def _valid(result: Members) -> bool:
    valid = result.get("valid")
    if not isinstance(valid, bool):
        raise ProtocolError("The answer has no member valid.", code="protocol")
    return valid
