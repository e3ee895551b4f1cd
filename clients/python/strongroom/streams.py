"""Streams of any length, encrypted with a data key that is stored in front of them, itself encrypted.

Format: ``SRS1``, 2 bytes length of the encrypted data key, that key, and the segments (segments.py).
"""

from __future__ import annotations

from typing import AsyncIterable, AsyncIterator, BinaryIO, Iterable, Iterator, Optional, Tuple, Union, cast

from .errors import ProtocolError, StreamError
from .key_calls import DataKey
from .segments import Opener, Sealer

#: An open file, or pieces of bytes.
Source = Union[BinaryIO, Iterable[bytes]]
AsyncSource = Union[AsyncIterable[bytes], Source]

#: The first bytes of every encrypted stream. Another format would begin with SRS2.
_MAGIC = b"SRS1"
_BEFORE_KEY = len(_MAGIC) + 2
_PIECE = 1_048_576


class Encryption:
    def __init__(self, key: DataKey, aad: bytes) -> None:
        if key.plaintext is None:
            raise ProtocolError("The data key came without its bytes.", code="protocol")
        self._sealer = Sealer(key.plaintext, aad)
        wrapped = key.ciphertext.encode("ascii")
        self.head = _MAGIC + len(wrapped).to_bytes(2, "big") + wrapped + self._sealer.header
        self.update = self._sealer.update
        self.finish = self._sealer.finish


class Head:
    """Collects the part before the segments."""

    def __init__(self) -> None:
        self._read = b""

    def take(self, piece: bytes) -> Optional[Tuple[str, bytes]]:
        """Returns the encrypted data key and the rest of the pieces, as soon as the head is complete."""
        self._read += piece
        read = self._read
        if not _MAGIC.startswith(read[: len(_MAGIC)]):
            raise _foreign()
        if len(read) < _BEFORE_KEY:
            return None
        end = _BEFORE_KEY + int.from_bytes(read[len(_MAGIC) : _BEFORE_KEY], "big")
        if len(read) < end:
            return None
        try:
            return read[_BEFORE_KEY:end].decode("ascii"), read[end:]
        except UnicodeDecodeError:
            raise _foreign() from None


def open_with(opener: Optional[Opener]) -> bytes:
    """Finishes the decryption of a stream. Raises StreamError for a stream without a complete head."""
    if opener is None:
        raise _foreign()
    return opener.finish()


def pieces_of(source: Source) -> Iterator[bytes]:
    if hasattr(source, "read"):
        file = cast(BinaryIO, source)
        return iter(lambda: file.read(_PIECE), b"")
    return iter(source)


async def async_pieces_of(source: AsyncSource) -> AsyncIterator[bytes]:
    if hasattr(source, "__aiter__"):
        async for piece in cast(AsyncIterable[bytes], source):
            yield piece
    else:
        for piece in pieces_of(cast(Source, source)):
            yield piece


def _foreign() -> StreamError:
    return StreamError("This is not a stream that was encrypted here, or not all of it.")
