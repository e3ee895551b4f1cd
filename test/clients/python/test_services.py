import time
import unittest
from typing import Any, Dict, List, Optional
from unittest import mock

from premises import PREMISES, client
from strongroom import (
    AuthenticationError,
    Login,
    ServiceCertificateLogin,
    ServiceFederatedLogin,
    ServiceJwtLogin,
    ServiceStaticLogin,
    token_file,
)
from strongroom.signer import KeySigner

ACCOUNT: str = PREMISES["account"]
FILES: Dict[str, str] = PREMISES["files"]


def read(name: str) -> bytes:
    with open(FILES[name], "rb") as file:
        return file.read()


class Services(unittest.TestCase):
    def works(self, login: Login, **more: Any) -> None:
        with client(login=login, **more) as own:
            key = own.key(PREMISES["vault"], "column")
            self.assertEqual(key.decrypt_text(key.encrypt("row 3")), "row 3")

    def test_log_in_by_a_static_key(self) -> None:
        self.works(ServiceStaticLogin(account=ACCOUNT, key=PREMISES["key"]))
        with self.assertRaises(AuthenticationError):
            self.works(ServiceStaticLogin(account=ACCOUNT, key="wrong"))

    def test_log_in_by_a_client_certificate(self) -> None:
        paths = {"certificate": FILES["certificate"], "key": FILES["certificateKey"]}
        self.works(ServiceCertificateLogin(account=ACCOUNT, url=PREMISES["listener"], **paths))

    def test_log_in_by_assertions_of_each_kind_of_key_again_and_again(self) -> None:
        for kind in ("EdDSA", "ES256", "RS256"):
            signer = KeySigner(read(kind))
            self.assertEqual(signer.alg, kind)
            login = ServiceJwtLogin(account=ACCOUNT, signer=signer)
            self.works(login)
            self.works(login)
        self.works(ServiceJwtLogin(account=ACCOUNT, signer=KeySigner(read("RS256"), pss=True)))
        with self.assertRaises(AuthenticationError):
            self.works(ServiceJwtLogin(account=ACCOUNT, signer=KeySigner(read("ES256")), audience="another"))

    def test_log_in_by_the_token_of_an_issuer(self) -> None:
        self.works(ServiceFederatedLogin(account=ACCOUNT, token=token_file(FILES["token"])))

    def test_renew_their_session_at_four_fifths_of_its_life(self) -> None:
        tokens: List[Optional[str]] = []
        own = client(login=ServiceStaticLogin(account=ACCOUNT, key=PREMISES["key"]), on_token=tokens.append)
        own.call("vault.list")
        real = time.monotonic
        with mock.patch("strongroom.session.time.monotonic", lambda: real() + 47):
            own.call("vault.list")
        self.assertEqual(len(tokens), 1)
        with mock.patch("strongroom.session.time.monotonic", lambda: real() + 49):
            own.call("vault.list")
            own.call("vault.list")
        self.assertEqual(len(set(tokens)), 2)

    def test_go_on_with_a_good_session_while_the_token_for_the_next_one_is_missing(self) -> None:
        at = read("token").decode()
        answers: List[object] = [at, FileNotFoundError("token"), at]

        def token() -> str:
            answer = answers.pop(0)
            if isinstance(answer, Exception):
                raise answer
            return str(answer)

        own = client(login=ServiceFederatedLogin(account=ACCOUNT, token=token))
        own.call("vault.list")
        real = time.monotonic
        with mock.patch("strongroom.session.time.monotonic", lambda: real() + 49):
            own.call("vault.list")
            self.assertEqual(len(answers), 1)
        with mock.patch("strongroom.session.time.monotonic", lambda: real() + 55):
            own.call("vault.list")
        self.assertEqual(answers, [])
        answers.append(FileNotFoundError("token"))
        with mock.patch("strongroom.session.time.monotonic", lambda: real() + 200):
            with self.assertRaises(FileNotFoundError):
                own.call("vault.list")


if __name__ == "__main__":
    unittest.main()
