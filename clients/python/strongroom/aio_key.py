"""Keys of the client for asyncio."""

from __future__ import annotations

from typing import TYPE_CHECKING, AsyncIterator, Optional, TypeVar, Union

from .key_calls import Data, DataKey, KeyCall, KeyCalls, to_bytes

if TYPE_CHECKING:
    from .aio import AsyncClient
    from .streams import AsyncSource

T = TypeVar("T")


class AsyncKey:
    """A named key of a vault. The key material stays in the appliance."""

    def __init__(self, client: AsyncClient, calls: KeyCalls) -> None:
        self._client = client
        self._calls = calls

    async def encrypt(
        self,
        plaintext: Data,
        *,
        aad: Optional[Data] = None,
        key_version: Optional[int] = None,
        type: Optional[str] = None,
    ) -> str:
        """Returns the ciphertext, an ASCII text. ``aad`` is authenticated but not stored: decryption needs the same."""
        return await self._client._item(self._calls.encrypt(plaintext, aad, key_version, type))

    async def decrypt(self, ciphertext: str, *, aad: Optional[Data] = None) -> bytes:
        return await self._client._item(self._calls.decrypt(ciphertext, aad))

    async def decrypt_text(self, ciphertext: str, *, aad: Optional[Data] = None) -> str:
        """Returns the plaintext as text (UTF-8)."""
        return await self._client._item(self._calls.decrypt_text(ciphertext, aad))

    async def rewrap(self, ciphertext: str, *, aad: Optional[Data] = None, to_version: Optional[int] = None) -> str:
        """Re-encrypts a ciphertext with the latest version, or ``to_version``. The plaintext stays in the appliance."""
        return await self._client._item(self._calls.rewrap(ciphertext, aad, to_version))

    async def sign(self, data: Data, *, key_version: Optional[int] = None, **form: Union[str, bool]) -> str:
        """Returns the signature. ``form``: as in ``Key.sign``."""
        return await self._do(self._calls.sign(data, key_version, form))

    async def verify(self, data: Data, signature: str, **form: Union[str, bool]) -> bool:
        return await self._do(self._calls.verify(data, signature, form))

    async def hmac(self, data: Data, *, key_version: Optional[int] = None) -> str:
        return await self._do(self._calls.hmac(data, key_version))

    async def verify_hmac(self, data: Data, hmac: str) -> bool:
        return await self._do(self._calls.verify_hmac(data, hmac))

    async def data_key(
        self,
        *,
        bits: int = 256,
        aad: Optional[Data] = None,
        wrapped: bool = False,
        key_version: Optional[int] = None,
    ) -> DataKey:
        """Returns a new data key, encrypted under this key, and as plaintext unless ``wrapped`` is set."""
        return await self._do(self._calls.data_key(bits, aad, wrapped, key_version))

    async def encrypt_stream(
        self, source: AsyncSource, *, aad: Data = b"", key_version: Optional[int] = None
    ) -> AsyncIterator[bytes]:
        """Encrypts a stream of any length with a new data key. Requires the package ``cryptography``."""
        from .streams import Encryption, async_pieces_of

        made = await self.data_key(aad=aad, key_version=key_version)
        encryption = Encryption(made, to_bytes(aad))
        yield encryption.head
        async for piece in async_pieces_of(source):
            for segment in encryption.update(piece):
                yield segment
        yield encryption.finish()

    async def decrypt_stream(self, source: AsyncSource, *, aad: Data = b"") -> AsyncIterator[bytes]:
        """Decrypts a stream of ``encrypt_stream``. Each piece of output is genuine, but the output is complete only if
        the stream ends without an error: do not use it before.
        """
        from .segments import Opener
        from .streams import Head, async_pieces_of, open_with

        head = Head()
        opener: Optional[Opener] = None
        async for piece in async_pieces_of(source):
            if opener is None:
                found = head.take(piece)
                if found is None:
                    continue
                wrapped, piece = found
                opener = Opener(await self.decrypt(wrapped, aad=aad), to_bytes(aad))
            for segment in opener.update(piece):
                yield segment
        yield open_with(opener)

    async def _do(self, call: KeyCall[T]) -> T:
        client = self._client
        return await client._run(client._core.key_call(call, client._rules))
