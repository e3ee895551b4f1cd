"""What the tests know of the appliance that they run against, and what its users send."""

import json
import os
from typing import Any, Dict

from strongroom import Client, OtpLogin

#: url, ca (a path), vault, userid, credentials of a person, one-time passwords of a hardware token, and what a test file adds.
PREMISES: Dict[str, Any] = json.loads(os.environ["PREMISES"])


def person() -> OtpLogin:
    """Each login takes another password, without waiting for it."""
    return OtpLogin(**PREMISES["credentials"], otp=lambda: str(PREMISES["otps"].pop(0)))


def client(**more: Any) -> Client:
    return Client(PREMISES["url"], **{"ca": PREMISES["ca"], "first_delay": 0.005, **more})
