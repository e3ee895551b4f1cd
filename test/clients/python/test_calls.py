import asyncio
import pickle
import unittest
from typing import Any, List, Optional

import strongroom
from premises import PREMISES, client, person
from strongroom import AsyncClient, Client, OtpLogin
from strongroom.api import ObjectReadQuery, VaultidNameParams

VAULT = PREMISES["vault"]


class Calls(unittest.TestCase):
    """One session for all: a code of an authenticator is good once."""

    client: Client

    @classmethod
    def setUpClass(cls) -> None:
        cls.client = client(login=person())

    def test_logs_in_by_itself_and_encrypts_and_decrypts_text_and_bytes(self) -> None:
        key = self.client.key(VAULT, "greeting")
        ciphertext = key.encrypt("Grüße")
        self.assertRegex(ciphertext, "^service:v1:")
        self.assertEqual(key.decrypt_text(ciphertext), "Grüße")
        data = bytes(range(256))
        for form in (data, bytearray(data), memoryview(data)):
            self.assertEqual(key.decrypt(key.encrypt(form, aad="row 7"), aad=b"row 7"), data)
        self.assertEqual(key.decrypt(key.encrypt("")), b"")

    def test_binds_a_ciphertext_to_its_additional_data(self) -> None:
        key = self.client.key(VAULT, "greeting")
        ciphertext = key.encrypt("secret", aad="row 7")
        with self.assertRaises(strongroom.StrongroomError) as caught:
            key.decrypt(ciphertext, aad="row 8")
        error = caught.exception
        self.assertEqual((error.number, error.code, error.status), (1507, "ciphertext.invalid", 400))

    def test_rewraps_to_the_version_that_a_rotation_made(self) -> None:
        key = self.client.key(VAULT, "turning")
        old = key.encrypt("secret")
        self.client.call("transparent.key.rotate", params={"vaultid": VAULT, "name": "turning"})
        fresh = key.rewrap(old)
        self.assertRegex(fresh, "^service:v2:")
        self.assertEqual([key.decrypt_text(old), key.decrypt_text(fresh)], ["secret"] * 2)

    def test_signs_verifies_makes_hmacs_and_data_keys(self) -> None:
        for name, kind in (("signer", "ecdsa-p256"), ("mac", "hmac-sha256")):
            place: VaultidNameParams = {"vaultid": VAULT, "name": name}
            self.client.call("transparent.key.create", params=place, body={"type": kind})
        signer = self.client.key(VAULT, "signer")
        signature = signer.sign("a line")
        self.assertEqual([signer.verify("a line", signature), signer.verify("another", signature)], [True, False])
        jws = signer.sign("a line", marshaling_algorithm="jws")
        self.assertTrue(signer.verify("a line", jws, marshaling_algorithm="jws"))
        mac = self.client.key(VAULT, "mac")
        hmac = mac.hmac("a line")
        self.assertEqual([mac.verify_hmac("a line", hmac), mac.verify_hmac("another", hmac)], [True, False])
        key = self.client.key(VAULT, "greeting")
        key.encrypt("x")
        made = key.data_key(aad="file 1")
        self.assertEqual(len(made.plaintext or b""), 32)
        self.assertEqual(key.decrypt(made.ciphertext, aad="file 1"), made.plaintext)
        self.assertIsNone(key.data_key(wrapped=True).plaintext)

    def test_calls_every_operation_by_its_name(self) -> None:
        vaults = self.client.call("vault.list")["VAULTS"]
        self.assertIn(VAULT, [vault["id"] for vault in vaults])
        found = self.client.call("object.find", query={"needle": "nothing & nowhere"})
        self.assertEqual(found["OBJECT"], [])

    def test_sends_a_file_and_reads_it_again(self) -> None:
        file = strongroom.Upload("nöte.txt", b"a file of the client", "text/plain")
        form = {"templateid": 3, "groupid": VAULT, "parentid": 0, "objectname": "note"}
        made = self.client.call("object.create", body=form, file=file)["CALLINFO"]
        query: ObjectReadQuery = {"decrypt": True, "filedata": True}
        read = self.client.call("object.read", params={"objectid": made["objectid"]}, query=query)
        self.assertEqual(read["FILEDATA"], "YSBmaWxlIG9mIHRoZSBjbGllbnQ=")
        self.assertEqual(read["OBJECT"][0]["filename"], "nöte.txt")

    def test_raises_a_class_for_what_callers_tell_apart(self) -> None:
        with self.assertRaisesRegex(strongroom.NotFoundError, "There is no key of this name") as caught:
            self.client.key(VAULT, "nosuch").decrypt("service:v1:AAAA")
        error = caught.exception
        self.assertEqual((error.number, error.code, error.status), (1500, "key.not_found", 404))
        with self.assertRaises(strongroom.PermissionError):
            self.client.call("audit.list")
        with self.assertRaises(strongroom.ConflictError):
            for _ in range(2):
                place: VaultidNameParams = {"vaultid": VAULT, "name": "twice"}
                self.client.call("transparent.key.create", params=place, body={"type": "aes256-gcm96"})

    def test_tells_a_refused_login(self) -> None:
        wrong = {**PREMISES["credentials"], "passphrase": "wrong", "otp": "000000"}
        with self.assertRaises(strongroom.AuthenticationError) as caught:
            client(login=OtpLogin(**wrong)).login()
        self.assertEqual((caught.exception.number, caught.exception.code), (1201, "login.refused"))

    def test_tells_wrong_use_before_anything_is_sent(self) -> None:
        with self.assertRaisesRegex(ValueError, "https://"):
            Client("http://127.0.0.1")
        with self.assertRaisesRegex(ValueError, "name"):
            self.client.key(VAULT, "..").sign("x")
        with self.assertRaisesRegex(ValueError, "vaultid"):
            self.client.key("", "x").sign("x")
        with self.assertRaises(strongroom.AuthenticationError):
            client().call("vault.list")
        with self.assertRaisesRegex(ValueError, "no operation 'vault.lits'"):
            self.client.call("vault.lits")  # type: ignore[call-overload]
        with self.assertRaisesRegex(FileNotFoundError, "no-such-ca.pem"):
            client(ca="no-such-ca.pem")
        with self.assertRaisesRegex(ValueError, f"{__file__} holds no certificate"):
            client(ca=__file__)
        card = strongroom.ServiceCertificateLogin(account="a", certificate=__file__, key=__file__)
        with self.assertRaisesRegex(ValueError, f"{__file__} and {__file__} hold no certificate"):
            client(login=card).login()

    def test_takes_text_and_bytes_and_nothing_else(self) -> None:
        """A number would be that many zeros, and an array of bytes no text."""
        key: Any = self.client.key(VAULT, "greeting")
        for number in (4, None, [4]):
            for taking in (key.encrypt, key.sign, key.hmac):
                with self.assertRaisesRegex(TypeError, "Text or bytes"):
                    taking(number)
        with self.assertRaisesRegex(TypeError, "Text or bytes"):
            key.encrypt("x", aad=4)
        made = key.encrypt("x").encode()
        for reading in (key.decrypt, key.decrypt_text, key.rewrap):
            with self.assertRaisesRegex(TypeError, "bytes"):
                reading(made)

    def test_shows_no_secret_to_logs_and_reports_of_errors(self) -> None:
        key = self.client.key(VAULT, "greeting")
        key.encrypt("x")
        made = key.data_key()
        self.assertIn(made.ciphertext, repr(made))
        self.assertNotIn(repr(made.plaintext), repr(made))
        sent = next(self.client._core.call("transparent.hash", {}, {}, {"input": "secret"}, None, self.client._rules))
        answered = self.client._do(sent)
        call = key._calls.encrypt("secret", None, None, None)
        shown = repr([strongroom.Upload("a", b"secret"), self.client._core.session._open, sent, answered, call])
        self.assertNotRegex(shown, "secret|c2VjcmV0|" + self.tokens())

    def test_shows_no_token_that_was_read_from_a_file_with_its_line_break(self) -> None:
        with self.assertRaises(ValueError) as caught:
            client(token="kept-token\n", retries=0).call("vault.list")
        self.assertRegex(str(caught.exception), "^The token .*a line break")

    def test_an_error_goes_from_one_process_to_another(self) -> None:
        with self.assertRaises(strongroom.NotFoundError) as caught:
            self.client.key(VAULT, "nosuch").decrypt("service:v1:AAAA")
        again = pickle.loads(pickle.dumps(caught.exception))
        self.assertIs(type(again), strongroom.NotFoundError)
        self.assertEqual((str(again), vars(again)), (str(caught.exception), vars(caught.exception)))

    def test_trusts_no_appliance_whose_ca_it_was_not_told(self) -> None:
        with self.assertRaisesRegex(strongroom.NetworkError, "certificate verify failed.*Give the CA"):
            client(ca=None, retries=0, token="x").call("vault.list")

    def test_joins_the_calls_of_a_batch_each_with_its_own_outcome(self) -> None:
        key = self.client.key(VAULT, "joined")
        with self.client.batch() as batch:
            joined = batch.key(VAULT, "joined")
            pending = [joined.encrypt(f"row {n}", aad=f"{n}") for n in range(50)]
            with self.assertRaisesRegex(RuntimeError, "with block"):
                pending[0].result()
        ciphertexts = [one.result() for one in pending]
        self.assertEqual(key.decrypt_text(ciphertexts[7], aad="7"), "row 7")
        with self.client.batch() as batch:
            joined = batch.key(VAULT, "joined")
            texts = [joined.decrypt_text(one, aad=f"{n}") for n, one in enumerate(ciphertexts)]
            bad = joined.decrypt(ciphertexts[0], aad="another")
            gone = batch.key(VAULT, "nosuch").decrypt("service:v1:AAAA")
            fresh = joined.rewrap(ciphertexts[1], aad="1")
        self.assertEqual([one.result() for one in texts], [f"row {n}" for n in range(50)])
        with self.assertRaises(strongroom.StrongroomError) as caught:
            bad.result()
        self.assertEqual(caught.exception.number, 1507)
        with self.assertRaises(strongroom.NotFoundError):
            gone.result()
        self.assertEqual(key.decrypt_text(fresh.result(), aad="1"), "row 1")

    def test_sends_nothing_of_a_block_that_failed(self) -> None:
        with self.assertRaises(KeyError):
            with self.client.batch() as batch:
                batch.key(VAULT, "never made").encrypt("x")
                raise KeyError
        with self.assertRaises(strongroom.NotFoundError):
            self.client.call("transparent.key.read", params={"vaultid": VAULT, "name": "never-made"})

    def test_divides_what_is_too_much_for_one_call(self) -> None:
        data = bytes(1_000_000)
        with self.client.batch(strongroom.BatchLimits(characters=100_000_000)) as batch:
            joined = batch.key(VAULT, "large")
            pending = [joined.encrypt(data) for _ in range(5)]
        self.assertEqual(self.client.key(VAULT, "large").decrypt(pending[4].result()), data)
        with self.client.batch() as batch:
            many = [batch.key(VAULT, "large").encrypt("") for _ in range(2_100)]
        self.assertEqual(len({one.result() for one in many}), 2_100)

    def test_with_asyncio_joins_what_one_turn_of_the_loop_calls(self) -> None:
        async def run() -> None:
            token = self.tokens()
            async with AsyncClient(PREMISES["url"], token=token, ca=PREMISES["ca"]) as own:
                sent = []
                real = own._core.call

                def counted(operation: str, *rest: object) -> object:
                    sent.append(operation)
                    return real(operation, *rest)  # type: ignore[arg-type]

                own._core.call = counted  # type: ignore[assignment]
                key = own.key(VAULT, "joined")
                ciphertexts = await asyncio.gather(*(key.encrypt(f"{n}", aad="a") for n in range(100)))
                texts = await asyncio.gather(*(key.decrypt_text(one, aad="a") for one in ciphertexts))
                self.assertEqual(texts, [f"{n}" for n in range(100)])
                self.assertEqual(sent, ["transparent.encrypt", "transparent.decrypt"])
                outcomes = await asyncio.gather(
                    key.decrypt(ciphertexts[0], aad="a"), key.decrypt("service:v1:AAAA"), return_exceptions=True
                )
                self.assertEqual(outcomes[0], b"0")
                self.assertIsInstance(outcomes[1], strongroom.StrongroomError)
                signer = own.key(VAULT, "signer")
                self.assertTrue(await signer.verify("a line", await signer.sign("a line")))

        asyncio.run(run())

    def test_with_asyncio_a_cancelled_call_takes_no_other_with_it(self) -> None:
        async def run() -> None:
            token = self.tokens()
            async with AsyncClient(PREMISES["url"], token=token, ca=PREMISES["ca"]) as own:
                key = own.key(VAULT, "joined")
                tasks = [asyncio.ensure_future(key.encrypt(f"{n}")) for n in range(3)]
                await asyncio.sleep(0)
                tasks[1].cancel()
                first, second, third = await asyncio.gather(*tasks, return_exceptions=True)
                self.assertIsInstance(second, asyncio.CancelledError)
                self.assertEqual([await key.decrypt(str(one)) for one in (first, third)], [b"0", b"2"])

        asyncio.run(run())

    def test_a_session_goes_on_in_another_process_and_ends_with_the_logout(self) -> None:
        kept: List[Optional[str]] = []
        own = client(token=self.tokens(), on_token=kept.append)
        own.call("auth.check")
        second = client(token=self.tokens())
        own.call("auth.logout")
        with self.assertRaises(strongroom.AuthenticationError) as caught:
            second.call("auth.check")
        self.assertEqual(caught.exception.number, 1200)
        self.assertEqual(len([one for one in kept if one is None]), 0)

    def test_a_session_that_the_appliance_ended_is_begun_again_once_whatever_the_call(self) -> None:
        self.client.login()
        self.client.call("user.sessions.end", params={"userid": PREMISES["userid"]})
        made = self.client.call("vault.create", body={"vaultname": "after the end"})
        self.assertEqual(made["VAULT"][0]["groupname"], "after the end")

    def test_a_given_code_is_sent_once_because_a_second_login_with_it_would_count_as_failed(self) -> None:
        own = client(login=strongroom.OtpLogin(**PREMISES["credentials"], otp=PREMISES["otps"].pop(0)))
        own.login()
        self.client.login()
        self.client.call("user.sessions.end", params={"userid": PREMISES["userid"]})
        for _time in range(2):
            with self.assertRaisesRegex(strongroom.AuthenticationError, "valid once") as caught:
                own.call("vault.list")
            self.assertEqual(caught.exception.code, "session.invalid")

    def tokens(self) -> str:
        self.client.call("auth.check")
        session = self.client._core.session._open
        assert session is not None
        return session.token


if __name__ == "__main__":
    unittest.main()
