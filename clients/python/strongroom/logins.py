"""Ways to log in. The client asks one for the body of ``POST /auth`` whenever it needs a session."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import math
import os
import secrets
import time
from typing import Callable, Dict, Optional, Protocol, Union

from .steps import Identity

Body = Dict[str, str]


class Login:
    #: Each call prolongs the session, as those of people; otherwise it ends at its time, as those of services.
    is_prolonged = False
    #: Whether ``body`` is good for another try, because it makes anew what is good once.
    is_repeatable = True
    #: Listener for client certificates, where the login takes one: port 8443 of the same host if ``url`` is absent.
    identity: Optional[Identity] = None
    url: Optional[str] = None

    def delay(self) -> float:
        """Seconds until ``body`` can be made."""
        return 0.0

    def body(self) -> Body:
        raise NotImplementedError


class OtpLogin(Login):
    """With a code that ``otp`` asks a person for, or that was read once; of a hardware token or of an authenticator app."""

    is_prolonged = True
    is_repeatable = False

    def __init__(
        self, *, username: str, passphrase: str, application_key: str, otp: Union[str, Callable[[], str]]
    ) -> None:
        self._form = {"username": username, "passphrase": passphrase, "apikey": application_key}
        self._otp = otp

    def body(self) -> Body:
        code = self._otp if isinstance(self._otp, str) else self._otp()
        is_totp = len(code) == 6 and code.isascii() and code.isdigit()
        return {**self._form, "otp": code, "logintype": "totp" if is_totp else "hwkey_otp"}


class TotpLogin(Login):
    """With the seed of an authenticator app. A code is good once: a further login waits for the next, up to half a minute."""

    is_prolonged = True

    def __init__(self, *, username: str, passphrase: str, application_key: str, totp_secret: str) -> None:
        self._form = {"username": username, "passphrase": passphrase, "apikey": application_key}
        self._secret = totp_secret
        self._step = 0

    def delay(self) -> float:
        self._step = max(int(time.time() // 30), self._step + 1)
        return self._step * 30 - time.time()

    def body(self) -> Body:
        return {**self._form, "otp": totp_code(self._secret, self._step), "logintype": "totp"}


class SmartcardLogin(Login):
    """A person with a client certificate in place of the code: paths of PEM files, read at each login."""

    is_prolonged = True

    def __init__(
        self,
        *,
        username: str,
        passphrase: str,
        application_key: str,
        certificate: str,
        key: str,
        url: Optional[str] = None,
    ) -> None:
        self._form = {"username": username, "passphrase": passphrase, "apikey": application_key}
        self.identity = Identity(certificate, key)
        self.url = url

    def body(self) -> Body:
        return {**self._form, "logintype": "smartcard"}


class ServiceCertificateLogin(Login):
    """A service account with a client certificate: paths of PEM files, read at each login, so that new ones are taken."""

    def __init__(self, *, account: str, certificate: str, key: str, url: Optional[str] = None) -> None:
        self._account = account
        self.identity = Identity(certificate, key)
        self.url = url

    def body(self) -> Body:
        return {"logintype": "service_certificate", "account": self._account}


class ServiceStaticLogin(Login):
    """A service account with a static key, where the appliance allows them."""

    def __init__(self, *, account: str, key: str) -> None:
        self._body = {"logintype": "service_static", "account": account, "key": key}

    def body(self) -> Body:
        return self._body


class ServiceFederatedLogin(Login):
    """A service account with the JWT of an issuer. ``token`` is asked at each login, because such tokens end soon."""

    def __init__(self, *, account: str, token: Callable[[], str]) -> None:
        self._account = account
        self._token = token

    def body(self) -> Body:
        return {"logintype": "service_federated", "account": self._account, "assertion": self._token()}


def token_file(path: Union[str, os.PathLike[str]]) -> Callable[[], str]:
    """For ServiceFederatedLogin: a token that the platform keeps in a file and renews there, as Kubernetes does."""

    def read() -> str:
        with open(path, encoding="ascii") as file:
            return file.read().strip()

    return read


class ServiceJwtLogin(Login):
    """A service account with an assertion of its own key, made anew for each login (RFC 7523 §3)."""

    def __init__(
        self, *, account: str, signer: AssertionSigner, audience: str = "strongroom", kid: Optional[str] = None
    ) -> None:
        self._account = account
        self._signer = signer
        self._audience = audience
        self._kid = kid

    def body(self) -> Body:
        now = int(time.time())
        header = {"alg": self._signer.alg, "typ": "JWT", **({} if self._kid is None else {"kid": self._kid})}
        claims = {
            "iss": self._account,
            "sub": self._account,
            "aud": self._audience,
            "iat": now,
            "exp": now + 60,
            "jti": secrets.token_urlsafe(16),
        }
        text = ".".join(_base64url(json.dumps(part, separators=(",", ":")).encode()) for part in (header, claims))
        signature = self._signer.sign(text.encode())
        return {"logintype": "service_jwt", "assertion": f"{text}.{_base64url(signature)}"}


class AssertionSigner(Protocol):
    """Signs an assertion, wherever the private key lies: in a file, a TPM or a PKCS#11 token."""

    #: ``EdDSA``, ``ES256``, ``RS256`` or ``PS256``.
    alg: str

    def sign(self, data: bytes) -> bytes:
        """As JWTs have it (RFC 7518 §3.4): of ES256 the two numbers one after the other, 64 bytes."""


def totp_code(secret: str, step: int) -> str:
    """The code of an authenticator app for this time step (RFC 6238: HMAC-SHA-1, 6 digits, 30 seconds)."""
    letters = "".join(secret.upper().replace("-", "").split()).rstrip("=")
    key = base64.b32decode(letters + "=" * (math.ceil(len(letters) / 8) * 8 - len(letters)))
    mac = hmac.new(key, step.to_bytes(8, "big"), hashlib.sha1).digest()
    at = mac[19] & 15
    return f"{(int.from_bytes(mac[at:at + 4], 'big') & 0x7FFFFFFF) % 1_000_000:06}"


def _base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
