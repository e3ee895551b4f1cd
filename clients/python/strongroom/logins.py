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

from .errors import AuthenticationError
from .steps import Identity

Body = Dict[str, str]


class Login:
    #: True: each call prolongs the session (people). False: the session ends at its time (service accounts).
    is_prolonged = False
    #: Whether ``body`` may be called for another try, because it then makes a new one-time value.
    is_repeatable = True
    #: Client certificate, where the login needs one, and address of its listener: by default port 8443 of the same
    #: host.
    identity: Optional[Identity] = None
    url: Optional[str] = None

    def delay(self) -> float:
        """Seconds until ``body`` may be called."""
        return 0.0

    def body(self) -> Body:
        raise NotImplementedError


class OtpLogin(Login):
    """Logs in with a code of a hardware token or app. ``otp``: the code, or a function that asks for it. A given code is
    sent once, because a second login with it would count as a failed one.
    """

    is_prolonged = True
    is_repeatable = False

    def __init__(
        self, *, username: str, passphrase: str, application_key: str, otp: Union[str, Callable[[], str]]
    ) -> None:
        self._form = {"username": username, "passphrase": passphrase, "apikey": application_key}
        self._otp = otp
        self._is_spent = False

    def body(self) -> Body:
        if self._is_spent:
            raise AuthenticationError(
                "The one-time password was sent before, and is valid once: give a function that asks for one.",
                code="session.invalid",
            )
        self._is_spent = isinstance(self._otp, str)
        return {**self._form, "otp": self._otp if isinstance(self._otp, str) else self._otp()}


class TotpLogin(Login):
    """Logs in with the seed of an app. A code is valid once: another login waits for the next, up to half a minute."""

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
    """Logs a person in with a client certificate instead of a code. The PEM files are read at each login."""

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
    """Logs a service account in with a client certificate. Each login reads the PEM files, so renewed ones are used."""

    def __init__(self, *, account: str, certificate: str, key: str, url: Optional[str] = None) -> None:
        self._account = account
        self.identity = Identity(certificate, key)
        self.url = url

    def body(self) -> Body:
        return {"logintype": "service_certificate", "account": self._account}


class ServiceStaticLogin(Login):
    """Logs a service account in with a static key, where the operator allows those."""

    def __init__(self, *, account: str, key: str) -> None:
        self._body = {"logintype": "service_static", "account": account, "key": key}

    def body(self) -> Body:
        return self._body


class ServiceFederatedLogin(Login):
    """Logs a service account in with the JWT of an issuer. Each login calls ``token``, because tokens expire soon."""

    def __init__(self, *, account: str, token: Callable[[], str]) -> None:
        self._account = account
        self._token = token

    def body(self) -> Body:
        return {"logintype": "service_federated", "account": self._account, "assertion": self._token()}


def token_file(path: Union[str, os.PathLike[str]]) -> Callable[[], str]:
    """For ServiceFederatedLogin: reads a token from a file that the platform renews, as Kubernetes does."""

    def read() -> str:
        with open(path, encoding="ascii") as file:
            return file.read().strip()

    return read


class ServiceJwtLogin(Login):
    """Logs a service account in with an assertion signed by its own key, a new one for each login (RFC 7523 §3)."""

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
    """Signs assertions. The private key may be in a file, a TPM or a PKCS#11 token."""

    #: ``EdDSA``, ``ES256``, ``RS256`` or ``PS256``.
    alg: str

    def sign(self, data: bytes) -> bytes:
        """Returns a JWS signature (RFC 7518 §3.4); for ES256 r and s, 64 bytes."""


def totp_code(secret: str, step: int) -> str:
    """The code of an authenticator app for this time step (RFC 6238: HMAC-SHA-1, 6 digits, 30 seconds)."""
    letters = "".join(secret.upper().replace("-", "").split()).rstrip("=")
    key = base64.b32decode(letters + "=" * (math.ceil(len(letters) / 8) * 8 - len(letters)))
    mac = hmac.new(key, step.to_bytes(8, "big"), hashlib.sha1).digest()
    at = mac[19] & 15
    return f"{(int.from_bytes(mac[at:at + 4], 'big') & 0x7FFFFFFF) % 1_000_000:06}"


def _base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
