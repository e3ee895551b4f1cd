"""The client of a service account that signs its assertions.

The environment gives ``STRONGROOM_URL``, ``STRONGROOM_CA`` (PEM file), ``STRONGROOM_ACCOUNT``, ``STRONGROOM_KEY`` (PEM
file of its private key) and ``STRONGROOM_VAULT`` (id).
"""

import os
from pathlib import Path

from strongroom import Client, ServiceJwtLogin
from strongroom.signer import KeySigner

VAULT = os.environ["STRONGROOM_VAULT"]


def connect() -> Client:
    signer = KeySigner(Path(os.environ["STRONGROOM_KEY"]).read_bytes())
    login = ServiceJwtLogin(account=os.environ["STRONGROOM_ACCOUNT"], signer=signer)
    return Client(os.environ["STRONGROOM_URL"], login, ca=os.environ["STRONGROOM_CA"])
