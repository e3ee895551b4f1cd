"""Tink's Streaming AEAD AES-GCM-HKDF with the parameters of AES256_GCM_HKDF_1MB.

A stream consists of segments. Each is encrypted with its number and a mark of the last one, so that none can be left
out, moved or cut off. The construction is STREAM (Hoang, Reyhanitabar, Rogaway, Vizár: Online Authenticated-Encryption
and its Nonce-Reuse Misuse-Resistance, CRYPTO 2015).
https://developers.google.com/tink/streaming-aead/aes_gcm_hkdf_streaming

    header          1 byte, its own length (40) · 32 bytes salt · 7 bytes nonce prefix
    segment         AES-256-GCM of up to 1 MiB with its tag; the first is shorter by the header
    key             HKDF-SHA-256 of the data key, with the salt, and the additional data as info
    nonce           nonce prefix · number of the segment, 4 bytes · 1 for the last, else 0
"""

from __future__ import annotations

import os
from typing import Iterator, Optional

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from .errors import StreamError

SEGMENT = 1_048_576
_TAG = 16
_SALT = 32
_PREFIX = 7
HEADER = 1 + _SALT + _PREFIX


class _Segments:
    """Divides pieces of any length into segments of the lengths that the format has."""

    def __init__(self, overhead: int) -> None:
        self._buffer = bytearray()
        self._number = 0
        self._overhead = overhead

    def cut(self, piece: bytes) -> Iterator[bytes]:
        """Yields full segments. A full segment is passed on only when more follows, because until then it may be the
        last.
        """
        self._buffer += piece
        while len(self._buffer) > self._length:
            segment = bytes(memoryview(self._buffer)[: self._length])
            del self._buffer[: len(segment)]
            yield segment
            self._number += 1

    def rest(self) -> bytes:
        return bytes(self._buffer)

    def nonce(self, prefix: bytes, is_last: bool) -> bytes:
        if self._number >= 2**32:
            raise StreamError("The stream is longer than its format allows.")
        return prefix + self._number.to_bytes(4, "big") + bytes([is_last])

    @property
    def _length(self) -> int:
        return SEGMENT - self._overhead - (HEADER if self._number == 0 else 0)


class Sealer:
    """Encrypts a stream into header and segments. Salt and prefix are fixed only in test vectors."""

    def __init__(
        self, data_key: bytes, aad: bytes, salt: Optional[bytes] = None, prefix: Optional[bytes] = None
    ) -> None:
        salt = salt or os.urandom(_SALT)
        self._prefix = prefix or os.urandom(_PREFIX)
        self._cipher = _cipher(data_key, salt, aad)
        self._segments = _Segments(_TAG)
        self.header = bytes([HEADER]) + salt + self._prefix

    def update(self, piece: bytes) -> Iterator[bytes]:
        for segment in self._segments.cut(piece):
            yield self._seal(segment, False)

    def finish(self) -> bytes:
        return self._seal(self._segments.rest(), True)

    def _seal(self, segment: bytes, is_last: bool) -> bytes:
        return self._cipher.encrypt(self._segments.nonce(self._prefix, is_last), segment, None)


class Opener:
    """Decrypts a stream. Raises StreamError if it was changed or cut off; the output before that is genuine, but
    incomplete.
    """

    def __init__(self, data_key: bytes, aad: bytes) -> None:
        self._data_key = data_key
        self._aad = aad
        self._header = b""
        self._cipher: Optional[AESGCM] = None
        self._segments = _Segments(0)

    def update(self, piece: bytes) -> Iterator[bytes]:
        if self._cipher is None:
            missing = HEADER - len(self._header)
            self._header += piece[:missing]
            piece = piece[missing:]
            if len(self._header) < HEADER:
                return
            if self._header[0] != HEADER:
                raise _damaged()
            self._cipher = _cipher(self._data_key, self._header[1 : 1 + _SALT], self._aad)
        for segment in self._segments.cut(piece):
            yield self._open(segment, False)

    def finish(self) -> bytes:
        return self._open(self._segments.rest(), True)

    def _open(self, segment: bytes, is_last: bool) -> bytes:
        if self._cipher is None or len(segment) < _TAG:
            raise _damaged()
        try:
            return self._cipher.decrypt(self._segments.nonce(self._header[1 + _SALT :], is_last), segment, None)
        except InvalidTag:
            raise _damaged() from None


def _cipher(data_key: bytes, salt: bytes, aad: bytes) -> AESGCM:
    return AESGCM(HKDF(SHA256(), 32, salt, aad).derive(data_key))


def _damaged() -> StreamError:
    return StreamError("The stream was changed or cut, or belongs to other additional data.")
