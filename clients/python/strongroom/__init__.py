"""Client of the Strongroom secrets vault: encrypt, decrypt, sign and read secrets over its HTTP interface."""

from .aio import AsyncClient
from .aio_key import AsyncKey
from .catalogue import ERRORS, OPERATIONS, Operation
from .batch import Batch, Pending
from .client import Client, Key
from .errors import (
    AuthenticationError,
    ConflictError,
    NetworkError,
    NotFoundError,
    PermissionError,
    ProtocolError,
    StreamError,
    StrongroomError,
    ThrottledError,
    UnavailableError,
)
from .key_calls import BatchLimits, Data, DataKey
from .logins import (
    AssertionSigner,
    Login,
    OtpLogin,
    ServiceCertificateLogin,
    ServiceFederatedLogin,
    ServiceJwtLogin,
    ServiceStaticLogin,
    SmartcardLogin,
    TotpLogin,
    token_file,
)
from .retry import REPEATABLE
from .steps import Upload

__all__ = [
    "AssertionSigner",
    "AsyncClient",
    "AsyncKey",
    "AuthenticationError",
    "Batch",
    "BatchLimits",
    "Client",
    "ConflictError",
    "Data",
    "DataKey",
    "ERRORS",
    "Key",
    "Login",
    "NetworkError",
    "NotFoundError",
    "OPERATIONS",
    "Operation",
    "OtpLogin",
    "Pending",
    "PermissionError",
    "ProtocolError",
    "REPEATABLE",
    "ServiceCertificateLogin",
    "ServiceFederatedLogin",
    "ServiceJwtLogin",
    "ServiceStaticLogin",
    "SmartcardLogin",
    "StreamError",
    "StrongroomError",
    "ThrottledError",
    "TotpLogin",
    "UnavailableError",
    "Upload",
    "token_file",
]
