import asyncio
import base64
import hashlib
import io
import json
import os
import resource
import tempfile
import unittest
from typing import Any, AsyncIterator, Dict, Iterator

import strongroom
from premises import PREMISES, client, person
from strongroom import AsyncClient, Client, StreamError
from strongroom.api import VaultidNameParams
from strongroom.segments import SEGMENT, Opener, Sealer

VAULT = PREMISES["vault"]


def patterned(length: int) -> bytes:
    """Byte i is i mod 251, so that no two segments are alike."""
    return (bytes(range(251)) * (length // 251 + 1))[:length]


def in_pieces(content: bytes, size: int) -> Iterator[bytes]:
    return (content[at : at + size] for at in range(0, len(content), size))


def sealed(plaintext: bytes, data_key: bytes, aad: bytes, *fixed: bytes) -> bytes:
    sealer = Sealer(data_key, aad, *fixed)
    segments = [segment for piece in in_pieces(plaintext, 300_000) for segment in sealer.update(piece)]
    return b"".join([sealer.header, *segments, sealer.finish()])


def opened(content: bytes, data_key: bytes, aad: bytes) -> bytes:
    opener = Opener(data_key, aad)
    segments = [segment for piece in in_pieces(content, 70_001) for segment in opener.update(piece)]
    return b"".join([*segments, opener.finish()])


class Streams(unittest.TestCase):
    client: Client

    @classmethod
    def setUpClass(cls) -> None:
        cls.client = client(login=person())
        place: VaultidNameParams = {"vaultid": VAULT, "name": "files"}
        cls.client.call("transparent.key.create", params=place, body={"type": "aes256-gcm96"})

    def test_segments_are_those_of_the_vectors(self) -> None:
        with open(PREMISES["vectors"]) as file:
            vectors: Any = json.load(file)["vectors"]
        self.assertGreater(len(vectors), 3)
        for vector in vectors:
            plaintext = patterned(vector["plaintext"]["bytes"])
            names = ("dataKey", "aad", "salt", "noncePrefix")
            data_key, aad, salt, prefix = (bytes.fromhex(vector[name]) for name in names)
            made = sealed(plaintext, data_key, aad, salt, prefix)
            found = (len(made), hashlib.sha256(made).hexdigest())
            self.assertEqual(found, (vector["bytes"], vector["sha256"]), vector["name"])
            if "base64" in vector:
                self.assertEqual(base64.b64encode(made).decode(), vector["base64"])
            self.assertEqual(opened(made, data_key, aad), plaintext)

    def test_segments_are_refused_when_cut_swapped_doubled_changed_extended_or_of_other_additional_data(self) -> None:
        data_key = bytes(32)
        whole = sealed(patterned(2_500_000), data_key, b"a")
        first, second, third = whole[:SEGMENT], whole[SEGMENT : 2 * SEGMENT], whole[2 * SEGMENT :]

        def changed(at: int) -> bytes:
            return whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :]

        spoilt: Dict[str, bytes] = {
            "without its last segment": first + second,
            "without a segment": first + third,
            "with two swapped": first + third + second,
            "with one doubled": first + second + second + third,
            "with a bit changed": changed(SEGMENT + 5),
            "with another length": changed(0),
            "with another salt": changed(3),
            "cut amid a segment": whole[:-1],
            "with a byte more": whole + b"\0",
            "with the header alone": whole[:40],
            "with half a header": whole[:20],
            "empty": b"",
        }
        for name, content in spoilt.items():
            with self.assertRaises(StreamError, msg=name):
                opened(content, data_key, b"a")
        with self.assertRaises(StreamError):
            opened(whole, data_key, b"b")

    def test_streams_of_any_length_come_back_as_they_were(self) -> None:
        key = self.client.key(VAULT, "files")
        for length in (0, 1, 1_000, 1_048_520, 1_048_521, 3_000_000):
            content = patterned(length)
            made = b"".join(key.encrypt_stream(in_pieces(content, 99_999), aad="backup 7"))
            self.assertEqual(made[:4], b"SRS1")
            self.assertEqual(b"".join(key.decrypt_stream(io.BytesIO(made), aad="backup 7")), content)
            if length == 1_000:
                self.assertEqual(b"".join(key.decrypt_stream(in_pieces(made, 1), aad="backup 7")), content)

    def test_streams_are_those_of_the_client_for_node(self) -> None:
        key = self.client.key(PREMISES["other"]["vault"], "files")
        theirs = base64.b64decode(PREMISES["other"]["stream"])
        self.assertEqual(b"".join(key.decrypt_stream([theirs], aad="from Node")), b"as Node sealed it")

    def test_streams_go_with_asyncio_too(self) -> None:
        async def pieces(content: bytes) -> AsyncIterator[bytes]:
            for piece in in_pieces(content, 500_000):
                yield piece

        async def run() -> None:
            self.client.call("auth.check")
            session = self.client._core.session._open
            assert session is not None
            async with AsyncClient(PREMISES["url"], token=session.token, ca=PREMISES["ca"]) as own:
                key = own.key(VAULT, "files")
                made = b"".join([piece async for piece in key.encrypt_stream(pieces(patterned(2_000_000)))])
                back = b"".join([piece async for piece in key.decrypt_stream(io.BytesIO(made))])
                self.assertEqual(back, patterned(2_000_000))

        asyncio.run(run())

    def test_streams_are_refused_with_other_additional_data_and_when_they_are_none(self) -> None:
        key = self.client.key(VAULT, "files")
        made = b"".join(key.encrypt_stream([b"x"], aad="a"))
        with self.assertRaises(strongroom.StrongroomError) as caught:
            list(key.decrypt_stream([made], aad="b"))
        self.assertEqual(caught.exception.number, 1507)
        for content in (b"SRS2", b"no stream at all", b"SR", b"", made[:30], b"SRS1\x00\x01\xff" + made[40:]):
            with self.assertRaises(StreamError):
                list(key.decrypt_stream([content], aad="a"))

    def test_files_are_there_when_they_are_whole_and_take_memory_for_some_segments(self) -> None:
        key = self.client.key(VAULT, "files")
        with tempfile.TemporaryDirectory() as folder:
            plain, secret, back = (os.path.join(folder, name) for name in ("plain", "secret", "back"))

            def there_and_back(megabytes: int) -> int:
                with open(plain, "wb") as file:
                    for _ in range(megabytes):
                        file.write(patterned(1_000_000))
                key.encrypt_file(plain, secret, aad=os.path.basename(plain))
                key.decrypt_file(secret, back, aad="plain")
                return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

            few = there_and_back(30)
            self.assertLess(there_and_back(PREMISES.get("megabytes", 150)), few * 1.3)
            with open(plain, "rb") as one, open(back, "rb") as two:
                self.assertEqual(hashlib.sha256(one.read()).digest(), hashlib.sha256(two.read()).digest())
            os.truncate(secret, os.path.getsize(secret) - 1)
            os.unlink(back)
            with self.assertRaises(StreamError):
                key.decrypt_file(secret, back, aad="plain")
            self.assertEqual(sorted(os.listdir(folder)), ["plain", "secret"])


if __name__ == "__main__":
    unittest.main()
