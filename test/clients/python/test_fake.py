import asyncio
import os
import stat
import tempfile
import unittest

import strongroom
from strongroom.fake import FakeAppliance


class Fake(unittest.TestCase):
    def setUp(self) -> None:
        self.fake = FakeAppliance()
        self.vault = self.fake.add_vault("Customers")
        self.client = self.fake.client()

    def test_fake_encrypts_and_decrypts_and_binds_the_additional_data(self) -> None:
        key = self.client.key(self.vault, "k")
        ciphertext = key.encrypt("secret", aad="row 7")
        self.assertRegex(ciphertext, "^service:v1:")
        self.assertEqual(key.decrypt_text(ciphertext, aad="row 7"), "secret")
        with self.assertRaises(strongroom.StrongroomError) as caught:
            key.decrypt(ciphertext, aad="row 8")
        self.assertEqual(caught.exception.number, 1507)
        self.client.call("transparent.key.rotate", params={"vaultid": self.vault, "name": "k"})
        self.assertRegex(key.rewrap(ciphertext, aad="row 7"), "^service:v2:")
        self.assertEqual(b"".join(key.decrypt_stream(key.encrypt_stream([b"a", b"b"]))), b"ab")
        self.assertEqual([key.verify("x", key.sign("x")), key.verify_hmac("y", key.hmac("x"))], [True, False])

    def test_fake_fails_as_it_is_told_and_the_client_goes_on(self) -> None:
        key = self.client.key(self.vault, "k")
        self.fake.fail("transparent.encrypt", "hsm.unavailable", times=2)
        key.encrypt("x")
        self.fake.end_sessions()
        key.encrypt("x")
        self.assertEqual(self.fake.calls.count("auth.login"), 2)
        self.fake.fail("transparent.decrypt", "access.permission")
        with self.assertRaises(strongroom.PermissionError):
            key.decrypt("service:v1:AAAA")
        self.fake.fail("vault.list", "request.quota", retry_after=3600)
        with self.assertRaises(strongroom.ThrottledError) as caught:
            self.client.call("vault.list")
        self.assertEqual(caught.exception.retry_after, 3600.0)

    def test_fake_has_batches_and_answers_what_it_is_told(self) -> None:
        async def run() -> None:
            key = self.fake.async_client().key(self.vault, "k")
            made = await asyncio.gather(*(key.encrypt(f"{n}") for n in range(10)))
            self.assertEqual(await asyncio.gather(*(key.decrypt_text(one) for one in made)), [f"{n}" for n in range(10)])

        asyncio.run(run())
        self.assertEqual(self.fake.calls, ["auth.login", "transparent.encrypt", "transparent.decrypt"])
        self.fake.answers["object.read"] = {"OBJECT": [{"id": "4", "objectname": "router"}]}
        self.assertEqual(self.client.call("object.read", params={"objectid": 4})["OBJECT"][0]["objectname"], "router")
        with self.assertRaises(strongroom.NotFoundError):
            self.client.call("template.list")

    def test_fake_puts_no_file_in_the_place_of_a_pipe_or_device(self) -> None:
        key = self.client.key(self.vault, "k")
        with tempfile.TemporaryDirectory() as folder:
            plain, pipe = os.path.join(folder, "plain"), os.path.join(folder, "pipe")
            with open(plain, "wb") as file:
                file.write(b"x")
            os.mkfifo(pipe)
            with self.assertRaisesRegex(OSError, "no regular file"):
                key.encrypt_file(plain, pipe)
            self.assertTrue(stat.S_ISFIFO(os.stat(pipe).st_mode))
            self.assertEqual(sorted(os.listdir(folder)), ["pipe", "plain"])

    def test_fake_logs_out_of_a_session_that_has_ended_without_another_login(self) -> None:
        async def run() -> None:
            client = self.fake.async_client()
            await client.login()
            self.fake.end_sessions()
            await client.logout()

        self.client.login()
        self.fake.end_sessions()
        self.client.logout()
        self.assertEqual(self.fake.calls, ["auth.login", "auth.logout"])
        asyncio.run(run())
        self.assertEqual(self.fake.calls, ["auth.login", "auth.logout"] * 2)


if __name__ == "__main__":
    unittest.main()
