import asyncio
import json
import socket
import ssl
import threading
import time
import unittest
from typing import Any, Iterator, List, Optional

import httpx
import strongroom
from meddler import Meddler, Meddling, answer, broken, cut, html
from premises import PREMISES, client, person
from strongroom import AsyncClient, Client, NetworkError, ProtocolError, StrongroomError, ThrottledError, UnavailableError

VAULT = PREMISES["vault"]
BUSY = json.dumps({"CALLINFO": {"status": "FAIL"}, "ERRORCODES": {"1910": "Busy.", "2000": "x"}, "ERRORS": ["Busy."]})


class Network(unittest.TestCase):
    """What stands between a program and the appliance: connections that break, proxies that answer themselves, slow machines."""

    token: Optional[str]

    @classmethod
    def setUpClass(cls) -> None:
        tokens: List[Optional[str]] = []
        cls.direct = client(login=person(), on_token=tokens.append)
        cls.direct.key(VAULT, "k").encrypt("x")
        cls.token = tokens[-1]

    direct: Client

    def setUp(self) -> None:
        self.meddler = Meddler()
        self.addCleanup(self.meddler.close)
        self.client = self.through()

    def through(self, **more: Any) -> Client:
        made = Client(self.meddler.url, **{"token": self.token, "ca": PREMISES["ca"], "first_delay": 0.005, **more})
        self.addCleanup(made.close)
        return made

    def create(self) -> None:
        self.client.call("transparent.key.create", params={"vaultid": VAULT, "name": "never"}, body={})

    def test_a_call_that_is_safe_outlives_what_passes(self) -> None:
        passing: List[Meddling] = [
            broken,
            cut,
            html(502),
            html(503, Retry_After="0"),
            html(200),
            answer(200, '{"ok":true}', content_type="application/json"),
            answer(200, ""),
            answer(429, BUSY, Retry_After="0"),
        ]
        for meddling in passing:
            self.meddler.planned = [meddling, meddling]
            self.meddler.seen.clear()
            key = self.client.key(VAULT, "k")
            self.assertEqual(key.decrypt_text(key.encrypt("secret")), "secret")
            self.assertEqual(len(self.meddler.seen), 4)

    def test_a_call_that_is_safe_outlives_an_appliance_that_does_not_answer_in_time_or_drips(self) -> None:
        def silent(_request: bytes, _passed: Any) -> Optional[bytes]:
            time.sleep(4)
            return None

        self.meddler.planned = [silent]
        # The second try is answered, and has as long.
        key = self.through(timeout=3).key(VAULT, "k")
        self.assertRegex(key.encrypt("secret"), "^service:")
        self.assertEqual(len(self.meddler.seen), 2)
        self.meddler.planned = [silent]
        with self.assertRaises(NetworkError) as caught:
            self.client.with_options(timeout=0.3, retries=0).call("vault.list")
        self.assertEqual(caught.exception.code, "timeout")

        # Each piece comes in time, and the whole does not: the client leaves before the end.
        ends: List[str] = []

        def dripping(_request: bytes, passed: Any) -> Iterator[bytes]:
            for byte in b"HTTP/1.1 200 OK\r\nX-Pad: ".ljust(300, b"x"):
                time.sleep(0.1)
                yield bytes([byte])
            ends.append("sent")

        self.meddler.planned = [dripping]
        with self.assertRaises(NetworkError) as caught:
            self.client.with_options(timeout=1, retries=0).call("vault.list")
        self.assertEqual((caught.exception.code, ends), ("timeout", []))

    def test_waits_as_long_as_retry_after_says_and_fails_at_once_where_that_is_too_long(self) -> None:
        self.meddler.planned = [html(429, Retry_After="1")]
        begun = time.monotonic()
        self.client.call("vault.list")
        self.assertGreaterEqual(time.monotonic() - begun, 0.99)
        self.meddler.seen.clear()
        self.meddler.planned = [html(503, Retry_After="3600")]
        with self.assertRaises(StrongroomError) as caught:
            self.client.call("vault.list")
        self.assertEqual((caught.exception.status, caught.exception.retry_after), (503, 3600.0))
        self.assertEqual(len(self.meddler.seen), 1)

    def test_ends_after_as_many_tries_as_it_was_given(self) -> None:
        self.meddler.planned = [broken] * 3
        with self.assertRaises(NetworkError) as caught:
            self.client.with_options(retries=2).call("vault.list")
        error = caught.exception
        self.assertEqual((error.code, error.number, error.status), ("network", None, None))
        self.assertEqual(len(self.meddler.seen), 3)

    def test_a_call_that_is_not_safe_is_sent_once_and_fails_by_its_class(self) -> None:
        failures = [
            (broken, NetworkError),
            (html(502), ProtocolError),
            (html(429, Retry_After="0"), ProtocolError),
            (answer(302, "", Location="https://elsewhere.example/"), ProtocolError),
            (answer(503, BUSY, Retry_After="0"), UnavailableError),
            (answer(429, BUSY, Retry_After="0"), ThrottledError),
        ]
        for meddling, kind in failures:
            self.meddler.seen.clear()
            self.meddler.planned = [meddling]
            with self.assertRaises(StrongroomError) as caught:
                self.create()
            self.assertIs(type(caught.exception), kind)
            self.assertEqual(len(self.meddler.seen), 1)
        self.meddler.planned = [cut]
        with self.assertRaisesRegex(ProtocolError, "before it was complete"):
            self.create()
        with self.assertRaises(strongroom.ConflictError):
            self.create()

    def test_takes_the_next_token_from_a_refusal_as_well(self) -> None:
        tokens: List[Optional[str]] = []
        own = self.through(on_token=tokens.append, retries=0)
        refusal = {**json.loads(BUSY), "CALLINFO": {"status": "FAIL", "token": "next"}}
        self.meddler.planned = [answer(503, json.dumps(refusal))]
        with self.assertRaises(UnavailableError):
            own.call("vault.list")
        self.assertEqual(tokens, ["next"])

    def test_outlives_a_token_that_dies_in_the_middle_of_a_batch(self) -> None:
        tokens: List[Optional[str]] = []
        own = self.through(token=None, login=person(), on_token=tokens.append)
        own.key(VAULT, "k").encrypt("before")

        def dying(_request: bytes, passed: Any) -> Optional[bytes]:
            self.direct.call("user.sessions.end", params={"userid": PREMISES["userid"]})
            said: bytes = passed()
            return said

        self.meddler.planned = [lambda _request, passed: passed(), dying]
        with own.batch() as batch:
            key = batch.key(VAULT, "k")
            pending = [key.encrypt(f"row {n}") for n in range(1_500)]
        with own.batch() as batch:
            key = batch.key(VAULT, "k")
            texts = [key.decrypt_text(one.result()) for one in pending]
        self.assertEqual([one.result() for one in texts], [f"row {n}" for n in range(1_500)])
        self.assertEqual(len([one for one in tokens if one is not None]), 2)
        self.direct.call("vault.list")
        type(self).token = self.direct._core.session._open.token  # type: ignore[union-attr]

    def test_with_asyncio_does_the_same_and_a_cancelled_call_ends_at_once(self) -> None:
        over = threading.Event()
        self.addCleanup(over.set)
        ended: List[bool] = []

        def silent(_request: bytes, _passed: Any) -> Optional[bytes]:
            ended.append(over.wait(60))
            return None

        async def run() -> None:
            async with AsyncClient(
                self.meddler.url, token=self.token, ca=PREMISES["ca"], first_delay=0.005
            ) as own:
                self.meddler.planned = [broken, cut, html(502)]
                key = own.key(VAULT, "k")
                self.assertEqual(await key.decrypt_text(await key.encrypt("secret")), "secret")
                self.assertEqual(len(self.meddler.seen), 5)
                self.meddler.planned = [silent]
                with self.assertRaises(NetworkError):
                    await own.with_options(timeout=0.2, retries=0).call("vault.list")
                self.meddler.planned = [silent]
                task = asyncio.ensure_future(own.call("vault.list"))
                await asyncio.sleep(0.3)
                task.cancel()
                with self.assertRaises(asyncio.CancelledError):
                    await task
                # The server is silent still.
                self.assertEqual(ended, [])

        asyncio.run(run())

    def test_calls_under_way_come_to_their_end_when_the_client_is_closed(self) -> None:
        own = self.through()

        def closing(_request: bytes, passed: Any) -> Optional[bytes]:
            own.close()
            said: bytes = passed()
            return said

        self.meddler.planned = [closing]
        made = own.call("transparent.key.create", params={"vaultid": VAULT, "name": "closing"}, body={})
        self.assertEqual(made["CALLINFO"]["status"], "SUCCESS")

        async def run() -> None:
            async with AsyncClient(self.meddler.url, token=self.token, ca=PREMISES["ca"]) as other:
                call = asyncio.ensure_future(other.call("vault.list"))
                self.meddler.planned = [held]
                while len(self.meddler.seen) < 2:
                    await asyncio.sleep(0.01)
            closed.set()
            self.assertEqual((await call)["CALLINFO"]["status"], "SUCCESS")

        closed = threading.Event()

        def held(_request: bytes, passed: Any) -> Optional[bytes]:
            closed.wait(60)
            said: bytes = passed()
            return said

        asyncio.run(run())

    def test_with_asyncio_a_login_goes_on_for_other_calls_when_the_one_that_began_it_is_cancelled(self) -> None:
        cancelled = threading.Event()

        def held(_request: bytes, passed: Any) -> Optional[bytes]:
            cancelled.wait(60)
            said: bytes = passed()
            return said

        async def run() -> None:
            given = strongroom.OtpLogin(**PREMISES["credentials"], otp=PREMISES["otps"].pop(0))
            async with AsyncClient(self.meddler.url, login=given, ca=PREMISES["ca"]) as own:
                self.meddler.planned = [held]
                first, second = (asyncio.ensure_future(own.key(VAULT, name).encrypt("x")) for name in ("k", "other"))
                while not self.meddler.seen:
                    await asyncio.sleep(0.01)
                first.cancel()
                with self.assertRaises(asyncio.CancelledError):
                    await first
                cancelled.set()
                self.assertRegex(await second, "^service:v1:")

        asyncio.run(run())

    def test_with_asyncio_a_call_that_ends_amid_the_handshake_leaves_no_connection(self) -> None:
        silent = socket.create_server(("127.0.0.1", 0))
        self.addCleanup(silent.close)

        def closed() -> bool:
            connection, _ = silent.accept()
            with connection:
                connection.settimeout(20)
                while connection.recv(65_536):
                    pass
            return True

        async def run() -> None:
            context = ssl.create_default_context(cafile=PREMISES["ca"])
            transport = httpx.AsyncHTTPTransport(verify=context, limits=httpx.Limits(max_connections=1))
            own, other = (
                AsyncClient(url, token=self.token, transport=transport, retries=0)
                for url in (f"https://127.0.0.1:{silent.getsockname()[1]}", self.meddler.url)
            )
            with self.assertRaises(NetworkError) as caught:
                await own.with_options(timeout=0.3).call("vault.list")
            self.assertEqual(caught.exception.code, "timeout")
            self.assertEqual((await other.call("vault.list"))["CALLINFO"]["status"], "SUCCESS")
            self.assertTrue(await asyncio.get_running_loop().run_in_executor(None, closed))

        asyncio.run(run())

    def test_with_asyncio_a_request_ends_when_all_its_calls_are_cancelled(self) -> None:
        over = threading.Event()
        self.addCleanup(over.set)

        def silent(_request: bytes, _passed: Any) -> Optional[bytes]:
            over.wait(120)
            return None

        async def run() -> None:
            async with AsyncClient(self.meddler.url, token=self.token, ca=PREMISES["ca"]) as own:
                self.meddler.planned = [silent]
                key = own.key(VAULT, "k")
                calls = [asyncio.ensure_future(key.encrypt(f"{n}")) for n in range(2)]
                while not self.meddler.seen:
                    await asyncio.sleep(0.01)
                for call in calls:
                    call.cancel()
                # Without the cancellation the request would be sent again after its timeout.
                await asyncio.wait(own._shared.tasks, timeout=60)
                self.assertEqual(len(self.meddler.seen), 1)
                self.assertEqual(own._shared.tasks, set())

        asyncio.run(run())


if __name__ == "__main__":
    unittest.main()
