"""Private keys in files that sign the assertions of a service account. Requires the package ``cryptography``."""

from __future__ import annotations

from typing import Optional

from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import load_pem_private_key


class KeySigner:
    """Signs with a private key in PEM: Ed25519, EC with P-256, or RSA (RS256, or PS256 if ``pss`` is set)."""

    def __init__(self, pem: bytes, *, password: Optional[bytes] = None, pss: bool = False) -> None:
        self._key = load_pem_private_key(pem, password)
        if isinstance(self._key, ed25519.Ed25519PrivateKey):
            self.alg = "EdDSA"
        elif isinstance(self._key, ec.EllipticCurvePrivateKey) and isinstance(self._key.curve, ec.SECP256R1):
            self.alg = "ES256"
        elif isinstance(self._key, rsa.RSAPrivateKey):
            self.alg = "PS256" if pss else "RS256"
        else:
            raise ValueError("This key signs no assertion: take Ed25519, EC with P-256, or RSA.")

    def sign(self, data: bytes) -> bytes:
        key = self._key
        if isinstance(key, ed25519.Ed25519PrivateKey):
            return key.sign(data)
        if isinstance(key, ec.EllipticCurvePrivateKey):
            r, s = decode_dss_signature(key.sign(data, ec.ECDSA(SHA256())))
            return r.to_bytes(32, "big") + s.to_bytes(32, "big")
        assert isinstance(key, rsa.RSAPrivateKey)
        # The salt has the length of the hash (RFC 7518 §3.5).
        pss = padding.PSS(padding.MGF1(SHA256()), salt_length=32)
        return key.sign(data, pss if self.alg == "PS256" else padding.PKCS1v15(), SHA256())
