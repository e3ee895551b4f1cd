"""What the interface takes and answers, made by test/unit/http/python-types.test.ts from its OpenAPI document.

``VaultCreateBody`` and ``VaultCreateAnswer`` are those of the operation ``vault.create``. The package itself does not load this
module: it is for type checkers, and for programs that name its types.

Not edited by hand: GOLDEN=write npx vitest run test/unit/http/python-types.test.ts
"""

from __future__ import annotations

from typing import (
    TYPE_CHECKING,
    Any,
    Coroutine,
    Dict,
    List,
    Literal,
    Mapping,
    Optional,
    Protocol,
    TypedDict,
    Union,
    overload,
)

if TYPE_CHECKING:
    from .steps import Upload


class _Callinfo(TypedDict):
    status: Literal["SUCCESS", "FAIL"]
    """Whether the call did what it was to do."""
    handler: str
    """Name of the handler that served the call."""
    errors: Literal[0, 1]
    """Whether ERRORS exists: 1 or 0."""
    errorcodes: Literal[0, 1]
    """Whether ERRORCODES exists: 1 or 0."""
    general: List[str]
    """What else there is to say, in sentences for people; mostly empty."""


class Callinfo(_Callinfo, total=False):
    """What became of the call."""

    token: str
    """The session token for the next call; absent where there is no session."""


class _Rest(TypedDict):
    HEADERS: Dict[str, Any]
    """The headers of the request, except credentials."""
    PARAMS: List[Any]
    """Always empty."""


class _Sent(_Rest):
    DATA: Union[Dict[str, Any], List[Any]]
    """What was sent, and `token` as it was supplied; an empty array when that is nothing."""


class Envelope(_Sent):
    """What every answer holds."""

    CALLINFO: Callinfo


class AuthLoginBodyPasskeyResponse(TypedDict):
    """What the authenticator answered."""

    clientDataJSON: str
    """What the browser composed. Base64url."""
    authenticatorData: str
    """What the authenticator composed. Base64url."""
    signature: str
    """Over both. Base64url."""


class AuthLoginBodyPasskey(TypedDict):
    """The assertion of a passkey, as `PublicKeyCredential.toJSON()` gives it."""

    id: str
    """Id of the credential. Base64url."""
    response: AuthLoginBodyPasskeyResponse
    """What the authenticator answered."""


class AuthLoginBody(TypedDict, total=False):
    username: str
    """Login name; every login of a person has it."""
    keys: str
    """Pass phrase, application key and one-time password in this order, with nothing between them."""
    passphrase: str
    """Pass phrase of the user."""
    otp: str
    """The one-time password: 6 to 8 digits of an authenticator app or HOTP token, or the 44 characters that a
    hardware token types. Each is good once."""
    passkey: AuthLoginBodyPasskey
    """The assertion of a passkey, as `PublicKeyCredential.toJSON()` gives it."""
    apikey: str
    """Application key: an administrator of the appliance makes one for each application."""
    logintype: Literal["totp", "hwkey_otp", "yubikey_otp", "smartcard", "smc_rest", "webauthn", "service_certificate", "service_jwt", "service_federated", "service_static"]
    """Kind of the second factor; without it the form of `otp` decides. `yubikey_otp` is `hwkey_otp`, and `smc_rest`
    is `smartcard`, which takes the client certificate of the TLS connection in place of `otp`; `webauthn` takes
    `passkey`. Service accounts: `service_certificate` with the client certificate of the TLS connection,
    `service_jwt` and `service_federated` with `assertion`, `service_static` with `key`."""
    account: str
    """Name of the service account."""
    assertion: str
    """JWT in the compact form: signed by the key of the account (`service_jwt`), or by an issuer
    (`service_federated`)."""
    key: str
    """Static key of a service account (`service_static`)."""
    session: Literal["token", "cookie"]
    """Where the token goes: into `CALLINFO`, or, only for pages of the appliance, into a cookie."""


class AuthLoginInfoAudit(TypedDict):
    """What the user should know."""

    violations: Union[List[str], Dict[str, str]]
    """Rules of this site that the user breaks now."""
    warnings: Union[List[str], Dict[str, str]]
    """Rules that the user will soon break, and unusual events."""


class _AuthLoginInfo(Callinfo):
    fingerprint: str
    """Fingerprint of the public key of the user: 40 hexadecimal digits."""
    userid: str
    """Id of the user. Decimal digits."""
    password: Literal[""]
    """Always empty."""
    userstatus: str
    """Capabilities of the user. A bitmap as decimal text, whose bits `GET /utils/statusvalues` names."""
    username: str
    """Login name of the user."""
    fullname: str
    """Full name of the user."""
    timeout: int
    """Milliseconds without a call after which the session ends; of a service account until it ends."""
    filesupport: int
    """Kinds of files that objects can hold: a fixed number, which published clients read."""
    version: Literal["2.1.0", "2.0.5"]
    """Release whose form the answers have; a setting of the application key."""
    audit: AuthLoginInfoAudit
    """What the user should know."""


class AuthLoginInfo(_AuthLoginInfo, total=False):
    expires: str
    """Of a service account: when its session ends, and it logs in again. UTC."""


class AuthLoginAnswer(_Sent):
    CALLINFO: AuthLoginInfo


class AuthLogoutInfo(Callinfo):
    logout: str
    """A word of goodbye."""


class AuthLogoutAnswer(_Sent):
    CALLINFO: AuthLogoutInfo


class AuthinfoLogintypesInfo(Callinfo):
    enabled_login_types: List[List[Literal["totp", "hwkey_otp", "smartcard", "webauthn"]]]
    """One list of the login types: `totp` an authenticator app, `hwkey_otp` a hardware token or HOTP, `smartcard` a
    TLS client certificate, `webauthn` a passkey."""


class AuthinfoLogintypesAnswer(_Sent):
    CALLINFO: AuthinfoLogintypesInfo


class UseridParams(TypedDict):
    userid: Union[str, int]


class Session(TypedDict):
    """An open session of a user."""

    id: str
    """Id of the session, for the call that ends it. Decimal digits."""
    address: str
    """IP address that logged in."""
    application: str
    """Name of the application key that logged in."""
    created: str
    """When it logged in. UTC."""
    last_seen: str
    """When it last made a call; not every call is noted. UTC."""
    current: bool
    """Whether it is the session of this call."""


class UserSessionsInfo(Callinfo):
    sessions: List[Session]
    """The open sessions, the newest first."""


class UserSessionsAnswer(_Sent):
    CALLINFO: UserSessionsInfo


class UserSessionsEndInfo(Callinfo):
    ended: int
    """Sessions that have ended."""


class UserSessionsEndAnswer(_Sent):
    CALLINFO: UserSessionsEndInfo


class UseridSessionidParams(TypedDict):
    userid: Union[str, int]
    sessionid: Union[str, int]


class UserSessionEndInfo(Callinfo):
    message: str
    """What was done, in a sentence for people."""


class UserSessionEndAnswer(_Sent):
    CALLINFO: UserSessionEndInfo


class _AuthPassphraseBody(TypedDict):
    passphrase: str
    """The present pass phrase."""
    newpassphrase: str
    """The pass phrase from now on. It must not be one that is easily guessed."""


class AuthPassphraseBody(_AuthPassphraseBody, total=False):
    otp: str
    """The one-time password: 6 to 8 digits of an authenticator app or HOTP token, or the 44 characters that a
    hardware token types. Each is good once."""
    passkey: AuthLoginBodyPasskey
    """The assertion of a passkey, as `PublicKeyCredential.toJSON()` gives it."""
    logintype: Literal["totp", "hwkey_otp", "yubikey_otp", "smartcard", "smc_rest", "webauthn"]
    """Kind of the second factor; without it the form of `otp` decides. `yubikey_otp` is `hwkey_otp`, and `smc_rest`
    is `smartcard`, which takes the client certificate of the TLS connection in place of `otp`; `webauthn` takes
    `passkey`."""


class AuthPassphraseInfo(Callinfo):
    userstatus: str
    """Capabilities of the user. A bitmap as decimal text, whose bits `GET /utils/statusvalues` names."""
    ended: int
    """Other sessions of the user, which have ended."""
    message: str
    """What was done, in a sentence for people."""


class AuthPassphraseAnswer(_Sent):
    CALLINFO: AuthPassphraseInfo


class UserPassphraseBody(TypedDict):
    newpassphrase: str
    """The pass phrase from now on; the next login says that it is to be changed."""


class UserPassphraseInfo(Callinfo):
    calculated_status: int
    """Capabilities of the user. A bitmap, whose bits `GET /utils/statusvalues` names."""
    ended: int
    """Sessions of the user, which have ended."""
    message: str
    """What was done, in a sentence for people."""


class UserPassphraseAnswer(_Sent):
    CALLINFO: UserPassphraseInfo


class _OtpDevice(TypedDict):
    id: str
    """Id of the device. Decimal digits."""
    kind: Literal["totp", "hotp", "hwkey_otp"]
    """`totp` an authenticator app (RFC 6238), `hotp` a token that counts (RFC 4226), `hwkey_otp` a hardware token
    that types 44 characters."""
    created: str
    """When the appliance got to know it. UTC."""


class OtpDevice(_OtpDevice, total=False):
    """An OTP device, without its secrets."""

    public_id: str
    """Of a hardware token: the first 12 characters of each of its OTPs."""
    algorithm: Literal["sha1", "sha256", "sha512"]
    """Of an app or HOTP token: the hash of its codes."""
    digits: str
    """Of an app or HOTP token: how many digits a code has, as text."""
    period: str
    """Of an app: seconds for which a code is shown, as text."""
    used: str
    """When it was last used for a login. UTC."""


class UserOtpListInfo(Callinfo):
    otpdevices: List[OtpDevice]
    """The devices of the user."""


class UserOtpListAnswer(_Sent):
    CALLINFO: UserOtpListInfo


class _UserOtpEnrolBody(TypedDict):
    kind: Literal["totp", "hotp", "hwkey_otp"]
    """`totp` an authenticator app (RFC 6238), `hotp` a token that counts (RFC 4226), `hwkey_otp` a hardware token
    that types 44 characters."""


class UserOtpEnrolBody(_UserOtpEnrolBody, total=False):
    algorithm: str
    """Of `totp` and `hotp`: the hash, `sha1`, `sha256` or `sha512`. `sha1` when absent, which every app knows."""
    digits: Union[int, str]
    """Of `totp` and `hotp`: digits of a code, 6 to 8. 6 when absent."""
    period: Union[int, str]
    """Of `totp`: seconds for which a code is shown, 15 to 120. 30 when absent."""
    counter: Union[int, str]
    """Of `hotp`: the present counter of a token that is already in use. 0 when absent."""
    public_id: str
    """Of `hwkey_otp`, where it is required: 12 modhex characters. By itself it gives the user a token that the
    appliance already knows."""
    private_id: str
    """Of `hwkey_otp`: 6 bytes in hexadecimal."""
    secret: str
    """Of `hwkey_otp` 16 bytes in hexadecimal, the AES key; of `totp` and `hotp` a seed of 16 to 64 bytes in base32.
    Where an app or HOTP token comes without, the token of the appliance makes a seed."""


class _UserOtpEnrolInfo(Callinfo):
    otpdevice: OtpDevice


class UserOtpEnrolInfo(_UserOtpEnrolInfo, total=False):
    uri: str
    """`otpauth` URI of a seed that was made here. Shown this once."""
    secret: str
    """The seed that was made here, in base32. Shown this once."""
    qr: str
    """The URI as a QR code, an SVG."""


class UserOtpEnrolAnswer(_Sent):
    CALLINFO: UserOtpEnrolInfo


class UseridDeviceidParams(TypedDict):
    userid: Union[str, int]
    deviceid: Union[str, int]


class UserOtpRemoveInfo(Callinfo):
    message: str
    """What was done, in a sentence for people."""
    otpdevice: OtpDevice


class UserOtpRemoveAnswer(_Sent):
    CALLINFO: UserOtpRemoveInfo


class UserOtpResyncBody(TypedDict):
    otp1: str
    """A code that the token shows."""
    otp2: str
    """The code that it shows next."""


class UserOtpResyncInfo(Callinfo):
    message: str
    """What was done, in a sentence for people."""


class UserOtpResyncAnswer(_Sent):
    CALLINFO: UserOtpResyncInfo


class UserListQuery(TypedDict, total=False):
    searchstring: str
    """Part of a user name, full name or e-mail address: 15 characters at most. All users when absent."""
    limit: str
    """Most users of the page, 1 to 1000. All users in one answer when absent."""
    next: str
    """`CALLINFO.next` of the page before. It goes with `limit`."""


class User(TypedDict):
    """A user, as administrators see it."""

    id: str
    """Id of the user. Decimal digits."""
    fullname: str
    """Full name."""
    email: str
    """E-mail address."""
    username: str
    """Login name."""
    status: str
    """Capabilities of the user. A bitmap as decimal text, whose bits `GET /utils/statusvalues` names."""
    otpprefix: str
    """Public ids of the hardware tokens of the user, 12 characters each, with commas between; empty for none."""
    fingerprint: str
    """Fingerprint of the public key of the user: 40 hexadecimal digits."""
    tags: List[str]
    """Always empty."""
    bits: Dict[str, str]
    """The bits of `status` that are set: their names by their numbers."""


class PublicUser(TypedDict):
    """A user, as users who may create vaults see it."""

    id: str
    """Id of the user. Decimal digits."""
    fullname: str
    """Full name."""
    email: str
    """E-mail address."""


class _UserListInfo(Callinfo):
    users: Union[List[User], List[PublicUser]]
    """The users that were found, in the order in which they were made."""


class UserListInfo(_UserListInfo, total=False):
    next: str
    """What to send as `next` for the next page; absent where nothing is left."""


class UserListAnswer(_Sent):
    CALLINFO: UserListInfo


class _UserCreateBody(TypedDict):
    username: str
    """Login name: letters, digits and `- _ . @`. No two users have the same."""
    fullname: str
    """Full name; blanks around it are left out."""
    email: str
    """E-mail address."""
    status: Union[List[int], int, str]
    """Capabilities of the user, as the numbers of the bits or as the bitmap; `GET /utils/statusvalues` names them.
    Without bit 7 (Active) the user cannot log in."""
    passphrase: str
    """First pass phrase of the user. It must not be one that is easily guessed."""


class UserCreateBody(_UserCreateBody, total=False):
    yubikey: str
    """An OTP of the hardware token that the user gets: its first 12 characters name a token that the appliance
    knows."""
    totp: Union[bool, Literal["true", "false"]]
    """Whether the user gets an authenticator app, whose seed is in `CALLINFO.otpauth`. Not when absent."""


class _UserCreateInfo(Callinfo):
    id: str
    """Id of the new user. Decimal digits."""
    user_created: str
    """Full name of the new user."""
    user: List[User]
    """The new user."""
    calculated_status: int
    """Capabilities that the user has got. A bitmap, whose bits `GET /utils/statusvalues` names."""
    message: str
    """What was done, in a sentence for people."""


class UserCreateInfo(_UserCreateInfo, total=False):
    otpauth: str
    """`otpauth` URI of the new authenticator app. It is shown here and never again."""


class UserCreateAnswer(_Sent):
    CALLINFO: UserCreateInfo


class UserReadParams(TypedDict):
    userid: str


class UserReadInfo(Callinfo):
    users: Union[List[User], List[PublicUser]]
    """The users that were found, in the order in which they were made."""


class UserReadAnswer(_Sent):
    CALLINFO: UserReadInfo


class UserEditBody(TypedDict, total=False):
    username: str
    """Login name: letters, digits and `- _ . @`. No two users have the same."""
    fullname: str
    """Full name; blanks around it are left out."""
    email: str
    """E-mail address."""
    status: Union[List[int], int, str]
    """Capabilities of the user, as the numbers of the bits or as the bitmap; `GET /utils/statusvalues` names them.
    Without bit 7 (Active) the user cannot log in."""
    otpprefix: str
    """Public ids of hardware tokens that the user is to hold, with commas between: 12 modhex characters each, three
    at most. Tokens that the user holds and that are not named stay, for an empty text too: `DELETE
    /user/:userid/otp/:deviceid` removes one."""


class UserEditInfo(Callinfo):
    calculated_status: int
    """Capabilities that the user has now. A bitmap, whose bits `GET /utils/statusvalues` names."""
    user_created: str
    """Full name of the user."""
    message: str
    """What was done, in a sentence for people."""


class UserEditAnswer(_Sent):
    CALLINFO: UserEditInfo


class UserEditPostBody(TypedDict, total=False):
    username: str
    """Login name: letters, digits and `- _ . @`. No two users have the same."""
    fullname: str
    """Full name; blanks around it are left out."""
    email: str
    """E-mail address."""
    status: Union[List[int], int, str]
    """Capabilities of the user, as the numbers of the bits or as the bitmap; `GET /utils/statusvalues` names them.
    Without bit 7 (Active) the user cannot log in."""
    otpprefix: str
    """Public ids of hardware tokens that the user is to hold, with commas between: 12 modhex characters each, three
    at most. Tokens that the user holds and that are not named stay, for an empty text too: `DELETE
    /user/:userid/otp/:deviceid` removes one."""


class UserEditPostInfo(Callinfo):
    calculated_status: int
    """Capabilities that the user has now. A bitmap, whose bits `GET /utils/statusvalues` names."""
    user_created: str
    """Full name of the user."""
    message: str
    """What was done, in a sentence for people."""


class UserEditPostAnswer(_Sent):
    CALLINFO: UserEditPostInfo


class UserDisableInfo(Callinfo):
    calculated_status: int
    """Capabilities that the user has now, without Active. A bitmap, whose bits `GET /utils/statusvalues` names."""
    message: str
    """What was done, in a sentence for people."""


class UserDisableAnswer(_Sent):
    CALLINFO: UserDisableInfo


class MeReadInfo(Callinfo):
    userid: str
    """Id of the caller. Decimal digits."""
    username: str
    """Login name of the caller."""
    fullname: str
    """Full name of the caller."""
    email: str
    """E-mail address of the caller."""
    userstatus: str
    """Capabilities of the caller. A bitmap as decimal text, whose bits `GET /utils/statusvalues` names."""
    passphrase_changed: str
    """When the pass phrase was last changed. UTC."""
    resting: int
    """Vaults in which the membership of the caller is on hold until it is confirmed."""
    timeout: int
    """Milliseconds without a call after which the session ends."""
    links: bool
    """Whether one-time links are made here."""


class MeReadAnswer(_Sent):
    CALLINFO: MeReadInfo


class MeEmailBody(TypedDict):
    email: str
    """E-mail address."""


class MeEmailInfo(Callinfo):
    email: str
    """E-mail address."""
    message: str
    """What was done, in a sentence for people."""


class MeEmailAnswer(_Sent):
    CALLINFO: MeEmailInfo


class MeSessionsEndInfo(Callinfo):
    ended: int
    """Sessions that have ended."""


class MeSessionsEndAnswer(_Sent):
    CALLINFO: MeSessionsEndInfo


class MeOtpBeginInfo(Callinfo):
    otpdevice: OtpDevice
    uri: str
    """`otpauth` URI with the seed, for a QR code. Shown this once."""
    secret: str
    """The seed in base32, for typing. Shown this once."""


class MeOtpBeginAnswer(_Sent):
    CALLINFO: MeOtpBeginInfo


class _MeOtpAdoptBody(TypedDict):
    tokenotp: str
    """The 44 characters that the new token types."""


class MeOtpAdoptBody(_MeOtpAdoptBody, total=False):
    otp: str
    """The one-time password: 6 to 8 digits of an authenticator app or HOTP token, or the 44 characters that a
    hardware token types. Each is good once."""
    passkey: AuthLoginBodyPasskey
    """The assertion of a passkey, as `PublicKeyCredential.toJSON()` gives it."""
    logintype: Literal["totp", "hwkey_otp", "yubikey_otp", "webauthn"]
    """Kind of the second factor; without it the form of `otp` decides. `yubikey_otp` is `hwkey_otp`; `webauthn`
    takes `passkey`."""


class MeOtpAdoptInfo(Callinfo):
    message: str
    """What was done, in a sentence for people."""
    otpdevice: OtpDevice


class MeOtpAdoptAnswer(_Sent):
    CALLINFO: MeOtpAdoptInfo


class DeviceidParams(TypedDict):
    deviceid: Union[str, int]


class _MeOtpActivateBody(TypedDict):
    code: str
    """A code that the new app shows."""


class MeOtpActivateBody(_MeOtpActivateBody, total=False):
    otp: str
    """The one-time password: 6 to 8 digits of an authenticator app or HOTP token, or the 44 characters that a
    hardware token types. Each is good once."""
    passkey: AuthLoginBodyPasskey
    """The assertion of a passkey, as `PublicKeyCredential.toJSON()` gives it."""
    logintype: Literal["totp", "hwkey_otp", "yubikey_otp", "webauthn"]
    """Kind of the second factor; without it the form of `otp` decides. `yubikey_otp` is `hwkey_otp`; `webauthn`
    takes `passkey`."""


class MeOtpActivateInfo(Callinfo):
    message: str
    """What was done, in a sentence for people."""
    otpdevice: OtpDevice


class MeOtpActivateAnswer(_Sent):
    CALLINFO: MeOtpActivateInfo


class MeOtpRemoveBody(TypedDict, total=False):
    otp: str
    """The one-time password: 6 to 8 digits of an authenticator app or HOTP token, or the 44 characters that a
    hardware token types. Each is good once."""
    passkey: AuthLoginBodyPasskey
    """The assertion of a passkey, as `PublicKeyCredential.toJSON()` gives it."""
    logintype: Literal["totp", "hwkey_otp", "yubikey_otp", "webauthn"]
    """Kind of the second factor; without it the form of `otp` decides. `yubikey_otp` is `hwkey_otp`; `webauthn`
    takes `passkey`."""


class MeOtpRemoveInfo(Callinfo):
    message: str
    """What was done, in a sentence for people."""
    otpdevice: OtpDevice


class MeOtpRemoveAnswer(_Sent):
    CALLINFO: MeOtpRemoveInfo


class AuthinfoSmcuserInfo(Callinfo):
    username: str
    """Login name of the user whose card it is."""
    subject: Dict[str, Union[str, List[str]]]
    """Fields of the subject, such as CN, O, OU and C; one that occurs several times is an array."""


class AuthinfoSmcuserAnswer(_Sent):
    CALLINFO: AuthinfoSmcuserInfo


class UsercertReadInfoCertificate(TypedDict):
    """The certificate; absent where the user has none."""

    subject: Dict[str, Union[str, List[str]]]
    """Fields of the subject, such as CN, O, OU and C; one that occurs several times is an array."""
    validFrom: str
    """First moment of its validity. UTC."""
    validTo: str
    """Last moment of its validity. UTC."""


class UsercertReadInfo(Callinfo, total=False):
    certificate: UsercertReadInfoCertificate
    """The certificate; absent where the user has none."""


class UsercertReadAnswer(_Sent):
    CALLINFO: UsercertReadInfo


class UsercertReadanyInfo(Callinfo, total=False):
    certificate: UsercertReadInfoCertificate
    """The certificate; absent where the user has none."""


class UsercertReadanyAnswer(_Sent):
    CALLINFO: UsercertReadanyInfo


class UsercertAddBody(TypedDict):
    pass


class AuthChallengeInfo(Callinfo):
    challenge: str
    """What the authenticator signs over. Base64url."""
    rpid: str
    """Host name that the passkeys are bound to."""
    userverification: Literal["required", "preferred"]
    """Whether the authenticator must know its user, or does so where it can."""
    timeout: int
    """Milliseconds within which the answer has to come."""


class AuthChallengeAnswer(_Sent):
    CALLINFO: AuthChallengeInfo


class MeChallengeInfo(Callinfo):
    challenge: str
    """What the authenticator signs over. Base64url."""
    rpid: str
    """Host name that the passkeys are bound to."""
    userverification: Literal["required", "preferred"]
    """Whether the authenticator must know its user, or does so where it can."""
    timeout: int
    """Milliseconds within which the answer has to come."""
    passkeys: List[str]
    """Credentials of the caller: to answer with, and not to make again."""
    userhandle: str
    """What authenticators know the caller by; it tells nothing of whom. Base64url."""
    algorithms: List[int]
    """COSE algorithms of new passkeys, the preferred one first."""
    attestation: Literal["none", "direct"]
    """`direct` where only passkeys of certain makes may be registered: the authenticator has to say its make."""


class MeChallengeAnswer(_Sent):
    CALLINFO: MeChallengeInfo


class MePasskeyRegisterBodyRegistrationResponse(TypedDict):
    """What the authenticator answered."""

    clientDataJSON: str
    """What the browser composed. Base64url."""
    attestationObject: str
    """What the authenticator composed, with the public key. Base64url."""


class MePasskeyRegisterBodyRegistration(TypedDict):
    """The new passkey, as `PublicKeyCredential.toJSON()` gives it."""

    id: str
    """Id of the credential. Base64url."""
    response: MePasskeyRegisterBodyRegistrationResponse
    """What the authenticator answered."""


class _MePasskeyRegisterBody(TypedDict):
    name: str
    """What the user calls it: 1 to 64 characters, such as the device that holds it."""
    registration: MePasskeyRegisterBodyRegistration
    """The new passkey, as `PublicKeyCredential.toJSON()` gives it."""


class MePasskeyRegisterBody(_MePasskeyRegisterBody, total=False):
    otp: str
    """The one-time password: 6 to 8 digits of an authenticator app or HOTP token, or the 44 characters that a
    hardware token types. Each is good once."""
    passkey: AuthLoginBodyPasskey
    """The assertion of a passkey, as `PublicKeyCredential.toJSON()` gives it."""
    logintype: Literal["totp", "hwkey_otp", "yubikey_otp", "webauthn"]
    """Kind of the second factor; without it the form of `otp` decides. `yubikey_otp` is `hwkey_otp`; `webauthn`
    takes `passkey`."""


class _Passkey(TypedDict):
    id: str
    """Id of the passkey. Decimal digits."""
    name: str
    """What the user calls it."""
    credential: str
    """Id of the credential. Base64url."""
    created: str
    """When it was registered. UTC."""


class Passkey(_Passkey, total=False):
    """A passkey of a user."""

    used: str
    """When it was last used. UTC."""


class MePasskeyRegisterInfo(Callinfo):
    passkey: Passkey


class MePasskeyRegisterAnswer(_Sent):
    CALLINFO: MePasskeyRegisterInfo


class PasskeyidParams(TypedDict):
    passkeyid: Union[str, int]


class MePasskeyRenameBody(TypedDict):
    name: str
    """What the user calls it: 1 to 64 characters, such as the device that holds it."""


class MePasskeyRenameInfo(Callinfo):
    passkey: Passkey


class MePasskeyRenameAnswer(_Sent):
    CALLINFO: MePasskeyRenameInfo


class MePasskeyRemoveBody(TypedDict, total=False):
    otp: str
    """The one-time password: 6 to 8 digits of an authenticator app or HOTP token, or the 44 characters that a
    hardware token types. Each is good once."""
    passkey: AuthLoginBodyPasskey
    """The assertion of a passkey, as `PublicKeyCredential.toJSON()` gives it."""
    logintype: Literal["totp", "hwkey_otp", "yubikey_otp", "webauthn"]
    """Kind of the second factor; without it the form of `otp` decides. `yubikey_otp` is `hwkey_otp`; `webauthn`
    takes `passkey`."""


class MePasskeyRemoveInfo(Callinfo):
    message: str
    """What was done, in a sentence for people."""
    passkey: Passkey


class MePasskeyRemoveAnswer(_Sent):
    CALLINFO: MePasskeyRemoveInfo


class UserPasskeyListInfo(Callinfo):
    passkeys: List[Passkey]
    """The passkeys, the oldest first."""


class UserPasskeyListAnswer(_Sent):
    CALLINFO: UserPasskeyListInfo


class UseridPasskeyidParams(TypedDict):
    userid: Union[str, int]
    passkeyid: Union[str, int]


class UserPasskeyRemoveInfo(Callinfo):
    message: str
    """What was done, in a sentence for people."""
    passkey: Passkey


class UserPasskeyRemoveAnswer(_Sent):
    CALLINFO: UserPasskeyRemoveInfo


class ServiceListInfoServicesOwner(TypedDict):
    """The user who changes it."""

    id: str
    """Id of the user, decimal."""
    username: str
    """Login name of the user."""


class ServiceListInfoServicesCredentialsSan(TypedDict):
    """Of a CA: the subject alternative name of the certificates that it issues to this account."""

    type: str
    """Kind of the name: dns, uri or email."""
    pattern: str
    """What the name has to be; * stands for any characters."""


class ServiceListInfoServicesCredentialsLastuse(TypedDict):
    at: str
    """When, to the minute. UTC."""
    address: str
    """Address of the client."""


class _ServiceListInfoServicesCredentials(TypedDict):
    id: str
    """Id of the credential, 16 hexadecimal digits; sessions and the audit trail name it."""
    kind: str
    """Kind of the credential: certificate, ca, jwt, federated or static."""
    name: str
    """Name of the credential, of 1 to 64 characters."""
    added: str
    """When it was added. UTC."""
    expires: str
    """From when it is refused, RFC 3339 in UTC; or never."""
    lastuse: Optional[ServiceListInfoServicesCredentialsLastuse]
    """The last login by it; null: none yet."""


class ServiceListInfoServicesCredentials(_ServiceListInfoServicesCredentials, total=False):
    sha256: str
    """Of a certificate: SHA-256 of its DER, 64 hexadecimal digits."""
    san: ServiceListInfoServicesCredentialsSan
    """Of a CA: the subject alternative name of the certificates that it issues to this account."""
    publickey: str
    """Of a jwt: the public key, the JSON text of a JWK."""
    kid: str
    """Of a jwt: the key id that its assertions have to name, of 1 to 256 characters; without it, any."""
    issuer: str
    """Of a federated one: the issuer, of 1 to 512 characters."""
    claims: Dict[str, str]
    """Of a federated one: the claims, all of which have to fit."""


class ServiceListInfoServices(TypedDict):
    id: str
    """Id of the account: that of a member where it shares a vault. Decimal digits."""
    name: str
    """Name of the account, of 3 to 64 letters, digits and - _ . characters."""
    description: str
    """What it is for, of at most 128 characters."""
    owner: ServiceListInfoServicesOwner
    """The user who changes it."""
    active: bool
    """Whether it may log in."""
    created: str
    """When it was made. UTC."""
    expires: str
    """When it ends, RFC 3339 in UTC; or never."""
    addresses: List[str]
    """IP addresses and ranges such as 192.0.2.0/24 from which it logs in and calls; any where there is none."""
    credentials: List[ServiceListInfoServicesCredentials]
    """What it logs in with, 16 at most."""


class ServiceListInfo(Callinfo):
    services: List[ServiceListInfoServices]
    """In the order in which they were made."""


class ServiceListAnswer(_Sent):
    CALLINFO: ServiceListInfo


class _ServiceCreateBody(TypedDict):
    name: str
    """Name of the account: 3 to 64 letters, digits and - _ . characters; no user has it."""


class ServiceCreateBody(_ServiceCreateBody, total=False):
    description: str
    """What it is for, of at most 128 characters."""
    owner: Union[int, str]
    """Id of the user who changes it; without it, the caller."""
    addresses: List[str]
    """IP addresses and ranges such as 192.0.2.0/24, 64 at most, from which it logs in and calls; none: any."""
    expires: Union[Literal["never"], str]
    """When it ends, RFC 3339 in UTC; or never, as without it."""


class ServiceCreateInfoService(TypedDict):
    """The new account."""

    id: str
    """Id of the account: that of a member where it shares a vault. Decimal digits."""
    name: str
    """Name of the account, of 3 to 64 letters, digits and - _ . characters."""
    description: str
    """What it is for, of at most 128 characters."""
    owner: ServiceListInfoServicesOwner
    """The user who changes it."""
    active: bool
    """Whether it may log in."""
    created: str
    """When it was made. UTC."""
    expires: str
    """When it ends, RFC 3339 in UTC; or never."""
    addresses: List[str]
    """IP addresses and ranges such as 192.0.2.0/24 from which it logs in and calls; any where there is none."""
    credentials: List[ServiceListInfoServicesCredentials]
    """What it logs in with, 16 at most."""


class ServiceCreateInfo(Callinfo):
    service: ServiceCreateInfoService
    """The new account."""


class ServiceCreateAnswer(_Sent):
    CALLINFO: ServiceCreateInfo


class ServiceidParams(TypedDict):
    serviceid: Union[str, int]


class ServiceReadInfoService(TypedDict):
    """The account."""

    id: str
    """Id of the account: that of a member where it shares a vault. Decimal digits."""
    name: str
    """Name of the account, of 3 to 64 letters, digits and - _ . characters."""
    description: str
    """What it is for, of at most 128 characters."""
    owner: ServiceListInfoServicesOwner
    """The user who changes it."""
    active: bool
    """Whether it may log in."""
    created: str
    """When it was made. UTC."""
    expires: str
    """When it ends, RFC 3339 in UTC; or never."""
    addresses: List[str]
    """IP addresses and ranges such as 192.0.2.0/24 from which it logs in and calls; any where there is none."""
    credentials: List[ServiceListInfoServicesCredentials]
    """What it logs in with, 16 at most."""


class ServiceReadInfo(Callinfo):
    service: ServiceReadInfoService
    """The account."""


class ServiceReadAnswer(_Sent):
    CALLINFO: ServiceReadInfo


class ServiceChangeBody(TypedDict, total=False):
    description: str
    """What it is for, of at most 128 characters."""
    owner: Union[int, str]
    """Id of the user who changes it; only administrators may name another user."""
    addresses: List[str]
    """IP addresses and ranges, 64 at most, from which it logs in and calls; an empty list: any."""
    expires: Union[Literal["never"], str]
    """When it ends, RFC 3339 in UTC; or never."""
    active: bool
    """Whether it may log in; with false its sessions end at once."""


class ServiceChangeInfoService(TypedDict):
    """The account as it is now."""

    id: str
    """Id of the account: that of a member where it shares a vault. Decimal digits."""
    name: str
    """Name of the account, of 3 to 64 letters, digits and - _ . characters."""
    description: str
    """What it is for, of at most 128 characters."""
    owner: ServiceListInfoServicesOwner
    """The user who changes it."""
    active: bool
    """Whether it may log in."""
    created: str
    """When it was made. UTC."""
    expires: str
    """When it ends, RFC 3339 in UTC; or never."""
    addresses: List[str]
    """IP addresses and ranges such as 192.0.2.0/24 from which it logs in and calls; any where there is none."""
    credentials: List[ServiceListInfoServicesCredentials]
    """What it logs in with, 16 at most."""


class ServiceChangeInfo(Callinfo):
    service: ServiceChangeInfoService
    """The account as it is now."""


class ServiceChangeAnswer(_Sent):
    CALLINFO: ServiceChangeInfo


class ServiceRemoveInfo(Callinfo):
    message: str
    """What was done, in a sentence for people."""


class ServiceRemoveAnswer(_Sent):
    CALLINFO: ServiceRemoveInfo


class ServiceCredentialAddBodySan(TypedDict):
    """Of a ca: to whom the certificates have to be issued."""

    type: Literal["dns", "uri", "email"]
    """Which of the subject alternative names."""
    pattern: str
    """What one of them has to be: 1 to 128 characters, of which up to 8 are * for any characters."""


class _ServiceCredentialAddBody(TypedDict):
    kind: Literal["certificate", "ca", "jwt", "federated", "static"]
    """Kind of the credential. certificate: one TLS client certificate; ca: every one that a CA issues to a name;
    jwt: a key by which the application signs assertions; federated: JWTs of an issuer of the configuration; static:
    a secret text, where the operator allows it."""
    name: str
    """Name of the credential: 1 to 64 letters, digits, blanks and . _ - characters."""


class ServiceCredentialAddBody(_ServiceCredentialAddBody, total=False):
    expires: Union[Literal["never"], str]
    """From when it is refused, RFC 3339 in UTC; or never. A certificate ends by itself too."""
    certificate: str
    """The certificate of the application (certificate) or of the CA (ca), PEM, of at most 64 KiB."""
    san: ServiceCredentialAddBodySan
    """Of a ca: to whom the certificates have to be issued."""
    publickey: str
    """Of a jwt: the public key, PEM or the JSON text of a JWK, of at most 8 KiB: Ed25519, P-256, or RSA of 2048 to
    8192 bits."""
    kid: str
    """Of a jwt: the key id that its assertions have to name, of 1 to 256 characters; without it, any."""
    issuer: str
    """Of a federated one: the issuer, as `iss` of its JWTs names it and the configuration knows it."""
    claims: Dict[str, str]
    """Of a federated one: 1 to 16 claims, all of which have to fit; one pattern at least has another character than
    *."""


class _ServiceCredentialAddInfoCredential(TypedDict):
    id: str
    """Id of the credential, 16 hexadecimal digits; sessions and the audit trail name it."""
    kind: str
    """Kind of the credential: certificate, ca, jwt, federated or static."""
    name: str
    """Name of the credential, of 1 to 64 characters."""
    added: str
    """When it was added. UTC."""
    expires: str
    """From when it is refused, RFC 3339 in UTC; or never."""
    lastuse: Optional[ServiceListInfoServicesCredentialsLastuse]
    """The last login by it; null: none yet."""


class ServiceCredentialAddInfoCredential(_ServiceCredentialAddInfoCredential, total=False):
    """The new credential."""

    sha256: str
    """Of a certificate: SHA-256 of its DER, 64 hexadecimal digits."""
    san: ServiceListInfoServicesCredentialsSan
    """Of a CA: the subject alternative name of the certificates that it issues to this account."""
    publickey: str
    """Of a jwt: the public key, the JSON text of a JWK."""
    kid: str
    """Of a jwt: the key id that its assertions have to name, of 1 to 256 characters; without it, any."""
    issuer: str
    """Of a federated one: the issuer, of 1 to 512 characters."""
    claims: Dict[str, str]
    """Of a federated one: the claims, all of which have to fit."""


class _ServiceCredentialAddInfo(Callinfo):
    credential: ServiceCredentialAddInfoCredential
    """The new credential."""


class ServiceCredentialAddInfo(_ServiceCredentialAddInfo, total=False):
    key: str
    """Of a static one: the key, of 43 characters. It is shown once and kept nowhere."""


class ServiceCredentialAddAnswer(_Sent):
    CALLINFO: ServiceCredentialAddInfo


class ServiceidCredentialidParams(TypedDict):
    serviceid: Union[str, int]
    credentialid: str


class ServiceCredentialRemoveInfo(Callinfo):
    message: str
    """What was done, in a sentence for people."""


class ServiceCredentialRemoveAnswer(_Sent):
    CALLINFO: ServiceCredentialRemoveInfo


class _LinkCreateBody(TypedDict):
    ciphertext: str
    """The secret, encrypted by the caller under a key that stays out of this call. Base64 with padding."""


class LinkCreateBody(_LinkCreateBody, total=False):
    lifetime: Union[int, str]
    """How long it can be opened, in seconds; without it a day, or as long as the operator allows."""
    label: str
    """What its maker calls it: it is stored in the open, and is not shown to the person who opens the link."""


class LinkCreateInfoLink(TypedDict):
    """The new link."""

    id: str
    """Id of the link, for its maker: it does not open the link. Decimal digits."""
    label: str
    """What its maker calls it, of at most 128 characters."""
    state: Literal["waiting", "opened", "revoked", "expired"]
    """What has become of the link."""
    created: str
    """When it was made. UTC."""
    expires: str
    """Until when it can be opened. UTC."""
    closed: Optional[str]
    """When it was opened or revoked, UTC; null while it waits."""


class LinkCreateInfo(Callinfo):
    link: LinkCreateInfoLink
    """The new link."""
    opener: str
    """What opens it, of 22 characters; shown this once."""


class LinkCreateAnswer(_Sent):
    CALLINFO: LinkCreateInfo


class LinkListQuery(TypedDict, total=False):
    limit: str
    """Most links of the page, 1 to 1000. 1000 when absent."""
    next: str
    """`CALLINFO.next` of the page before."""


class LinkListInfoLinks(TypedDict):
    id: str
    """Id of the link, for its maker: it does not open the link. Decimal digits."""
    label: str
    """What its maker calls it, of at most 128 characters."""
    state: Literal["waiting", "opened", "revoked", "expired"]
    """What has become of the link."""
    created: str
    """When it was made. UTC."""
    expires: str
    """Until when it can be opened. UTC."""
    closed: Optional[str]
    """When it was opened or revoked, UTC; null while it waits."""


class LinkListInfoLimits(TypedDict):
    """What one user may have."""

    bytes: int
    """Most bytes of a ciphertext."""
    links: int
    """Most links that wait to be opened at once."""
    lifetime: int
    """Most seconds that a link can wait."""


class _LinkListInfo(Callinfo):
    links: List[LinkListInfoLinks]
    """The newest first; ended ones for 30 days after their time."""
    limits: LinkListInfoLimits
    """What one user may have."""


class LinkListInfo(_LinkListInfo, total=False):
    next: str
    """What to send as `next` for the next page; absent where nothing is left."""


class LinkListAnswer(_Sent):
    CALLINFO: LinkListInfo


class LinkOpenBody(TypedDict):
    opener: str
    """The first part of the link, after `#/link/`. Never send the second: it is the key."""


class LinkOpenInfo(Callinfo):
    ciphertext: str
    """The ciphertext that the maker of the link sent. Base64 with padding."""


class LinkOpenAnswer(_Sent):
    CALLINFO: LinkOpenInfo


class LinkidParams(TypedDict):
    linkid: Union[str, int]


class LinkRevokeInfo(Callinfo):
    message: str
    """What was done, in a sentence for people."""


class LinkRevokeAnswer(_Sent):
    CALLINFO: LinkRevokeInfo


class VaultCreateBody(TypedDict, total=False):
    vaultname: str
    """Name of the vault. Vaults of the same name are possible."""
    groupname: str
    """The same under its older name: send one of the two."""
    policy: Union[int, str]
    """Id of the password policy for what lies in the vault, as `GET /utils/policies` lists it."""
    description: str
    """What the vault is for."""
    history: Union[int, str]
    """How many earlier versions of each object are kept: 0 to 100. Where it is made smaller, versions beyond it are
    no longer shown, and are removed with the next edit of each object."""


class _VaultGrantsKeys(TypedDict):
    keys: str
    """Which keys: a name, in which each * stands for any number of characters. 1 to 128 letters, digits and _ . -
    and *, of which 8 at most."""
    operations: List[Literal["encrypt", "decrypt", "rewrap", "sign", "verify", "hmac", "datakey", "random", "read"]]
    """What may be done with them. read: their public part and metadata, and their place in lists."""


class VaultGrantsKeys(_VaultGrantsKeys, total=False):
    """What may be done with keys."""

    aad: str
    """Base64 of 1 to 256 bytes with which the additional data (aad) of each item have to begin."""
    daily: int
    """Items a day (UTC) at most, 1 to 1000000000; absent for any number."""
    strict: bool
    """Whether calls by this entry that have a member which the interface does not know are refused."""


class VaultGrantsObjects(TypedDict):
    """What may be done with the objects of the vault."""

    objects: List[Literal["list", "read", "decrypt"]]
    """What may be done: `list` find objects and list them, with their open fields; `read` read one without its
    secrets; `decrypt` its encrypted fields and its file."""


class _Vault(TypedDict):
    id: str
    """Id of the vault. Decimal digits."""
    groupname: str
    """Name of the vault."""
    policy: str
    """Id of the password policy for what lies in the vault. Decimal digits."""
    description: str
    """What the vault is for."""
    status: Literal["1", "2", "4"]
    """Permission of the caller in the vault: 1 Read, 2 Write, 4 Admin."""
    statustext: Literal["Read", "Write", "Admin"]
    """The same in a word."""


class Vault(_Vault, total=False):
    """A vault, as one of its members sees it."""

    history: str
    """How many earlier versions of each object are kept, as text; absent where it is 10."""
    grants: List[Union[VaultGrantsKeys, VaultGrantsObjects]]
    """What narrows Read of the caller; absent where nothing does."""


class VaultCreateInfo(Callinfo):
    message: str
    """What was done, in a sentence for people."""


class VaultCreateAnswer(_Sent):
    CALLINFO: VaultCreateInfo
    VAULT: List[Vault]
    """The vault."""
    VAULTS: List[Vault]
    """The vault."""


class VaultListAnswer(Envelope):
    VAULTS: List[Vault]
    """The vaults, in the order of their ids; empty where none is shared."""


class VaultidParams(TypedDict):
    vaultid: Union[str, int]


class ObjectFileinfo(TypedDict):
    """Its file; absent for what is not a file."""

    objectid: str
    """Id of the object. Decimal digits."""
    name: str
    """Name of the file."""
    size: str
    """Its length in bytes, as text."""
    type: str
    """Its media type."""
    filepath: str
    """Always empty; published clients read it."""
    created: str
    """When it was uploaded: UTC, as `YYYY-MM-DD hh:mm:ss`."""
    ext: str
    """Extension of its name, without the dot."""
    iconpath: str
    """Always empty; published clients read it."""


class _Object(TypedDict):
    id: str
    """Id of the object. Decimal digits."""
    parentid: str
    """Id of the object in which it lies, 0 in the root of the vault. Decimal digits."""
    templateid: str
    """Id of its template. Decimal digits."""
    groupid: str
    """Id of its vault. Decimal digits."""
    status: str
    """A bitmap: 32 decrypting raises an alarm, 128 always, 1024 a value breaks the policy of the vault."""
    objectname: str
    """Its name."""
    filename: str
    """Name of its file; empty for what is not a file."""
    children: str
    """How many objects lie in it, as text."""
    version: str
    """Grows with each change of the object, as text: `ifVersion` of an edit names it."""
    notes: Union[Literal[False], str]
    """Always false; published clients read it."""
    tags: str
    """Always empty; published clients read it."""
    alarmed: Union[Literal[False], str]
    """A sentence where decrypting the object raises an alarm, else false."""
    public: Dict[str, str]
    """The fields of its template that are not encrypted, by name."""


class Object(_Object, total=False):
    """A secret or file in a vault, or a folder."""

    abridged: Literal[True]
    """Present if the list is too long with `public`, or another call changed this object while the list was made:
    then `public` is empty, and has to be read with the object by itself."""
    crypted: Dict[str, str]
    """The encrypted fields in the open, by name: where the call asked for them with `decrypt`."""
    fileinfo: ObjectFileinfo
    """Its file; absent for what is not a file."""


class _TemplateInfo(TypedDict):
    id: str
    """Id of the template. Decimal digits."""
    name: str
    """Its name."""
    ico: str
    """Name of its icon, which published clients can draw."""
    active: bool
    """Whether new objects may be made of it."""
    wb: bool
    """Whether its objects can be edited in the workbench of clients."""


class TemplateInfo(_TemplateInfo, total=False):
    """What a template is."""

    ed: Literal[True]
    """Its objects are edited at once, and have nothing below them. Absent when not."""
    jp: Literal[True]
    """After saving, clients show the parent of the object. Absent when not."""
    hid: Literal[True]
    """Clients do not offer it. Absent when not."""
    file: str
    """Its objects hold a file: `*` any, else extensions with commas between."""


class _NamedTemplateField(TypedDict):
    translation: str
    """Label of the field, for people."""
    type: Literal["text", "text-passwdgen", "textarea", "file", "dropdown", "countrycode", "progress", "date", "datetime"]
    """How clients show the field; one that does not know the type shows a line of text."""
    encrypted: bool
    """Whether its value is encrypted, and shown only where `decrypt` asks for it."""
    show: bool
    """Whether it is part of the normal view, or only of the workbench."""
    policy: bool
    """Whether its value should keep the password policy of the vault."""
    alarm: bool
    """Whether decrypting it can raise an alarm."""
    opt: bool
    """Whether it may be empty or missing."""
    cc: bool
    """Whether clients mark a change until a user has seen it."""
    nc: bool
    """Whether clients show its value only on a click."""
    fieldname: str
    """Name of the field: the member of an object that holds its value."""


class NamedTemplateField(_NamedTemplateField, total=False):
    """A field of a template, with its name."""

    log: Literal[True]
    """Its value may be logged. Absent when not."""
    options: List[str]
    """Values that a dropdown offers."""
    options_default: str
    """The value that is selected at first."""
    placeholder: str
    """What an empty field shows."""


class Template(TypedDict):
    """A template, with its fields as a list."""

    id: str
    """Id of the template. Decimal digits."""
    info: TemplateInfo
    structure: List[NamedTemplateField]
    """Its fields, in the order of the form."""


class VaultReadAnswer(Envelope):
    VAULT: List[Vault]
    """The vault."""
    OBJECTS: List[Object]
    """What lies in the vault, at every depth, without encrypted fields."""
    TEMPLATES: List[Template]
    """The templates that occur among the objects."""


class VaultEditBody(TypedDict, total=False):
    vaultname: str
    """Name of the vault. Vaults of the same name are possible."""
    groupname: str
    """The same under its older name: send one of the two."""
    policy: Union[int, str]
    """Id of the password policy for what lies in the vault, as `GET /utils/policies` lists it."""
    description: str
    """What the vault is for."""
    history: Union[int, str]
    """How many earlier versions of each object are kept: 0 to 100. Where it is made smaller, versions beyond it are
    no longer shown, and are removed with the next edit of each object."""


class VaultEditInfo(Callinfo):
    message: str
    """What was done, in a sentence for people."""


class VaultEditAnswer(_Sent):
    CALLINFO: VaultEditInfo
    VAULT: List[Vault]
    """The vault."""


class VaultDeleteInfo(Callinfo):
    message: str
    """What was done, in a sentence for people."""


class VaultDeleteAnswer(_Sent):
    CALLINFO: VaultDeleteInfo


class MemberResting(TypedDict):
    """Present if the membership is on hold: the member cannot use the vault until an Admin confirms."""

    since: str
    """When another user, or the operator, first gave the user something to log in with. UTC."""
    by: List[str]
    """Those who gave the user something to log in with."""
    recovery: str
    """Number of the last time, for the call that confirms the member."""


class _Member(TypedDict):
    id: str
    """Id of the user. Decimal digits."""
    username: str
    """Login name of the user."""
    fullname: str
    """Full name of the user."""
    email: str
    """E-mail address of the user."""
    groupstatus: Literal["1", "2", "4"]
    """Permission of the member in the vault: 1 Read, 2 Write, 4 Admin."""
    status: str
    """Capabilities of the user. A bitmap as decimal text, whose bits `GET /utils/statusvalues` names."""


class Member(_Member, total=False):
    """A member of a vault."""

    service: Literal[True]
    """Present for a service account, which is not a person."""
    grants: List[Union[VaultGrantsKeys, VaultGrantsObjects]]
    """What narrows Read of the member; absent where nothing does."""
    passphrase_by: str
    """Id of the administrator who gave the user the present pass phrase; absent once the user has changed it.
    Decimal digits."""
    resting: MemberResting
    """Present if the membership is on hold: the member cannot use the vault until an Admin confirms."""


class VaultMembersInfo(Callinfo):
    vaultmembers: List[Member]
    """The members, in the order of their ids."""


class VaultMembersAnswer(_Sent):
    CALLINFO: VaultMembersInfo


class VaultidUseridParams(TypedDict):
    vaultid: Union[str, int]
    userid: Union[str, int]


class _VaultMemberAddBody(TypedDict):
    status: Union[Literal[1, 2, 4], Literal["1", "2", "4"]]
    """Permission of the member from now on: 1 Read, 2 Write, 4 Admin. Each holds those before it."""


class VaultMemberAddBody(_VaultMemberAddBody, total=False):
    grants: Optional[List[Union[VaultGrantsKeys, VaultGrantsObjects]]]
    """Narrows Read to what one of these entries allows, 1 to 32 of them; everything else is refused. Only with
    status 1. null: nothing narrows the permission. Absent: it stays as it is; for a new member, nothing narrows it."""


class VaultMemberAddInfo(Callinfo):
    message: str
    """What was done, in a sentence for people."""


class VaultMemberAddAnswer(_Sent):
    CALLINFO: VaultMemberAddInfo


class _VaultMemberChangeBody(TypedDict):
    status: Union[Literal[1, 2, 4], Literal["1", "2", "4"]]
    """Permission of the member from now on: 1 Read, 2 Write, 4 Admin. Each holds those before it."""


class VaultMemberChangeBody(_VaultMemberChangeBody, total=False):
    grants: Optional[List[Union[VaultGrantsKeys, VaultGrantsObjects]]]
    """Narrows Read to what one of these entries allows, 1 to 32 of them; everything else is refused. Only with
    status 1. null: nothing narrows the permission. Absent: it stays as it is; for a new member, nothing narrows it."""


class VaultMemberChangeInfo(Callinfo):
    message: str
    """What was done, in a sentence for people."""


class VaultMemberChangeAnswer(_Sent):
    CALLINFO: VaultMemberChangeInfo


class VaultMemberRemoveAnswerData(TypedDict):
    """What the call answers, beside what was sent."""

    userid: int
    """Id of the user who was removed, as a number."""


class VaultMemberRemoveInfo(Callinfo):
    message: str
    """What was done, in a sentence for people."""


class VaultMemberRemoveAnswer(_Rest):
    CALLINFO: VaultMemberRemoveInfo
    DATA: VaultMemberRemoveAnswerData
    """What the call answers, beside what was sent."""


class VaultMemberConfirmBody(TypedDict, total=False):
    recovery: Union[int, str]
    """Number of the last recovery that the caller knows of, as `resting.recovery` of the member shows it: where
    there was a later one, the call is refused."""


class VaultMemberConfirmInfo(Callinfo):
    message: str
    """What was done, in a sentence for people."""


class VaultMemberConfirmAnswer(_Sent):
    CALLINFO: VaultMemberConfirmInfo


class PasswordPolicy(TypedDict):
    """A password policy."""

    id: int
    """Id of the policy, which vaults name in `policy`."""
    name: str
    """What the policy asks for, in words."""
    rules: Dict[str, Union[int, bool]]
    """The rules that apply, by name, such as `min_length`, `min_lowercase_chars`, `min_uppercase_chars`,
    `min_numeric_chars` and `min_nonalphanumeric_chars`."""


class UtilsPoliciesInfo(Callinfo):
    policies: List[PasswordPolicy]
    """The policies, in a fixed order, which is not that of their ids."""


class UtilsPoliciesAnswer(_Sent):
    CALLINFO: UtilsPoliciesInfo


class UtilsPwgenQuery(TypedDict, total=False):
    type: Literal["secure", "pin", "pronounceable", "pronouncable", "bytes", "opie", "diceword", ""]
    """`secure` random characters, `pin` digits, `pronounceable` syllables (`pronouncable` is the same), `bytes`
    random bytes, `opie` twelve short English words (128 bits, RFC 2289), `diceword` words of a list. `secure` when
    empty."""
    policyid: Union[Literal[""], str]
    """Id of a password policy that the password is to keep; takes precedence over `type`. 0 to 9999."""
    length: Union[Literal[""], str]
    """Length; when absent 40 of `secure`, 4 of `pin`, 12 of `pronounceable`, 32 of `bytes`, 20 by a policy. At most
    100 of `pin`, 128 by a policy. 1 to 1024."""
    delimiter: Union[Literal["dash", "space", "default", ""], Literal[",", ".", "-", "_", "=", ":", " "]]
    """Of `opie` and `diceword`: what stands between the words, as a name or as the character. A blank when absent."""
    delimeter: Union[Literal["dash", "space", "default", ""], Literal[",", ".", "-", "_", "=", ":", " "]]
    """The same as `delimiter`."""
    language: str
    """Of `diceword`: language of the words. `en_US` when empty."""
    words: Union[Literal[""], str]
    """Of `diceword`: how many words, 5 when absent. 1 to 100."""
    min_char: Union[Literal[""], str]
    """Of `diceword`: letters of the shortest word, 2 when absent. 0 to 100."""
    max_char: Union[Literal[""], str]
    """Of `diceword`: letters of the longest word, 0 or absent for any. 0 to 100."""


class UtilsPwgenInfo(Callinfo):
    passphrase: str
    """The password. The appliance does not keep it."""
    length: int
    """Its length, in UTF-16 code units."""
    type: str
    """The type that was asked for."""
    bits: int
    """Its strength: there are 2 to the power of this many like it, rounded down."""


class UtilsPwgenAnswer(_Sent):
    CALLINFO: UtilsPwgenInfo


class UtilsStatusvaluesInfoStatusbits(TypedDict):
    """What the bits of both kinds of status are called."""

    userbits: Dict[str, int]
    """Bits of the status of a user, by the name of the capability."""
    vaultbits: Dict[str, int]
    """Bits of the status of a member in a vault, by the name of the permission."""


class UtilsStatusvaluesInfo(Callinfo):
    statusbits: UtilsStatusvaluesInfoStatusbits
    """What the bits of both kinds of status are called."""


class UtilsStatusvaluesAnswer(_Sent):
    CALLINFO: UtilsStatusvaluesInfo


class UtilsVersionInfo(Callinfo):
    version: str
    """Release of the program that answers."""


class UtilsVersionAnswer(_Sent):
    CALLINFO: UtilsVersionInfo


class UtilsStateInfoChecks(TypedDict):
    name: str
    """What was looked at, such as `token` or `database`."""
    state: Literal["ok", "warning", "failed"]
    """`warning`: calls are served, and an operator has something to do."""
    detail: str
    """What was seen, for people."""


class UtilsStateInfoWarnings(TypedDict):
    name: str
    """What it is about, such as `disk.audit`: the same as long as the warning lasts."""
    state: Literal["warning", "problem"]
    """How urgent it is."""
    detail: str
    """What was seen, for people."""
    remedy: str
    """What to do about it, for people."""


class _UtilsStateInfo(Callinfo):
    version: str
    """Release of the program that answers."""
    state: Literal["ready", "not_ready", "stopping", "unknown"]
    """Whether calls are served; `unknown` where the process that looks did not answer in time."""
    checks: List[UtilsStateInfoChecks]
    """What the monitor tells at /health/ready."""
    warnings: List[UtilsStateInfoWarnings]
    """What the daemon warns of in its journal."""


class UtilsStateInfo(_UtilsStateInfo, total=False):
    at: str
    """When it was looked at; absent where it is unknown. UTC."""


class UtilsStateAnswer(_Sent):
    CALLINFO: UtilsStateInfo


class _UtilsMimetypeBody(TypedDict):
    data: str
    """The first bytes of the file, 64 at most. Base64 with padding."""
    extension: str
    """Extension of its name, 25 characters at most; without the dot, or with it."""


class UtilsMimetypeBody(_UtilsMimetypeBody, total=False):
    size: Union[int, str]
    """Length that the file is to have, in bytes: a file that is too large for the appliance is refused."""


class _UtilsMimetypeAnswerResult(TypedDict):
    mimetype: str
    """Media type of the file."""
    max_file_size: int
    """Largest file that the appliance takes, in bytes."""


class UtilsMimetypeAnswerResult(_UtilsMimetypeAnswerResult, total=False):
    """What was found."""

    size: int
    """The size that was sent."""


class UtilsMimetypeAnswer(Envelope):
    RESULT: UtilsMimetypeAnswerResult
    """What was found."""


class _TemplateField(TypedDict):
    translation: str
    """Label of the field, for people."""
    type: Literal["text", "text-passwdgen", "textarea", "file", "dropdown", "countrycode", "progress", "date", "datetime"]
    """How clients show the field; one that does not know the type shows a line of text."""
    encrypted: bool
    """Whether its value is encrypted, and shown only where `decrypt` asks for it."""
    show: bool
    """Whether it is part of the normal view, or only of the workbench."""
    policy: bool
    """Whether its value should keep the password policy of the vault."""
    alarm: bool
    """Whether decrypting it can raise an alarm."""
    opt: bool
    """Whether it may be empty or missing."""
    cc: bool
    """Whether clients mark a change until a user has seen it."""
    nc: bool
    """Whether clients show its value only on a click."""


class TemplateField(_TemplateField, total=False):
    """A field of a template."""

    log: Literal[True]
    """Its value may be logged. Absent when not."""
    options: List[str]
    """Values that a dropdown offers."""
    options_default: str
    """The value that is selected at first."""
    placeholder: str
    """What an empty field shows."""


class TemplateEntry(TypedDict):
    """A template, with its fields by name."""

    INFO: TemplateInfo
    STRUCTURE: Dict[str, TemplateField]
    """Its fields by name, in the order of the form."""


class TemplateListAnswer(Envelope):
    TEMPLATE: List[TemplateEntry]
    """The templates."""


class TemplateidParams(TypedDict):
    templateid: Union[str, int]


class TemplateReadAnswer(Envelope):
    TEMPLATE: TemplateEntry
    TEMPLATES: List[Template]
    """The same with its fields as a list."""


class FileCollectBody(TypedDict, total=False):
    file1: str
    """Name of the file, where its part has none."""
    passphrase: str
    """Pass phrase of the file, to read what a PKCS#12 or a private key says behind it. It is not kept."""


class FileCollectAnswerData(TypedDict):
    """Beside the template, what was read of the file, under the names of the fields of the template."""

    templateid: Union[str, int]
    """Id of the template: a number, but text of a certificate, as a published client sends it on."""


class _FilledTemplateField(TypedDict):
    translation: str
    """Label of the field, for people."""
    type: Literal["text", "text-passwdgen", "textarea", "file", "dropdown", "countrycode", "progress", "date", "datetime"]
    """How clients show the field; one that does not know the type shows a line of text."""
    encrypted: bool
    """Whether its value is encrypted, and shown only where `decrypt` asks for it."""
    show: bool
    """Whether it is part of the normal view, or only of the workbench."""
    policy: bool
    """Whether its value should keep the password policy of the vault."""
    alarm: bool
    """Whether decrypting it can raise an alarm."""
    opt: bool
    """Whether it may be empty or missing."""
    cc: bool
    """Whether clients mark a change until a user has seen it."""
    nc: bool
    """Whether clients show its value only on a click."""
    val: str
    """What the file says for this field; empty where it says nothing."""
    alarmed: str
    """Always empty; published clients read it."""
    ischanged: bool
    """Always false; published clients read it."""


class FilledTemplateField(_FilledTemplateField, total=False):
    """A field of a template, with a value."""

    log: Literal[True]
    """Its value may be logged. Absent when not."""
    options: List[str]
    """Values that a dropdown offers."""
    options_default: str
    """The value that is selected at first."""
    placeholder: str
    """What an empty field shows."""


class FileCollectAnswer(_Rest):
    CALLINFO: Callinfo
    DATA: FileCollectAnswerData
    """Beside the template, what was read of the file, under the names of the fields of the template."""
    STRUCTURE: Dict[str, FilledTemplateField]
    """The template that the file belongs to, its fields by name and filled in."""


class ObjectCreateInfo(Callinfo):
    objectid: str
    """Id of the object. Decimal digits."""
    message: str
    """What was done, in a sentence for people."""


class ObjectCreateAnswer(_Sent):
    CALLINFO: ObjectCreateInfo


class ObjectidParams(TypedDict):
    objectid: Union[str, int]


class ObjectReadQuery(TypedDict, total=False):
    decrypt: Union[Literal["true", "false"], bool]
    """Whether to decrypt its encrypted fields, into `crypted`. Not together with `children`."""
    children: Union[Literal["true", "false"], bool]
    """Whether to list what lies in it, behind it."""
    filedata: Union[Literal["true", "false"], bool]
    """Whether to decrypt its file, into `FILEDATA`."""


class ObjectReadAnswerBreadcrumb(TypedDict):
    objectid: str
    """Id of the parent. Decimal digits."""
    objectname: str
    """Its name."""
    icon: str
    """Name of the icon of its template."""


class _ObjectReadAnswer(Envelope):
    OBJECT: List[Object]
    """The object, then what lies in it."""
    TEMPLATES: List[Template]
    """The templates that occur among the objects."""
    BREADCRUMB: List[ObjectReadAnswerBreadcrumb]
    """Its parents, from the root of the vault down; empty in the root."""


class ObjectReadAnswer(_ObjectReadAnswer, total=False):
    FILEDATA: str
    """Content of its file, where the call asked for it with `filedata`. Base64 with padding."""


class ObjectEditInfo(Callinfo):
    objectid: str
    """Id of the object. Decimal digits."""
    message: str
    """What was done, in a sentence for people."""


class ObjectEditAnswer(_Sent):
    CALLINFO: ObjectEditInfo


class ObjectDeleteBody(TypedDict, total=False):
    children: Union[bool, Literal["true", "false"]]
    """Whether all that lies in it is deleted with it: 500 objects at most, with 32 MiB of open fields, of which a
    search looks through 1 MiB."""


class ObjectDeleteInfo(Callinfo):
    message: str
    """What was done, in a sentence for people."""


class ObjectDeleteAnswer(_Sent):
    CALLINFO: ObjectDeleteInfo


class _EarlierVersion(TypedDict):
    version: str
    """Version of the object that had these values until then, as text."""
    objectname: str
    """Its name then."""
    replaced: str
    """When an edit replaced it: UTC, as `YYYY-MM-DD hh:mm:ss`."""
    replacedby: str
    """Who replaced it."""
    public: Dict[str, str]
    """The fields that were not encrypted, by name."""


class EarlierVersion(_EarlierVersion, total=False):
    """What an object was before an edit."""

    abridged: Literal[True]
    """Present if the list is too long with `public`, or another call changed this object while the list was made:
    then `public` is empty, and has to be read with the object by itself."""
    crypted: Dict[str, str]
    """The encrypted fields that had a value, in the open, by name: where the call asked for them with `decrypt`."""


class ObjectHistoryAnswer(Envelope):
    HISTORY: List[EarlierVersion]
    """The earlier versions."""


class ObjectidVersionParams(TypedDict):
    objectid: Union[str, int]
    version: Union[str, int]


class ObjectHistoryReadQuery(TypedDict, total=False):
    decrypt: Union[Literal["true", "false"], bool]
    """Whether to decrypt its encrypted fields, into `crypted`."""


class ObjectHistoryReadAnswer(Envelope):
    HISTORY: List[EarlierVersion]
    """The version, as the list has it."""


class ObjectAlarmBody(TypedDict):
    alarm: Union[bool, Literal["true", "false"]]
    """Whether decrypting the object raises an alarm from now on."""


class ObjectAlarmInfo(Callinfo):
    objectid: str
    """Id of the object. Decimal digits."""
    message: str
    """What was done, in a sentence for people."""


class ObjectAlarmAnswer(_Sent):
    CALLINFO: ObjectAlarmInfo


class ObjectUndeleteInfo(Callinfo):
    objectid: str
    """Id of the object. Decimal digits."""
    message: str
    """What was done, in a sentence for people."""
    objects: str
    """How many objects went, with those that lie in it."""
    parentid: str
    """Id of the object in which it lies, 0 in the root of the vault. Decimal digits."""


class ObjectUndeleteAnswer(_Sent):
    CALLINFO: ObjectUndeleteInfo


class TrashedObject(TypedDict):
    """A deleted object, with what was deleted with it."""

    objectid: str
    """Id of the object. Decimal digits."""
    templateid: str
    """Id of its template. Decimal digits."""
    objectname: str
    """Its name."""
    objects: str
    """How many objects were deleted with it, itself among them."""
    deleted: str
    """When it was deleted: UTC, as `YYYY-MM-DD hh:mm:ss`."""
    deletedby: str
    """Who deleted it."""
    destroyed: str
    """When it is destroyed, unless it is taken back before: UTC, as `YYYY-MM-DD hh:mm:ss`."""


class ObjectTrashAnswer(Envelope):
    TRASH: List[TrashedObject]
    """The deleted objects."""
    TEMPLATES: List[Template]
    """The templates that occur among the objects."""


class ObjectFavouriteBody(TypedDict):
    favourite: Union[bool, Literal["true", "false"]]
    """Whether it is one from now on."""


class ObjectFavouriteInfo(Callinfo):
    objectid: str
    """Id of the object. Decimal digits."""
    message: str
    """What was done, in a sentence for people."""


class ObjectFavouriteAnswer(_Sent):
    CALLINFO: ObjectFavouriteInfo


class ObjectFavouriteClearInfo(Callinfo):
    message: str
    """What was done, in a sentence for people."""


class ObjectFavouriteClearAnswer(_Sent):
    CALLINFO: ObjectFavouriteClearInfo


class ObjectFavouritesAnswer(Envelope):
    OBJECT: List[Object]
    """The objects, without encrypted fields."""
    TEMPLATES: List[Template]
    """The templates that occur among the objects."""


class ObjectTagsSetBody(TypedDict):
    tags: List[str]
    """All of them from now on; an empty list takes them away."""


class ObjectTagsSetInfo(Callinfo):
    objectid: str
    """Id of the object. Decimal digits."""
    message: str
    """What was done, in a sentence for people."""


class ObjectTagsSetAnswer(_Sent):
    CALLINFO: ObjectTagsSetInfo


class ObjectTagsClearInfo(Callinfo):
    message: str
    """What was done, in a sentence for people."""


class ObjectTagsClearAnswer(_Sent):
    CALLINFO: ObjectTagsClearInfo


class ObjectTagsAnswerTags(TypedDict):
    tag: str
    """The tag, as the caller spelled it last."""
    objects: List[str]
    """The objects that the caller keeps it for."""


class ObjectTagsAnswer(Envelope):
    TAGS: List[ObjectTagsAnswerTags]
    """The tags: one entry for each, however its letters are capitalised."""
    OBJECT: List[Object]
    """The objects that have tags, without encrypted fields."""
    TEMPLATES: List[Template]
    """The templates that occur among the objects."""


class _ObjectMoveBody(TypedDict):
    parentid: Union[int, str]
    """Id of the object in which it is to lie, 0 for the root of the vault."""


class ObjectMoveBody(_ObjectMoveBody, total=False):
    groupid: Union[int, str]
    """Id of the vault into which it goes; without it, its own."""


class ObjectMoveInfo(Callinfo):
    objectid: str
    """Id of the object. Decimal digits."""
    message: str
    """What was done, in a sentence for people."""
    objects: str
    """How many objects went, with those that lie in it."""


class ObjectMoveAnswer(_Sent):
    CALLINFO: ObjectMoveInfo


class _ObjectCopyBody(TypedDict):
    parentid: Union[int, str]
    """Id of the object in which the copy is to lie, 0 for the root of the vault."""


class ObjectCopyBody(_ObjectCopyBody, total=False):
    groupid: Union[int, str]
    """Id of the vault into which the copy goes; without it, its own."""


class ObjectCopyInfo(Callinfo):
    objectid: str
    """Id of the object. Decimal digits."""
    message: str
    """What was done, in a sentence for people."""
    objects: str
    """How many objects went, with those that lie in it."""


class ObjectCopyAnswer(_Sent):
    CALLINFO: ObjectCopyInfo


class _ObjectFindQuery(TypedDict):
    needle: str
    """Text to look for, in upper or lower case."""


class ObjectFindQuery(_ObjectFindQuery, total=False):
    limit: str
    """Most objects of the answer, 1 to 1000."""


class ObjectFindAnswer(Envelope):
    OBJECT: List[Object]
    """The objects that hold it, without encrypted fields."""
    TEMPLATES: List[Template]
    """The templates that occur among the objects."""
    VAULTS: List[Vault]
    """The vaults in which they lie."""


class NeedleParams(TypedDict):
    needle: str


class ObjectFindPathAnswer(Envelope):
    OBJECT: List[Object]
    """The objects that hold it, without encrypted fields."""
    TEMPLATES: List[Template]
    """The templates that occur among the objects."""
    VAULTS: List[Vault]
    """The vaults in which they lie."""


class _KeyType(TypedDict):
    type: Literal["aes128-gcm96", "aes256-gcm96", "aes128-ctr", "aes256-ctr", "aes128-ofb", "aes256-ofb", "hmac-sha256", "ecdsa-p256", "ecdsa-p384", "ed25519", "rsa-2048", "rsa-3072", "rsa-4096"]
    """Key type."""
    available: Literal["true", "false"]
    """Whether such keys can be made here, with residency `database`."""
    available_in_token: Literal["true", "false"]
    """Whether such keys can be made here, with residency `token`."""
    supports_encryption: Literal["true", "false"]
    """Whether such keys encrypt and decrypt."""
    supports_aad: Literal["true", "false"]
    """Whether they authenticate what they encrypt, and take `aad`."""
    supports_signing: Literal["true", "false"]
    """Whether such keys sign and verify."""
    supports_hmac: Literal["true", "false"]
    """Whether such keys make HMACs."""


class KeyType(_KeyType, total=False):
    """A key type, and what this token can do of it."""

    missing_mechanism: str
    """PKCS#11 mechanism that the token would need; absent where it is available."""


class TransparentTypesAnswer(Envelope):
    TYPES: List[KeyType]
    """The key types."""


class TransparentKeyListQuery(TypedDict, total=False):
    after: str
    """Name after which the page begins: the last one of the page before. The first page when absent."""
    details: Union[bool, Literal["true", "false"]]
    """Whether to tell more, as a page for people shows it."""
    deleted: Union[bool, Literal["true", "false"]]
    """Whether to list the deleted keys that can still be taken back."""


class _TransparentKeyListAnswerKeys(TypedDict):
    name: str
    """Name of the key, unique in its vault."""
    key_version: str
    """Latest version, as text."""
    type: Literal["aes128-gcm96", "aes256-gcm96", "aes128-ctr", "aes256-ctr", "aes128-ofb", "aes256-ofb", "hmac-sha256", "ecdsa-p256", "ecdsa-p384", "ed25519", "rsa-2048", "rsa-3072", "rsa-4096"]
    """Key type."""
    allow_backup: Literal["true", "false"]
    """Whether it can be backed up."""
    allow_export: Literal["true", "false"]
    """Whether an Admin can export it."""
    allow_plaintext_export: Literal["true", "false"]
    """Whether an Admin can export it in the open as well."""
    allow_delete: Literal["true", "false"]
    """Whether it can be deleted."""
    supports_signing: Literal["true", "false"]
    """Whether it signs."""
    info: str
    """What it is for."""
    objectid: str
    """Id of the key. Decimal digits."""
    residency: Literal["database", "token"]
    """`database` the key lies wrapped in the database, `token` it is an object of the token: slower to use, and
    neither exported nor backed up."""
    oldest_version: str
    """First version that was not trimmed."""
    min_encryption_version: str
    """First version that may still encrypt, sign and make HMACs."""
    min_decryption_version: str
    """First version that may still decrypt and verify."""
    auto_rotate_period: str
    """Seconds after which it gets a new version by itself, 0 for never."""


class TransparentKeyListAnswerKeys(_TransparentKeyListAnswerKeys, total=False):
    latest_created: str
    """Where `details` asks for it: when the latest version was made. UTC."""
    encryptions: str
    """Encryptions by this version that are reserved, no fewer than were made; of key types that encrypt."""
    max_encryptions: str
    """How many are safe; at nine tenths of them the key is rotated by itself."""
    deleted: str
    """Of a deleted key: when that was. UTC."""
    destroyed: str
    """Of a deleted key: until when it can be taken back. UTC."""


class TransparentKeyListInfo(Callinfo, total=False):
    recovery_window: str
    """Where `details` asks for it: the seconds for which a key can be taken back after it was deleted."""
    create_on_encrypt: bool
    """Likewise: as `transparent.settings` says of the vault."""
    signing_permission: Literal["Read", "Write", "Admin"]
    """Likewise."""
    strict: bool
    """Likewise."""


class TransparentKeyListAnswer(_Sent):
    CALLINFO: TransparentKeyListInfo
    KEYS: List[TransparentKeyListAnswerKeys]
    """The keys, by their names."""


class VaultidNameParams(TypedDict):
    vaultid: Union[str, int]
    name: str


class TransparentKeyCreateBody(TypedDict, total=False):
    type: str
    """Key type: `aes128-gcm96`, `aes256-gcm96`, `aes128-ctr`, `aes256-ctr`, `aes128-ofb`, `aes256-ofb`,
    `hmac-sha256`, `ecdsa-p256`, `ecdsa-p384`, `ed25519`, `rsa-2048`, `rsa-3072`, `rsa-4096`. `GET
    /transparent/types` says what each can do here."""
    info: str
    """What the key is for, in your words."""
    residency: Literal["database", "token"]
    """`database` the key lies wrapped in the database, `token` it is an object of the token: slower to use, and
    neither exported nor backed up."""
    allow_export: Union[bool, Literal["true", "false"]]
    """Whether an Admin can export it, wrapped to a public key."""
    allow_plaintext_export: Union[bool, Literal["true", "false"]]
    """Whether an Admin can export it in the open as well."""
    allow_backup: Union[bool, Literal["true", "false"]]
    """Whether it can be backed up. When absent as the appliance is set up, but not with residency `token`."""
    allow_delete: Union[bool, Literal["true", "false"]]
    """Whether it can be deleted."""
    auto_rotate_period: Union[int, str]
    """Seconds after which the key gets a new version by itself: 0 never, or 3600 to 315360000 (ten years)."""


class TransparentKeyCreateInfo(Callinfo):
    name: str
    """Name of the key."""
    objectid: str
    """Id of the key. Decimal digits."""


class TransparentKeyCreateAnswer(_Sent):
    CALLINFO: TransparentKeyCreateInfo


class TransparentKeyReadQuery(TypedDict, total=False):
    details: Union[bool, Literal["true", "false"]]
    """Whether to tell more, as a page for people shows it."""


class Key(TypedDict):
    """What is known of a key, never the key: every value is text."""

    name: str
    """Name of the key, unique in its vault."""
    key_version: str
    """Latest version, as text."""
    type: Literal["aes128-gcm96", "aes256-gcm96", "aes128-ctr", "aes256-ctr", "aes128-ofb", "aes256-ofb", "hmac-sha256", "ecdsa-p256", "ecdsa-p384", "ed25519", "rsa-2048", "rsa-3072", "rsa-4096"]
    """Key type."""
    allow_backup: Literal["true", "false"]
    """Whether it can be backed up."""
    allow_export: Literal["true", "false"]
    """Whether an Admin can export it."""
    allow_plaintext_export: Literal["true", "false"]
    """Whether an Admin can export it in the open as well."""
    allow_delete: Literal["true", "false"]
    """Whether it can be deleted."""
    supports_signing: Literal["true", "false"]
    """Whether it signs."""
    info: str
    """What it is for."""
    objectid: str
    """Id of the key. Decimal digits."""
    residency: Literal["database", "token"]
    """`database` the key lies wrapped in the database, `token` it is an object of the token: slower to use, and
    neither exported nor backed up."""
    oldest_version: str
    """First version that was not trimmed."""
    min_encryption_version: str
    """First version that may still encrypt, sign and make HMACs."""
    min_decryption_version: str
    """First version that may still decrypt and verify."""
    auto_rotate_period: str
    """Seconds after which it gets a new version by itself, 0 for never."""


class _KeyVersion(TypedDict):
    key_version: str
    """The version, as text."""
    enabled: Literal["true", "false"]
    """Whether it may be used."""
    created: str
    """When it was made. UTC."""


class KeyVersion(_KeyVersion, total=False):
    """A version of a key."""

    encryptions: str
    """Encryptions by this version that are reserved, no fewer than were made; of key types that encrypt."""
    max_encryptions: str
    """How many are safe; at nine tenths of them the key is rotated by itself."""
    public_key: str
    """Public key of a key that signs. PEM."""


class _TransparentKeyReadInfo(Callinfo):
    version: str
    """Latest version of the key, as text."""
    objectid: str
    """Id of the key. Decimal digits."""


class TransparentKeyReadInfo(_TransparentKeyReadInfo, total=False):
    recovery_window: str
    """Where `details` asks for it: the seconds for which a key can be taken back after it was deleted."""
    create_on_encrypt: bool
    """Likewise: as `transparent.settings` says of the vault."""
    signing_permission: Literal["Read", "Write", "Admin"]
    """Likewise."""
    strict: bool
    """Likewise."""


class TransparentKeyReadAnswer(_Sent):
    CALLINFO: TransparentKeyReadInfo
    KEYS: List[Key]
    """The key."""
    VERSIONS: List[KeyVersion]
    """Its versions that were not trimmed, the oldest first."""


class TransparentKeyUpdateBody(TypedDict, total=False):
    info: str
    """What the key is for, in your words."""
    allow_export: Union[bool, Literal["true", "false"]]
    """Whether an Admin can export it: can be turned off, never on."""
    allow_backup: Union[bool, Literal["true", "false"]]
    """Whether it can be backed up: can be turned off, never on."""
    allow_delete: Union[bool, Literal["true", "false"]]
    """Whether it can be deleted."""
    auto_rotate_period: Union[int, str]
    """Seconds after which the key gets a new version by itself: 0 never, or 3600 to 315360000 (ten years)."""
    min_encryption_version: Union[int, str]
    """First version that may encrypt, sign and make HMACs."""
    min_decryption_version: Union[int, str]
    """First version that may decrypt and verify."""


class TransparentKeyUpdateInfo(Callinfo):
    name: str
    """Name of the key."""
    objectid: str
    """Id of the key. Decimal digits."""


class TransparentKeyUpdateAnswer(_Sent):
    CALLINFO: TransparentKeyUpdateInfo
    KEYS: List[Key]
    """The key."""


class TransparentKeyDeleteInfo(Callinfo):
    name: str
    """Name of the key."""
    objectid: str
    """Id of the key. Decimal digits."""


class TransparentKeyDeleteAnswer(_Sent):
    CALLINFO: TransparentKeyDeleteInfo


class TransparentKeyTakebackInfo(Callinfo):
    name: str
    """Name of the key."""
    objectid: str
    """Id of the key. Decimal digits."""


class TransparentKeyTakebackAnswer(_Sent):
    CALLINFO: TransparentKeyTakebackInfo


class TransparentKeyRotateInfo(Callinfo):
    name: str
    """Name of the key."""
    objectid: str
    """Id of the key. Decimal digits."""
    key_version: str
    """Latest version of the key, as text."""


class TransparentKeyRotateAnswer(_Sent):
    CALLINFO: TransparentKeyRotateInfo


class TransparentKeyTrimBody(TypedDict):
    min_available_version: Union[int, str]
    """Oldest version to keep."""


class TransparentKeyTrimInfo(Callinfo):
    name: str
    """Name of the key."""
    objectid: str
    """Id of the key. Decimal digits."""
    oldest_version: str
    """Oldest version that remains, as text."""


class TransparentKeyTrimAnswer(_Sent):
    CALLINFO: TransparentKeyTrimInfo


class VaultidNameVersionParams(TypedDict):
    vaultid: Union[str, int]
    name: str
    version: Union[int, str]


class TransparentKeyVersionBody(TypedDict):
    enabled: Union[bool, Literal["true", "false"]]
    """Whether it may be used from now on."""


class TransparentKeyVersionInfo(Callinfo):
    name: str
    """Name of the key."""
    objectid: str
    """Id of the key. Decimal digits."""
    key_version: str
    """The version, as text."""
    enabled: bool
    """Whether it may be used now."""


class TransparentKeyVersionAnswer(_Sent):
    CALLINFO: TransparentKeyVersionInfo


class TransparentSettingsBody(TypedDict, total=False):
    create_on_encrypt: Union[bool, Literal["true", "false"]]
    """Whether encrypting with a name that no key has makes the key. That is the default of a new vault."""
    signing_permission: Literal["Read", "Write", "Admin"]
    """Permission that signing needs, and those above it. Write in a new vault."""
    strict: Union[bool, Literal["true", "false"]]
    """Whether calls about this vault that have a member which the interface does not know are refused, and no key is
    made on first use, whatever `create_on_encrypt` says."""


class TransparentSettingsInfo(Callinfo):
    create_on_encrypt: bool
    """Whether encrypting with a name that no key has makes the key."""
    signing_permission: Literal["Read", "Write", "Admin"]
    """Permission that signing needs."""
    strict: bool
    """Whether calls with unknown members are refused."""


class TransparentSettingsAnswer(_Sent):
    CALLINFO: TransparentSettingsInfo


class _TransparentEncryptBodyBatchInput(TypedDict):
    plaintext: str
    """The data to encrypt; the limit of the body limits its length. Base64 with padding."""


class TransparentEncryptBodyBatchInput(_TransparentEncryptBodyBatchInput, total=False):
    aad: str
    """Additional authenticated data: not encrypted, and needed in the same form to decrypt. Key types without
    authentication (`ctr`, `ofb`) refuse it. None when absent or empty. Base64 with padding."""
    key_version: Union[int, str]
    """Version of the key: the latest when absent."""
    reference: str
    """Any text of the client: the result of the item carries it."""


class TransparentEncryptBody(TypedDict, total=False):
    plaintext: str
    """The data to encrypt; the limit of the body limits its length. Base64 with padding."""
    aad: str
    """Additional authenticated data: not encrypted, and needed in the same form to decrypt. Key types without
    authentication (`ctr`, `ofb`) refuse it. None when absent or empty. Base64 with padding."""
    key_version: Union[int, str]
    """Version of the key: the latest when absent."""
    type: str
    """Key type: `aes128-gcm96`, `aes256-gcm96`, `aes128-ctr`, `aes256-ctr`, `aes128-ofb`, `aes256-ofb`,
    `hmac-sha256`, `ecdsa-p256`, `ecdsa-p384`, `ed25519`, `rsa-2048`, `rsa-3072`, `rsa-4096`. `GET
    /transparent/types` says what each can do here."""
    batch_input: List[TransparentEncryptBodyBatchInput]
    """Many at once, in place of the members of one: 1000 at most. One that fails does not keep the others."""


class ItemError(TypedDict):
    """Why an item failed."""

    code: str
    """Number of what went wrong, as ERRORCODES has it."""
    text: str
    """What went wrong, for people."""


class TransparentEncryptInfoBatchResults(TypedDict, total=False):
    key_version: str
    """Version of the key that was used, as text."""
    ciphertext: str
    """The ciphertext: `service:v`, the key version, a colon, and base64 of IV, encrypted data and, of GCM, the tag
    (IV of 12 bytes and tag of 16 of GCM; IV of 16 bytes of CTR and OFB)."""
    reference: str
    """The text that the client gave the item."""
    error: ItemError


class _TransparentEncryptInfo(Callinfo):
    name: str
    """Name of the key."""
    objectid: str
    """Id of the key; empty where it was not made because every item failed."""
    type: Literal["aes128-gcm96", "aes256-gcm96", "aes128-ctr", "aes256-ctr", "aes128-ofb", "aes256-ofb", "hmac-sha256", "ecdsa-p256", "ecdsa-p384", "ed25519", "rsa-2048", "rsa-3072", "rsa-4096"]
    """Key type."""


class TransparentEncryptInfo(_TransparentEncryptInfo, total=False):
    key_version: str
    """Version of the key that was used, as text."""
    ciphertext: str
    """The ciphertext: `service:v`, the key version, a colon, and base64 of IV, encrypted data and, of GCM, the tag
    (IV of 12 bytes and tag of 16 of GCM; IV of 16 bytes of CTR and OFB)."""
    batch_results: List[TransparentEncryptInfoBatchResults]
    """A result for each item, in the order of the items."""


class TransparentEncryptAnswer(_Sent):
    CALLINFO: TransparentEncryptInfo


class _TransparentDecryptBodyBatchInput(TypedDict):
    ciphertext: str
    """A ciphertext of this key, as the call that made it answered: `service:v1:…`."""


class TransparentDecryptBodyBatchInput(_TransparentDecryptBodyBatchInput, total=False):
    aad: str
    """Additional authenticated data as it was when the ciphertext was made. Base64 with padding."""
    reference: str
    """Any text of the client: the result of the item carries it."""


class TransparentDecryptBody(TypedDict, total=False):
    ciphertext: str
    """A ciphertext of this key, as the call that made it answered: `service:v1:…`."""
    aad: str
    """Additional authenticated data as it was when the ciphertext was made. Base64 with padding."""
    batch_input: List[TransparentDecryptBodyBatchInput]
    """Many at once, in place of the members of one: 1000 at most. One that fails does not keep the others."""


class TransparentDecryptInfoBatchResults(TypedDict, total=False):
    plaintext: str
    """The data. Base64 with padding."""
    reference: str
    """The text that the client gave the item."""
    error: ItemError


class _TransparentDecryptInfo(Callinfo):
    name: str
    """Name of the key."""
    objectid: str
    """Id of the key. Decimal digits."""


class TransparentDecryptInfo(_TransparentDecryptInfo, total=False):
    plaintext: str
    """The data. Base64 with padding."""
    key_version: str
    """Version of the key that was used, as text."""
    batch_results: List[TransparentDecryptInfoBatchResults]
    """A result for each item, in the order of the items."""


class TransparentDecryptAnswer(_Sent):
    CALLINFO: TransparentDecryptInfo


class _TransparentRewrapBodyBatchInput(TypedDict):
    ciphertext: str
    """A ciphertext of this key, as the call that made it answered: `service:v1:…`."""


class TransparentRewrapBodyBatchInput(_TransparentRewrapBodyBatchInput, total=False):
    aad: str
    """Additional authenticated data as it was when the ciphertext was made; the new one is bound to the same. Base64
    with padding."""
    to_version: Union[int, str]
    """Version of the key to encrypt with: the latest when absent."""
    reference: str
    """Any text of the client: the result of the item carries it."""


class TransparentRewrapBody(TypedDict, total=False):
    ciphertext: str
    """A ciphertext of this key, as the call that made it answered: `service:v1:…`."""
    aad: str
    """Additional authenticated data as it was when the ciphertext was made; the new one is bound to the same. Base64
    with padding."""
    to_version: Union[int, str]
    """Version of the key to encrypt with: the latest when absent."""
    batch_input: List[TransparentRewrapBodyBatchInput]
    """Many at once, in place of the members of one: 1000 at most. One that fails does not keep the others."""


class _TransparentRewrapInfo(Callinfo):
    name: str
    """Name of the key."""
    objectid: str
    """Id of the key. Decimal digits."""


class TransparentRewrapInfo(_TransparentRewrapInfo, total=False):
    key_version: str
    """Version of the key that was used, as text."""
    ciphertext: str
    """The ciphertext: `service:v`, the key version, a colon, and base64 of IV, encrypted data and, of GCM, the tag
    (IV of 12 bytes and tag of 16 of GCM; IV of 16 bytes of CTR and OFB)."""
    batch_results: List[TransparentEncryptInfoBatchResults]
    """A result for each item, in the order of the items."""


class TransparentRewrapAnswer(_Sent):
    CALLINFO: TransparentRewrapInfo


class VaultidNameTypeParams(TypedDict):
    vaultid: Union[str, int]
    name: str
    type: Literal["plaintext", "wrapped"]


class TransparentDatakeyBody(TypedDict, total=False):
    bits: Union[Literal[128, 256, 512], Literal["128", "256", "512"]]
    """Length of the data key in bits: 128, 256 or 512."""
    key_version: Union[int, str]
    """Version of the key: the latest when absent."""
    aad: str
    """Additional authenticated data: not encrypted, and needed in the same form to decrypt. Key types without
    authentication (`ctr`, `ofb`) refuse it. None when absent or empty. Base64 with padding."""


class _TransparentDatakeyInfo(Callinfo):
    name: str
    """Name of the key."""
    objectid: str
    """Id of the key. Decimal digits."""
    key_version: str
    """Version of the key that was used, as text."""
    ciphertext: str
    """The data key, encrypted: keep it with the data; `decrypt` opens it."""


class TransparentDatakeyInfo(_TransparentDatakeyInfo, total=False):
    plaintext: str
    """The data key in the open, where `type` is `plaintext`: forget it after use. Base64 with padding."""


class TransparentDatakeyAnswer(_Sent):
    CALLINFO: TransparentDatakeyInfo


class _TransparentSignBody(TypedDict):
    input: str
    """The data, or its hash where `prehashed` says so. Base64 with padding."""


class TransparentSignBody(_TransparentSignBody, total=False):
    prehashed: Union[bool, Literal["true", "false"]]
    """Whether `input` is the hash of the data already."""
    hash_algorithm: Literal["sha2-256", "sha2-384", "sha2-512"]
    """The hash algorithm. When absent SHA-256, but SHA-384 with `ecdsa-p384` and SHA-512 with `ed25519`."""
    signature_algorithm: Literal["pss", "pkcs1v15"]
    """Of RSA keys: the padding. `pss` when absent."""
    marshaling_algorithm: Literal["asn1", "jws"]
    """Of ECDSA: how r and s are written, `asn1` as DER or `jws` one after the other (RFC 7518 §3.4)."""
    key_version: Union[int, str]
    """Version of the key: the latest when absent."""


class TransparentSignInfo(Callinfo):
    name: str
    """Name of the key."""
    objectid: str
    """Id of the key. Decimal digits."""
    key_version: str
    """Version of the key that was used, as text."""
    signature: str
    """The signature: `service:v`, the key version, a colon, and base64."""


class TransparentSignAnswer(_Sent):
    CALLINFO: TransparentSignInfo


class _TransparentVerifyBody(TypedDict):
    input: str
    """The data, or its hash where `prehashed` says so. Base64 with padding."""


class TransparentVerifyBody(_TransparentVerifyBody, total=False):
    prehashed: Union[bool, Literal["true", "false"]]
    """Whether `input` is the hash of the data already."""
    hash_algorithm: Literal["sha2-256", "sha2-384", "sha2-512"]
    """The hash algorithm. When absent SHA-256, but SHA-384 with `ecdsa-p384` and SHA-512 with `ed25519`."""
    signature_algorithm: Literal["pss", "pkcs1v15"]
    """Of RSA keys: the padding. `pss` when absent."""
    marshaling_algorithm: Literal["asn1", "jws"]
    """Of ECDSA: how r and s are written, `asn1` as DER or `jws` one after the other (RFC 7518 §3.4)."""
    signature: str
    """A signature, as `sign` answered it."""
    hmac: str
    """An HMAC, as `hmac` answered it."""


class TransparentVerifyInfo(Callinfo):
    name: str
    """Name of the key."""
    objectid: str
    """Id of the key. Decimal digits."""
    key_version: str
    """Version of the key that was used, as text."""
    valid: bool
    """Whether it is good. A wrong one is not an error of the call."""


class TransparentVerifyAnswer(_Sent):
    CALLINFO: TransparentVerifyInfo


class _TransparentHmacBody(TypedDict):
    input: str
    """The data. Base64 with padding."""


class TransparentHmacBody(_TransparentHmacBody, total=False):
    key_version: Union[int, str]
    """Version of the key: the latest when absent."""


class TransparentHmacInfo(Callinfo):
    name: str
    """Name of the key."""
    objectid: str
    """Id of the key. Decimal digits."""
    key_version: str
    """Version of the key that was used, as text."""
    hmac: str
    """The HMAC: `service:v`, the key version, a colon, and base64."""


class TransparentHmacAnswer(_Sent):
    CALLINFO: TransparentHmacInfo


class TransparentRandomBody(TypedDict, total=False):
    bytes: Union[int, str]
    """How many bytes, 1 to 65536."""
    format: Literal["base64", "hex"]
    """How the answer writes bytes."""


class TransparentRandomInfo(Callinfo):
    random_bytes: str
    """The bytes, in `format`."""


class TransparentRandomAnswer(_Sent):
    CALLINFO: TransparentRandomInfo


class _TransparentHashBody(TypedDict):
    input: str
    """The data. Base64 with padding."""


class TransparentHashBody(_TransparentHashBody, total=False):
    algorithm: Literal["sha2-256", "sha2-384", "sha2-512"]
    """The hash algorithm."""
    format: Literal["base64", "hex"]
    """How the answer writes bytes."""


class TransparentHashInfo(Callinfo):
    sum: str
    """The hash, in `format`."""


class TransparentHashAnswer(_Sent):
    CALLINFO: TransparentHashInfo


class TransparentBackupAnswerKeys(TypedDict):
    """What was backed up."""

    backup: str
    """The backup: encrypted, for the call that restores it. Base64 with padding."""


class TransparentBackupInfo(Callinfo):
    name: str
    """Name of the key."""
    objectid: str
    """Id of the key. Decimal digits."""
    version: str
    """Latest version of the key, as text."""


class TransparentBackupAnswer(_Sent):
    CALLINFO: TransparentBackupInfo
    KEYS: TransparentBackupAnswerKeys
    """What was backed up."""


class _TransparentRestoreBody(TypedDict):
    backup: str
    """`KEYS.backup` of the call that backed the key up. Base64 with padding."""


class TransparentRestoreBody(_TransparentRestoreBody, total=False):
    force: Union[bool, Literal["true", "false"]]
    """Whether to replace a key of this name."""


class TransparentRestoreInfo(Callinfo):
    name: str
    """Name of the key."""
    objectid: str
    """Id of the key. Decimal digits."""
    key_version: str
    """Latest version of the key, as text."""


class TransparentRestoreAnswer(_Sent):
    CALLINFO: TransparentRestoreInfo


class TransparentExportQuery(TypedDict, total=False):
    public_key: str
    """RSA public key of 2048 to 8192 bits to wrap the key to: PEM, or base64 of DER SubjectPublicKeyInfo."""


class _TransparentExportAnswerKeys(TypedDict):
    name: str
    """Name of the key."""
    key_version: str
    """The version, as text."""
    type: Literal["aes128-gcm96", "aes256-gcm96", "aes128-ctr", "aes256-ctr", "aes128-ofb", "aes256-ofb", "hmac-sha256", "ecdsa-p256", "ecdsa-p384", "ed25519", "rsa-2048", "rsa-3072", "rsa-4096"]
    """Key type."""


class TransparentExportAnswerKeys(_TransparentExportAnswerKeys, total=False):
    wrapped_key: str
    """The key, wrapped to `public_key`, where the call gave one: RSA-OAEP with SHA-1, then AES-KWP. Base64 with
    padding."""
    key: str
    """The key in the open, where the call gave no `public_key`. Base64 with padding."""


class TransparentExportInfo(Callinfo):
    name: str
    """Name of the key."""
    objectid: str
    """Id of the key. Decimal digits."""
    version: str
    """Latest version of the key, as text."""


class TransparentExportAnswer(_Sent):
    CALLINFO: TransparentExportInfo
    KEYS: List[TransparentExportAnswerKeys]
    """Its versions, or the one that was asked for."""


class TransparentExportVersionQuery(TypedDict, total=False):
    public_key: str
    """RSA public key of 2048 to 8192 bits to wrap the key to: PEM, or base64 of DER SubjectPublicKeyInfo."""


class TransparentExportVersionInfo(Callinfo):
    name: str
    """Name of the key."""
    objectid: str
    """Id of the key. Decimal digits."""
    version: str
    """Latest version of the key, as text."""


class TransparentExportVersionAnswer(_Sent):
    CALLINFO: TransparentExportVersionInfo
    KEYS: List[TransparentExportAnswerKeys]
    """Its versions, or the one that was asked for."""


class TransparentImportJobBody(TypedDict, total=False):
    type: str
    """Key type: `aes128-gcm96`, `aes256-gcm96`, `aes128-ctr`, `aes256-ctr`, `aes128-ofb`, `aes256-ofb`,
    `hmac-sha256`, `ecdsa-p256`, `ecdsa-p384`, `ed25519`, `rsa-2048`, `rsa-3072`, `rsa-4096`. `GET
    /transparent/types` says what each can do here."""
    info: str
    """What the key is for, in your words."""
    residency: Literal["database", "token"]
    """`database` the key lies wrapped in the database, `token` it is an object of the token: slower to use, and
    neither exported nor backed up."""
    allow_export: Union[bool, Literal["true", "false"]]
    """Whether an Admin can export it, wrapped to a public key."""
    allow_plaintext_export: Union[bool, Literal["true", "false"]]
    """Whether an Admin can export it in the open as well."""
    allow_backup: Union[bool, Literal["true", "false"]]
    """Whether it can be backed up. When absent as the appliance is set up, but not with residency `token`."""
    allow_delete: Union[bool, Literal["true", "false"]]
    """Whether it can be deleted."""
    auto_rotate_period: Union[int, str]
    """Seconds after which the key gets a new version by itself: 0 never, or 3600 to 315360000 (ten years)."""


class TransparentImportJobInfo(Callinfo):
    name: str
    """Name of the key."""
    job: str
    """Id of the job, for the call that imports. Good for one import of this key."""
    public_key: str
    """RSA public key to wrap the key to. PEM."""
    public_key_der: str
    """The same as DER SubjectPublicKeyInfo. Base64 with padding."""
    statement: str
    """All that the job fixes, and its public key: JSON, as it was signed."""
    signature: str
    """Signature of the statement by the audit key: ECDSA over SHA-256, DER. Base64 with padding."""
    signer: str
    """The audit key: compare it with the one that the operator gave you. PEM."""
    expires: str
    """When the job ends. UTC."""


class TransparentImportJobAnswer(_Sent):
    CALLINFO: TransparentImportJobInfo


class _TransparentImportBody(TypedDict):
    wrapped_key: str
    """The key, wrapped to the public key of the job: RSA-OAEP with SHA-1, then AES-KWP. Base64 with padding."""


class TransparentImportBody(_TransparentImportBody, total=False):
    job: str
    """Id of the import job. The one of this key when absent."""
    public_key: str
    """Of a pair: its public key, DER SubjectPublicKeyInfo. Base64 with padding."""


class TransparentImportInfo(Callinfo):
    name: str
    """Name of the key."""
    objectid: str
    """Id of the key. Decimal digits."""


class TransparentImportAnswer(_Sent):
    CALLINFO: TransparentImportInfo


class AuditListQuery(TypedDict, total=False):
    since: str
    """Only records from this time on, such as 2026-10-01T14:30:00Z."""
    until: str
    """Only records before this time."""
    user: str
    """Login name or id of a user."""
    vaultid: str
    """Id of a vault."""
    key: str
    """Name of a key."""
    subject: str
    """What else the records are about, such as `object 7`; subjects that go on after a colon are found too: `object
    7: password`."""
    operation: str
    """An operation, or its beginning and a star: `transparent.*`."""
    outcome: str
    """`allowed`, `noted`, `refused` for every refusal, or the code of a fault."""
    limit: str
    """Most records of the page, 1 to 100."""
    next: str
    """`CALLINFO.next` of the page before."""


class _AuditRecord(TypedDict):
    at: str
    """When it was written. UTC."""
    chain: str
    """The process that wrote it: each has a chain of its own."""
    seq: str
    """Its number in the chain, as text."""
    operation: str
    """What was called or done, such as `transparent.decrypt`: the operation ids of this document, and more."""
    outcome: str
    """`allowed`, `noted`, or the code of the fault that refused it."""
    requestid: str
    """Id of the call, a UUID where it came over this interface; several records may share it."""


class AuditRecord(_AuditRecord, total=False):
    """A record of the audit trail."""

    userid: str
    """Id of the user who called. Decimal digits."""
    username: str
    """Login name of the user, as it was then or as it was sent."""
    address: str
    """IP address that the call came from."""
    vaultid: str
    """Id of the vault that it was about."""
    key: str
    """Name of the key that it was about."""
    version: str
    """Version of that key."""
    subject: str
    """What else it was about."""
    count: str
    """How many calls it sums up, as text; absent where it is one."""


class _AuditListInfo(Callinfo):
    machine: str
    """Name of the machine whose trail this is (the setting `audit.machine`); empty where it has none."""


class AuditListInfo(_AuditListInfo, total=False):
    next: str
    """What to send as `next` for the next page; absent where nothing is left."""


class AuditListAnswer(_Sent):
    CALLINFO: AuditListInfo
    RECORDS: List[AuditRecord]
    """The records, the newest first."""


AuthCheckAnswer = Envelope
AuthCheckGetAnswer = Envelope
UsercertAddAnswer = Envelope
UsercertRemoveAnswer = Envelope
ObjectCreateBody = Mapping[str, Any]
ObjectEditBody = Mapping[str, Any]


class Call(Protocol):
    """What ``call`` of a Client takes and returns, by the name of the operation."""

    @overload
    def __call__(self, operation: Literal["auth.login"], *, body: Optional[AuthLoginBody] = None) -> AuthLoginAnswer:
        """Log in with pass phrase, application key and second factor, or as a service account."""

    @overload
    def __call__(self, operation: Literal["auth.logout"]) -> AuthLogoutAnswer:
        """Log out."""

    @overload
    def __call__(self, operation: Literal["auth.check"]) -> AuthCheckAnswer:
        """Check the session token and refresh its time-out."""

    @overload
    def __call__(self, operation: Literal["auth.check.get"]) -> AuthCheckGetAnswer:
        """Check the session token and refresh its time-out."""

    @overload
    def __call__(self, operation: Literal["authinfo.logintypes"]) -> AuthinfoLogintypesAnswer:
        """List the enabled login types."""

    @overload
    def __call__(self, operation: Literal["user.sessions"], *, params: UseridParams) -> UserSessionsAnswer:
        """List the open sessions of a user."""

    @overload
    def __call__(self, operation: Literal["user.sessions.end"], *, params: UseridParams) -> UserSessionsEndAnswer:
        """End all sessions of a user."""

    @overload
    def __call__(self, operation: Literal["user.session.end"], *, params: UseridSessionidParams) -> UserSessionEndAnswer:
        """End one session of a user."""

    @overload
    def __call__(self, operation: Literal["auth.passphrase"], *, body: AuthPassphraseBody) -> AuthPassphraseAnswer:
        """Change your own pass phrase."""

    @overload
    def __call__(self, operation: Literal["user.passphrase"], *, params: UseridParams, body: UserPassphraseBody) -> UserPassphraseAnswer:
        """Give a user another pass phrase."""

    @overload
    def __call__(self, operation: Literal["user.otp.list"], *, params: UseridParams) -> UserOtpListAnswer:
        """List the OTP devices of a user."""

    @overload
    def __call__(self, operation: Literal["user.otp.enrol"], *, params: UseridParams, body: UserOtpEnrolBody) -> UserOtpEnrolAnswer:
        """Give a user an OTP device."""

    @overload
    def __call__(self, operation: Literal["user.otp.remove"], *, params: UseridDeviceidParams) -> UserOtpRemoveAnswer:
        """Take an OTP device from a user."""

    @overload
    def __call__(self, operation: Literal["user.otp.resync"], *, params: UseridDeviceidParams, body: UserOtpResyncBody) -> UserOtpResyncAnswer:
        """Resynchronise a HOTP token by two consecutive codes."""

    @overload
    def __call__(self, operation: Literal["user.list"], *, query: Optional[UserListQuery] = None) -> UserListAnswer:
        """List users, or search for some."""

    @overload
    def __call__(self, operation: Literal["user.create"], *, body: UserCreateBody) -> UserCreateAnswer:
        """Create a user."""

    @overload
    def __call__(self, operation: Literal["user.read"], *, params: UserReadParams) -> UserReadAnswer:
        """Read a user by id, or search for some."""

    @overload
    def __call__(self, operation: Literal["user.edit"], *, params: UseridParams, body: Optional[UserEditBody] = None) -> UserEditAnswer:
        """Edit a user."""

    @overload
    def __call__(self, operation: Literal["user.edit.post"], *, params: UseridParams, body: Optional[UserEditPostBody] = None) -> UserEditPostAnswer:
        """Edit a user."""

    @overload
    def __call__(self, operation: Literal["user.disable"], *, params: UseridParams) -> UserDisableAnswer:
        """Disable a user."""

    @overload
    def __call__(self, operation: Literal["me.read"]) -> MeReadAnswer:
        """Read your own account."""

    @overload
    def __call__(self, operation: Literal["me.email"], *, body: MeEmailBody) -> MeEmailAnswer:
        """Change your own e-mail address."""

    @overload
    def __call__(self, operation: Literal["me.sessions.end"]) -> MeSessionsEndAnswer:
        """End all your other sessions."""

    @overload
    def __call__(self, operation: Literal["me.otp.begin"]) -> MeOtpBeginAnswer:
        """Begin to enrol an authenticator app for yourself."""

    @overload
    def __call__(self, operation: Literal["me.otp.adopt"], *, body: MeOtpAdoptBody) -> MeOtpAdoptAnswer:
        """Enrol a hardware token for yourself."""

    @overload
    def __call__(self, operation: Literal["me.otp.activate"], *, params: DeviceidParams, body: MeOtpActivateBody) -> MeOtpActivateAnswer:
        """Finish the enrolment of your authenticator app."""

    @overload
    def __call__(self, operation: Literal["me.otp.remove"], *, params: DeviceidParams, body: Optional[MeOtpRemoveBody] = None) -> MeOtpRemoveAnswer:
        """Remove an OTP device of your own."""

    @overload
    def __call__(self, operation: Literal["authinfo.smcuser"]) -> AuthinfoSmcuserAnswer:
        """Tell whose smartcard the client presents."""

    @overload
    def __call__(self, operation: Literal["usercert.read"]) -> UsercertReadAnswer:
        """Read the certificate of a user."""

    @overload
    def __call__(self, operation: Literal["usercert.readany"], *, params: UseridParams) -> UsercertReadanyAnswer:
        """Read the certificate of a user."""

    @overload
    def __call__(self, operation: Literal["usercert.add"], *, params: UseridParams, body: Optional[UsercertAddBody] = None, file: Upload) -> UsercertAddAnswer:
        """Register the certificate of a user."""

    @overload
    def __call__(self, operation: Literal["usercert.remove"], *, params: UseridParams) -> UsercertRemoveAnswer:
        """Remove the certificate of a user."""

    @overload
    def __call__(self, operation: Literal["auth.challenge"]) -> AuthChallengeAnswer:
        """Get a challenge for a login with a passkey."""

    @overload
    def __call__(self, operation: Literal["me.challenge"]) -> MeChallengeAnswer:
        """Get a challenge for an authenticator, within your session."""

    @overload
    def __call__(self, operation: Literal["me.passkey.register"], *, body: MePasskeyRegisterBody) -> MePasskeyRegisterAnswer:
        """Register a passkey of your own."""

    @overload
    def __call__(self, operation: Literal["me.passkey.rename"], *, params: PasskeyidParams, body: MePasskeyRenameBody) -> MePasskeyRenameAnswer:
        """Rename a passkey of your own."""

    @overload
    def __call__(self, operation: Literal["me.passkey.remove"], *, params: PasskeyidParams, body: Optional[MePasskeyRemoveBody] = None) -> MePasskeyRemoveAnswer:
        """Remove a passkey of your own."""

    @overload
    def __call__(self, operation: Literal["user.passkey.list"], *, params: UseridParams) -> UserPasskeyListAnswer:
        """List the passkeys of a user."""

    @overload
    def __call__(self, operation: Literal["user.passkey.remove"], *, params: UseridPasskeyidParams) -> UserPasskeyRemoveAnswer:
        """Take a passkey from a user."""

    @overload
    def __call__(self, operation: Literal["service.list"]) -> ServiceListAnswer:
        """List service accounts."""

    @overload
    def __call__(self, operation: Literal["service.create"], *, body: ServiceCreateBody) -> ServiceCreateAnswer:
        """Create a service account."""

    @overload
    def __call__(self, operation: Literal["service.read"], *, params: ServiceidParams) -> ServiceReadAnswer:
        """Read a service account."""

    @overload
    def __call__(self, operation: Literal["service.change"], *, params: ServiceidParams, body: Optional[ServiceChangeBody] = None) -> ServiceChangeAnswer:
        """Change a service account."""

    @overload
    def __call__(self, operation: Literal["service.remove"], *, params: ServiceidParams) -> ServiceRemoveAnswer:
        """Disable a service account and take all its credentials."""

    @overload
    def __call__(self, operation: Literal["service.credential.add"], *, params: ServiceidParams, body: ServiceCredentialAddBody) -> ServiceCredentialAddAnswer:
        """Add a credential to a service account."""

    @overload
    def __call__(self, operation: Literal["service.credential.remove"], *, params: ServiceidCredentialidParams) -> ServiceCredentialRemoveAnswer:
        """Remove a credential of a service account, and end its sessions."""

    @overload
    def __call__(self, operation: Literal["link.create"], *, body: LinkCreateBody) -> LinkCreateAnswer:
        """Make a one-time link."""

    @overload
    def __call__(self, operation: Literal["link.list"], *, query: Optional[LinkListQuery] = None) -> LinkListAnswer:
        """List your one-time links."""

    @overload
    def __call__(self, operation: Literal["link.open"], *, body: LinkOpenBody) -> LinkOpenAnswer:
        """Open a one-time link."""

    @overload
    def __call__(self, operation: Literal["link.revoke"], *, params: LinkidParams) -> LinkRevokeAnswer:
        """Revoke a one-time link of yours that waits to be opened."""

    @overload
    def __call__(self, operation: Literal["vault.create"], *, body: Optional[VaultCreateBody] = None) -> VaultCreateAnswer:
        """Create a vault."""

    @overload
    def __call__(self, operation: Literal["vault.list"]) -> VaultListAnswer:
        """List the vaults shared with the caller."""

    @overload
    def __call__(self, operation: Literal["vault.read"], *, params: VaultidParams) -> VaultReadAnswer:
        """Read a vault and what lies in it."""

    @overload
    def __call__(self, operation: Literal["vault.edit"], *, params: VaultidParams, body: Optional[VaultEditBody] = None) -> VaultEditAnswer:
        """Change name, password policy, description or history of a vault."""

    @overload
    def __call__(self, operation: Literal["vault.delete"], *, params: VaultidParams) -> VaultDeleteAnswer:
        """Delete an empty vault."""

    @overload
    def __call__(self, operation: Literal["vault.members"], *, params: VaultidParams) -> VaultMembersAnswer:
        """List the members of a vault."""

    @overload
    def __call__(self, operation: Literal["vault.member.add"], *, params: VaultidUseridParams, body: VaultMemberAddBody) -> VaultMemberAddAnswer:
        """Share a vault with a user, all of it or some of its keys."""

    @overload
    def __call__(self, operation: Literal["vault.member.change"], *, params: VaultidUseridParams, body: VaultMemberChangeBody) -> VaultMemberChangeAnswer:
        """Change the permission of a member, and its grants."""

    @overload
    def __call__(self, operation: Literal["vault.member.remove"], *, params: VaultidUseridParams) -> VaultMemberRemoveAnswer:
        """Stop sharing a vault with a user, or leave it."""

    @overload
    def __call__(self, operation: Literal["vault.member.confirm"], *, params: VaultidUseridParams, body: Optional[VaultMemberConfirmBody] = None) -> VaultMemberConfirmAnswer:
        """Confirm a member whose membership is on hold."""

    @overload
    def __call__(self, operation: Literal["utils.policies"]) -> UtilsPoliciesAnswer:
        """List the password policies."""

    @overload
    def __call__(self, operation: Literal["utils.pwgen"], *, query: Optional[UtilsPwgenQuery] = None) -> UtilsPwgenAnswer:
        """Generate a password."""

    @overload
    def __call__(self, operation: Literal["utils.statusvalues"]) -> UtilsStatusvaluesAnswer:
        """List the bits of status."""

    @overload
    def __call__(self, operation: Literal["utils.version"]) -> UtilsVersionAnswer:
        """Read the version of the appliance."""

    @overload
    def __call__(self, operation: Literal["utils.state"]) -> UtilsStateAnswer:
        """Read the state of the appliance."""

    @overload
    def __call__(self, operation: Literal["utils.mimetype"], *, body: UtilsMimetypeBody) -> UtilsMimetypeAnswer:
        """Detect the MIME type of a file."""

    @overload
    def __call__(self, operation: Literal["template.list"]) -> TemplateListAnswer:
        """List the templates."""

    @overload
    def __call__(self, operation: Literal["template.read"], *, params: TemplateidParams) -> TemplateReadAnswer:
        """Read a template."""

    @overload
    def __call__(self, operation: Literal["file.collect"], *, body: Optional[FileCollectBody] = None, file: Upload) -> FileCollectAnswer:
        """Identify the template of a file by its content."""

    @overload
    def __call__(self, operation: Literal["object.create"], *, body: ObjectCreateBody, file: Optional[Upload] = None) -> ObjectCreateAnswer:
        """Create an object."""

    @overload
    def __call__(self, operation: Literal["object.read"], *, params: ObjectidParams, query: Optional[ObjectReadQuery] = None) -> ObjectReadAnswer:
        """Read an object."""

    @overload
    def __call__(self, operation: Literal["object.edit"], *, params: ObjectidParams, body: Optional[ObjectEditBody] = None, file: Optional[Upload] = None) -> ObjectEditAnswer:
        """Edit an object."""

    @overload
    def __call__(self, operation: Literal["object.delete"], *, params: ObjectidParams, body: Optional[ObjectDeleteBody] = None) -> ObjectDeleteAnswer:
        """Delete an object."""

    @overload
    def __call__(self, operation: Literal["object.history"], *, params: ObjectidParams) -> ObjectHistoryAnswer:
        """List the earlier versions of an object."""

    @overload
    def __call__(self, operation: Literal["object.history.read"], *, params: ObjectidVersionParams, query: Optional[ObjectHistoryReadQuery] = None) -> ObjectHistoryReadAnswer:
        """Read an earlier version of an object."""

    @overload
    def __call__(self, operation: Literal["object.alarm"], *, params: ObjectidParams, body: ObjectAlarmBody) -> ObjectAlarmAnswer:
        """Set or clear the alarm of an object."""

    @overload
    def __call__(self, operation: Literal["object.undelete"], *, params: ObjectidParams) -> ObjectUndeleteAnswer:
        """Take a deleted object back."""

    @overload
    def __call__(self, operation: Literal["object.trash"], *, params: VaultidParams) -> ObjectTrashAnswer:
        """List the deleted objects of a vault."""

    @overload
    def __call__(self, operation: Literal["object.favourite"], *, params: ObjectidParams, body: ObjectFavouriteBody) -> ObjectFavouriteAnswer:
        """Make an object a favourite, or no longer."""

    @overload
    def __call__(self, operation: Literal["object.favourite.clear"], *, params: ObjectidParams) -> ObjectFavouriteClearAnswer:
        """Take an object off the favourites of the caller."""

    @overload
    def __call__(self, operation: Literal["object.favourites"]) -> ObjectFavouritesAnswer:
        """List the favourites of the caller."""

    @overload
    def __call__(self, operation: Literal["object.tags.set"], *, params: ObjectidParams, body: ObjectTagsSetBody) -> ObjectTagsSetAnswer:
        """Set the tags of the caller for an object."""

    @overload
    def __call__(self, operation: Literal["object.tags.clear"], *, params: ObjectidParams) -> ObjectTagsClearAnswer:
        """Take away the tags of the caller for an object."""

    @overload
    def __call__(self, operation: Literal["object.tags"]) -> ObjectTagsAnswer:
        """List the tags of the caller."""

    @overload
    def __call__(self, operation: Literal["object.move"], *, params: ObjectidParams, body: ObjectMoveBody) -> ObjectMoveAnswer:
        """Move an object with all that lies in it."""

    @overload
    def __call__(self, operation: Literal["object.copy"], *, params: ObjectidParams, body: ObjectCopyBody) -> ObjectCopyAnswer:
        """Copy an object with all that lies in it."""

    @overload
    def __call__(self, operation: Literal["object.find"], *, query: ObjectFindQuery) -> ObjectFindAnswer:
        """Find objects by their name and open fields."""

    @overload
    def __call__(self, operation: Literal["object.find.path"], *, params: NeedleParams) -> ObjectFindPathAnswer:
        """Find objects by their name and open fields."""

    @overload
    def __call__(self, operation: Literal["transparent.types"]) -> TransparentTypesAnswer:
        """List the key types and what this token can do of them."""

    @overload
    def __call__(self, operation: Literal["transparent.key.list"], *, params: VaultidParams, query: Optional[TransparentKeyListQuery] = None) -> TransparentKeyListAnswer:
        """List the keys of a vault."""

    @overload
    def __call__(self, operation: Literal["transparent.key.create"], *, params: VaultidNameParams, body: Optional[TransparentKeyCreateBody] = None) -> TransparentKeyCreateAnswer:
        """Create a key."""

    @overload
    def __call__(self, operation: Literal["transparent.key.read"], *, params: VaultidNameParams, query: Optional[TransparentKeyReadQuery] = None) -> TransparentKeyReadAnswer:
        """Read what is known of a key."""

    @overload
    def __call__(self, operation: Literal["transparent.key.update"], *, params: VaultidNameParams, body: Optional[TransparentKeyUpdateBody] = None) -> TransparentKeyUpdateAnswer:
        """Change flags and limits of a key."""

    @overload
    def __call__(self, operation: Literal["transparent.key.delete"], *, params: VaultidNameParams) -> TransparentKeyDeleteAnswer:
        """Delete a key; an Admin can take it back for a while."""

    @overload
    def __call__(self, operation: Literal["transparent.key.takeback"], *, params: VaultidNameParams) -> TransparentKeyTakebackAnswer:
        """Take a deleted key back."""

    @overload
    def __call__(self, operation: Literal["transparent.key.rotate"], *, params: VaultidNameParams) -> TransparentKeyRotateAnswer:
        """Give a key a new version."""

    @overload
    def __call__(self, operation: Literal["transparent.key.trim"], *, params: VaultidNameParams, body: TransparentKeyTrimBody) -> TransparentKeyTrimAnswer:
        """Destroy old versions of a key."""

    @overload
    def __call__(self, operation: Literal["transparent.key.version"], *, params: VaultidNameVersionParams, body: TransparentKeyVersionBody) -> TransparentKeyVersionAnswer:
        """Disable or enable one version of a key."""

    @overload
    def __call__(self, operation: Literal["transparent.settings"], *, params: VaultidParams, body: Optional[TransparentSettingsBody] = None) -> TransparentSettingsAnswer:
        """Set how the keys of a vault may be made and used."""

    @overload
    def __call__(self, operation: Literal["transparent.encrypt"], *, params: VaultidNameParams, body: Optional[TransparentEncryptBody] = None) -> TransparentEncryptAnswer:
        """Encrypt data with a named key."""

    @overload
    def __call__(self, operation: Literal["transparent.decrypt"], *, params: VaultidNameParams, body: Optional[TransparentDecryptBody] = None) -> TransparentDecryptAnswer:
        """Decrypt what a named key has encrypted."""

    @overload
    def __call__(self, operation: Literal["transparent.rewrap"], *, params: VaultidNameParams, body: Optional[TransparentRewrapBody] = None) -> TransparentRewrapAnswer:
        """Encrypt a ciphertext again under another version of its key."""

    @overload
    def __call__(self, operation: Literal["transparent.datakey"], *, params: VaultidNameTypeParams, body: Optional[TransparentDatakeyBody] = None) -> TransparentDatakeyAnswer:
        """Make a data key under a named key."""

    @overload
    def __call__(self, operation: Literal["transparent.sign"], *, params: VaultidNameParams, body: TransparentSignBody) -> TransparentSignAnswer:
        """Sign data with a named key."""

    @overload
    def __call__(self, operation: Literal["transparent.verify"], *, params: VaultidNameParams, body: TransparentVerifyBody) -> TransparentVerifyAnswer:
        """Verify a signature or an HMAC."""

    @overload
    def __call__(self, operation: Literal["transparent.hmac"], *, params: VaultidNameParams, body: TransparentHmacBody) -> TransparentHmacAnswer:
        """Make an HMAC with a named key."""

    @overload
    def __call__(self, operation: Literal["transparent.random"], *, body: Optional[TransparentRandomBody] = None) -> TransparentRandomAnswer:
        """Draw random bytes from the token."""

    @overload
    def __call__(self, operation: Literal["transparent.hash"], *, body: TransparentHashBody) -> TransparentHashAnswer:
        """Hash data."""

    @overload
    def __call__(self, operation: Literal["transparent.backup"], *, params: VaultidNameParams) -> TransparentBackupAnswer:
        """Back up a key."""

    @overload
    def __call__(self, operation: Literal["transparent.restore"], *, params: VaultidNameParams, body: TransparentRestoreBody) -> TransparentRestoreAnswer:
        """Restore a key with all its versions from its backup."""

    @overload
    def __call__(self, operation: Literal["transparent.export"], *, params: VaultidNameParams, query: Optional[TransparentExportQuery] = None) -> TransparentExportAnswer:
        """Export an exportable key."""

    @overload
    def __call__(self, operation: Literal["transparent.export.version"], *, params: VaultidNameVersionParams, query: Optional[TransparentExportVersionQuery] = None) -> TransparentExportVersionAnswer:
        """Export an exportable key."""

    @overload
    def __call__(self, operation: Literal["transparent.import.job"], *, params: VaultidNameParams, body: Optional[TransparentImportJobBody] = None) -> TransparentImportJobAnswer:
        """Prepare the import of a key that was made elsewhere."""

    @overload
    def __call__(self, operation: Literal["transparent.import"], *, params: VaultidNameParams, body: TransparentImportBody) -> TransparentImportAnswer:
        """Import a key that was made elsewhere."""

    @overload
    def __call__(self, operation: Literal["audit.list"], *, query: Optional[AuditListQuery] = None) -> AuditListAnswer:
        """Read records of the audit trail of this machine, newest first."""


class AsyncCall(Protocol):
    """The same of an AsyncClient."""

    @overload
    def __call__(self, operation: Literal["auth.login"], *, body: Optional[AuthLoginBody] = None) -> Coroutine[Any, Any, AuthLoginAnswer]:
        """Log in with pass phrase, application key and second factor, or as a service account."""

    @overload
    def __call__(self, operation: Literal["auth.logout"]) -> Coroutine[Any, Any, AuthLogoutAnswer]:
        """Log out."""

    @overload
    def __call__(self, operation: Literal["auth.check"]) -> Coroutine[Any, Any, AuthCheckAnswer]:
        """Check the session token and refresh its time-out."""

    @overload
    def __call__(self, operation: Literal["auth.check.get"]) -> Coroutine[Any, Any, AuthCheckGetAnswer]:
        """Check the session token and refresh its time-out."""

    @overload
    def __call__(self, operation: Literal["authinfo.logintypes"]) -> Coroutine[Any, Any, AuthinfoLogintypesAnswer]:
        """List the enabled login types."""

    @overload
    def __call__(self, operation: Literal["user.sessions"], *, params: UseridParams) -> Coroutine[Any, Any, UserSessionsAnswer]:
        """List the open sessions of a user."""

    @overload
    def __call__(self, operation: Literal["user.sessions.end"], *, params: UseridParams) -> Coroutine[Any, Any, UserSessionsEndAnswer]:
        """End all sessions of a user."""

    @overload
    def __call__(self, operation: Literal["user.session.end"], *, params: UseridSessionidParams) -> Coroutine[Any, Any, UserSessionEndAnswer]:
        """End one session of a user."""

    @overload
    def __call__(self, operation: Literal["auth.passphrase"], *, body: AuthPassphraseBody) -> Coroutine[Any, Any, AuthPassphraseAnswer]:
        """Change your own pass phrase."""

    @overload
    def __call__(self, operation: Literal["user.passphrase"], *, params: UseridParams, body: UserPassphraseBody) -> Coroutine[Any, Any, UserPassphraseAnswer]:
        """Give a user another pass phrase."""

    @overload
    def __call__(self, operation: Literal["user.otp.list"], *, params: UseridParams) -> Coroutine[Any, Any, UserOtpListAnswer]:
        """List the OTP devices of a user."""

    @overload
    def __call__(self, operation: Literal["user.otp.enrol"], *, params: UseridParams, body: UserOtpEnrolBody) -> Coroutine[Any, Any, UserOtpEnrolAnswer]:
        """Give a user an OTP device."""

    @overload
    def __call__(self, operation: Literal["user.otp.remove"], *, params: UseridDeviceidParams) -> Coroutine[Any, Any, UserOtpRemoveAnswer]:
        """Take an OTP device from a user."""

    @overload
    def __call__(self, operation: Literal["user.otp.resync"], *, params: UseridDeviceidParams, body: UserOtpResyncBody) -> Coroutine[Any, Any, UserOtpResyncAnswer]:
        """Resynchronise a HOTP token by two consecutive codes."""

    @overload
    def __call__(self, operation: Literal["user.list"], *, query: Optional[UserListQuery] = None) -> Coroutine[Any, Any, UserListAnswer]:
        """List users, or search for some."""

    @overload
    def __call__(self, operation: Literal["user.create"], *, body: UserCreateBody) -> Coroutine[Any, Any, UserCreateAnswer]:
        """Create a user."""

    @overload
    def __call__(self, operation: Literal["user.read"], *, params: UserReadParams) -> Coroutine[Any, Any, UserReadAnswer]:
        """Read a user by id, or search for some."""

    @overload
    def __call__(self, operation: Literal["user.edit"], *, params: UseridParams, body: Optional[UserEditBody] = None) -> Coroutine[Any, Any, UserEditAnswer]:
        """Edit a user."""

    @overload
    def __call__(self, operation: Literal["user.edit.post"], *, params: UseridParams, body: Optional[UserEditPostBody] = None) -> Coroutine[Any, Any, UserEditPostAnswer]:
        """Edit a user."""

    @overload
    def __call__(self, operation: Literal["user.disable"], *, params: UseridParams) -> Coroutine[Any, Any, UserDisableAnswer]:
        """Disable a user."""

    @overload
    def __call__(self, operation: Literal["me.read"]) -> Coroutine[Any, Any, MeReadAnswer]:
        """Read your own account."""

    @overload
    def __call__(self, operation: Literal["me.email"], *, body: MeEmailBody) -> Coroutine[Any, Any, MeEmailAnswer]:
        """Change your own e-mail address."""

    @overload
    def __call__(self, operation: Literal["me.sessions.end"]) -> Coroutine[Any, Any, MeSessionsEndAnswer]:
        """End all your other sessions."""

    @overload
    def __call__(self, operation: Literal["me.otp.begin"]) -> Coroutine[Any, Any, MeOtpBeginAnswer]:
        """Begin to enrol an authenticator app for yourself."""

    @overload
    def __call__(self, operation: Literal["me.otp.adopt"], *, body: MeOtpAdoptBody) -> Coroutine[Any, Any, MeOtpAdoptAnswer]:
        """Enrol a hardware token for yourself."""

    @overload
    def __call__(self, operation: Literal["me.otp.activate"], *, params: DeviceidParams, body: MeOtpActivateBody) -> Coroutine[Any, Any, MeOtpActivateAnswer]:
        """Finish the enrolment of your authenticator app."""

    @overload
    def __call__(self, operation: Literal["me.otp.remove"], *, params: DeviceidParams, body: Optional[MeOtpRemoveBody] = None) -> Coroutine[Any, Any, MeOtpRemoveAnswer]:
        """Remove an OTP device of your own."""

    @overload
    def __call__(self, operation: Literal["authinfo.smcuser"]) -> Coroutine[Any, Any, AuthinfoSmcuserAnswer]:
        """Tell whose smartcard the client presents."""

    @overload
    def __call__(self, operation: Literal["usercert.read"]) -> Coroutine[Any, Any, UsercertReadAnswer]:
        """Read the certificate of a user."""

    @overload
    def __call__(self, operation: Literal["usercert.readany"], *, params: UseridParams) -> Coroutine[Any, Any, UsercertReadanyAnswer]:
        """Read the certificate of a user."""

    @overload
    def __call__(self, operation: Literal["usercert.add"], *, params: UseridParams, body: Optional[UsercertAddBody] = None, file: Upload) -> Coroutine[Any, Any, UsercertAddAnswer]:
        """Register the certificate of a user."""

    @overload
    def __call__(self, operation: Literal["usercert.remove"], *, params: UseridParams) -> Coroutine[Any, Any, UsercertRemoveAnswer]:
        """Remove the certificate of a user."""

    @overload
    def __call__(self, operation: Literal["auth.challenge"]) -> Coroutine[Any, Any, AuthChallengeAnswer]:
        """Get a challenge for a login with a passkey."""

    @overload
    def __call__(self, operation: Literal["me.challenge"]) -> Coroutine[Any, Any, MeChallengeAnswer]:
        """Get a challenge for an authenticator, within your session."""

    @overload
    def __call__(self, operation: Literal["me.passkey.register"], *, body: MePasskeyRegisterBody) -> Coroutine[Any, Any, MePasskeyRegisterAnswer]:
        """Register a passkey of your own."""

    @overload
    def __call__(self, operation: Literal["me.passkey.rename"], *, params: PasskeyidParams, body: MePasskeyRenameBody) -> Coroutine[Any, Any, MePasskeyRenameAnswer]:
        """Rename a passkey of your own."""

    @overload
    def __call__(self, operation: Literal["me.passkey.remove"], *, params: PasskeyidParams, body: Optional[MePasskeyRemoveBody] = None) -> Coroutine[Any, Any, MePasskeyRemoveAnswer]:
        """Remove a passkey of your own."""

    @overload
    def __call__(self, operation: Literal["user.passkey.list"], *, params: UseridParams) -> Coroutine[Any, Any, UserPasskeyListAnswer]:
        """List the passkeys of a user."""

    @overload
    def __call__(self, operation: Literal["user.passkey.remove"], *, params: UseridPasskeyidParams) -> Coroutine[Any, Any, UserPasskeyRemoveAnswer]:
        """Take a passkey from a user."""

    @overload
    def __call__(self, operation: Literal["service.list"]) -> Coroutine[Any, Any, ServiceListAnswer]:
        """List service accounts."""

    @overload
    def __call__(self, operation: Literal["service.create"], *, body: ServiceCreateBody) -> Coroutine[Any, Any, ServiceCreateAnswer]:
        """Create a service account."""

    @overload
    def __call__(self, operation: Literal["service.read"], *, params: ServiceidParams) -> Coroutine[Any, Any, ServiceReadAnswer]:
        """Read a service account."""

    @overload
    def __call__(self, operation: Literal["service.change"], *, params: ServiceidParams, body: Optional[ServiceChangeBody] = None) -> Coroutine[Any, Any, ServiceChangeAnswer]:
        """Change a service account."""

    @overload
    def __call__(self, operation: Literal["service.remove"], *, params: ServiceidParams) -> Coroutine[Any, Any, ServiceRemoveAnswer]:
        """Disable a service account and take all its credentials."""

    @overload
    def __call__(self, operation: Literal["service.credential.add"], *, params: ServiceidParams, body: ServiceCredentialAddBody) -> Coroutine[Any, Any, ServiceCredentialAddAnswer]:
        """Add a credential to a service account."""

    @overload
    def __call__(self, operation: Literal["service.credential.remove"], *, params: ServiceidCredentialidParams) -> Coroutine[Any, Any, ServiceCredentialRemoveAnswer]:
        """Remove a credential of a service account, and end its sessions."""

    @overload
    def __call__(self, operation: Literal["link.create"], *, body: LinkCreateBody) -> Coroutine[Any, Any, LinkCreateAnswer]:
        """Make a one-time link."""

    @overload
    def __call__(self, operation: Literal["link.list"], *, query: Optional[LinkListQuery] = None) -> Coroutine[Any, Any, LinkListAnswer]:
        """List your one-time links."""

    @overload
    def __call__(self, operation: Literal["link.open"], *, body: LinkOpenBody) -> Coroutine[Any, Any, LinkOpenAnswer]:
        """Open a one-time link."""

    @overload
    def __call__(self, operation: Literal["link.revoke"], *, params: LinkidParams) -> Coroutine[Any, Any, LinkRevokeAnswer]:
        """Revoke a one-time link of yours that waits to be opened."""

    @overload
    def __call__(self, operation: Literal["vault.create"], *, body: Optional[VaultCreateBody] = None) -> Coroutine[Any, Any, VaultCreateAnswer]:
        """Create a vault."""

    @overload
    def __call__(self, operation: Literal["vault.list"]) -> Coroutine[Any, Any, VaultListAnswer]:
        """List the vaults shared with the caller."""

    @overload
    def __call__(self, operation: Literal["vault.read"], *, params: VaultidParams) -> Coroutine[Any, Any, VaultReadAnswer]:
        """Read a vault and what lies in it."""

    @overload
    def __call__(self, operation: Literal["vault.edit"], *, params: VaultidParams, body: Optional[VaultEditBody] = None) -> Coroutine[Any, Any, VaultEditAnswer]:
        """Change name, password policy, description or history of a vault."""

    @overload
    def __call__(self, operation: Literal["vault.delete"], *, params: VaultidParams) -> Coroutine[Any, Any, VaultDeleteAnswer]:
        """Delete an empty vault."""

    @overload
    def __call__(self, operation: Literal["vault.members"], *, params: VaultidParams) -> Coroutine[Any, Any, VaultMembersAnswer]:
        """List the members of a vault."""

    @overload
    def __call__(self, operation: Literal["vault.member.add"], *, params: VaultidUseridParams, body: VaultMemberAddBody) -> Coroutine[Any, Any, VaultMemberAddAnswer]:
        """Share a vault with a user, all of it or some of its keys."""

    @overload
    def __call__(self, operation: Literal["vault.member.change"], *, params: VaultidUseridParams, body: VaultMemberChangeBody) -> Coroutine[Any, Any, VaultMemberChangeAnswer]:
        """Change the permission of a member, and its grants."""

    @overload
    def __call__(self, operation: Literal["vault.member.remove"], *, params: VaultidUseridParams) -> Coroutine[Any, Any, VaultMemberRemoveAnswer]:
        """Stop sharing a vault with a user, or leave it."""

    @overload
    def __call__(self, operation: Literal["vault.member.confirm"], *, params: VaultidUseridParams, body: Optional[VaultMemberConfirmBody] = None) -> Coroutine[Any, Any, VaultMemberConfirmAnswer]:
        """Confirm a member whose membership is on hold."""

    @overload
    def __call__(self, operation: Literal["utils.policies"]) -> Coroutine[Any, Any, UtilsPoliciesAnswer]:
        """List the password policies."""

    @overload
    def __call__(self, operation: Literal["utils.pwgen"], *, query: Optional[UtilsPwgenQuery] = None) -> Coroutine[Any, Any, UtilsPwgenAnswer]:
        """Generate a password."""

    @overload
    def __call__(self, operation: Literal["utils.statusvalues"]) -> Coroutine[Any, Any, UtilsStatusvaluesAnswer]:
        """List the bits of status."""

    @overload
    def __call__(self, operation: Literal["utils.version"]) -> Coroutine[Any, Any, UtilsVersionAnswer]:
        """Read the version of the appliance."""

    @overload
    def __call__(self, operation: Literal["utils.state"]) -> Coroutine[Any, Any, UtilsStateAnswer]:
        """Read the state of the appliance."""

    @overload
    def __call__(self, operation: Literal["utils.mimetype"], *, body: UtilsMimetypeBody) -> Coroutine[Any, Any, UtilsMimetypeAnswer]:
        """Detect the MIME type of a file."""

    @overload
    def __call__(self, operation: Literal["template.list"]) -> Coroutine[Any, Any, TemplateListAnswer]:
        """List the templates."""

    @overload
    def __call__(self, operation: Literal["template.read"], *, params: TemplateidParams) -> Coroutine[Any, Any, TemplateReadAnswer]:
        """Read a template."""

    @overload
    def __call__(self, operation: Literal["file.collect"], *, body: Optional[FileCollectBody] = None, file: Upload) -> Coroutine[Any, Any, FileCollectAnswer]:
        """Identify the template of a file by its content."""

    @overload
    def __call__(self, operation: Literal["object.create"], *, body: ObjectCreateBody, file: Optional[Upload] = None) -> Coroutine[Any, Any, ObjectCreateAnswer]:
        """Create an object."""

    @overload
    def __call__(self, operation: Literal["object.read"], *, params: ObjectidParams, query: Optional[ObjectReadQuery] = None) -> Coroutine[Any, Any, ObjectReadAnswer]:
        """Read an object."""

    @overload
    def __call__(self, operation: Literal["object.edit"], *, params: ObjectidParams, body: Optional[ObjectEditBody] = None, file: Optional[Upload] = None) -> Coroutine[Any, Any, ObjectEditAnswer]:
        """Edit an object."""

    @overload
    def __call__(self, operation: Literal["object.delete"], *, params: ObjectidParams, body: Optional[ObjectDeleteBody] = None) -> Coroutine[Any, Any, ObjectDeleteAnswer]:
        """Delete an object."""

    @overload
    def __call__(self, operation: Literal["object.history"], *, params: ObjectidParams) -> Coroutine[Any, Any, ObjectHistoryAnswer]:
        """List the earlier versions of an object."""

    @overload
    def __call__(self, operation: Literal["object.history.read"], *, params: ObjectidVersionParams, query: Optional[ObjectHistoryReadQuery] = None) -> Coroutine[Any, Any, ObjectHistoryReadAnswer]:
        """Read an earlier version of an object."""

    @overload
    def __call__(self, operation: Literal["object.alarm"], *, params: ObjectidParams, body: ObjectAlarmBody) -> Coroutine[Any, Any, ObjectAlarmAnswer]:
        """Set or clear the alarm of an object."""

    @overload
    def __call__(self, operation: Literal["object.undelete"], *, params: ObjectidParams) -> Coroutine[Any, Any, ObjectUndeleteAnswer]:
        """Take a deleted object back."""

    @overload
    def __call__(self, operation: Literal["object.trash"], *, params: VaultidParams) -> Coroutine[Any, Any, ObjectTrashAnswer]:
        """List the deleted objects of a vault."""

    @overload
    def __call__(self, operation: Literal["object.favourite"], *, params: ObjectidParams, body: ObjectFavouriteBody) -> Coroutine[Any, Any, ObjectFavouriteAnswer]:
        """Make an object a favourite, or no longer."""

    @overload
    def __call__(self, operation: Literal["object.favourite.clear"], *, params: ObjectidParams) -> Coroutine[Any, Any, ObjectFavouriteClearAnswer]:
        """Take an object off the favourites of the caller."""

    @overload
    def __call__(self, operation: Literal["object.favourites"]) -> Coroutine[Any, Any, ObjectFavouritesAnswer]:
        """List the favourites of the caller."""

    @overload
    def __call__(self, operation: Literal["object.tags.set"], *, params: ObjectidParams, body: ObjectTagsSetBody) -> Coroutine[Any, Any, ObjectTagsSetAnswer]:
        """Set the tags of the caller for an object."""

    @overload
    def __call__(self, operation: Literal["object.tags.clear"], *, params: ObjectidParams) -> Coroutine[Any, Any, ObjectTagsClearAnswer]:
        """Take away the tags of the caller for an object."""

    @overload
    def __call__(self, operation: Literal["object.tags"]) -> Coroutine[Any, Any, ObjectTagsAnswer]:
        """List the tags of the caller."""

    @overload
    def __call__(self, operation: Literal["object.move"], *, params: ObjectidParams, body: ObjectMoveBody) -> Coroutine[Any, Any, ObjectMoveAnswer]:
        """Move an object with all that lies in it."""

    @overload
    def __call__(self, operation: Literal["object.copy"], *, params: ObjectidParams, body: ObjectCopyBody) -> Coroutine[Any, Any, ObjectCopyAnswer]:
        """Copy an object with all that lies in it."""

    @overload
    def __call__(self, operation: Literal["object.find"], *, query: ObjectFindQuery) -> Coroutine[Any, Any, ObjectFindAnswer]:
        """Find objects by their name and open fields."""

    @overload
    def __call__(self, operation: Literal["object.find.path"], *, params: NeedleParams) -> Coroutine[Any, Any, ObjectFindPathAnswer]:
        """Find objects by their name and open fields."""

    @overload
    def __call__(self, operation: Literal["transparent.types"]) -> Coroutine[Any, Any, TransparentTypesAnswer]:
        """List the key types and what this token can do of them."""

    @overload
    def __call__(self, operation: Literal["transparent.key.list"], *, params: VaultidParams, query: Optional[TransparentKeyListQuery] = None) -> Coroutine[Any, Any, TransparentKeyListAnswer]:
        """List the keys of a vault."""

    @overload
    def __call__(self, operation: Literal["transparent.key.create"], *, params: VaultidNameParams, body: Optional[TransparentKeyCreateBody] = None) -> Coroutine[Any, Any, TransparentKeyCreateAnswer]:
        """Create a key."""

    @overload
    def __call__(self, operation: Literal["transparent.key.read"], *, params: VaultidNameParams, query: Optional[TransparentKeyReadQuery] = None) -> Coroutine[Any, Any, TransparentKeyReadAnswer]:
        """Read what is known of a key."""

    @overload
    def __call__(self, operation: Literal["transparent.key.update"], *, params: VaultidNameParams, body: Optional[TransparentKeyUpdateBody] = None) -> Coroutine[Any, Any, TransparentKeyUpdateAnswer]:
        """Change flags and limits of a key."""

    @overload
    def __call__(self, operation: Literal["transparent.key.delete"], *, params: VaultidNameParams) -> Coroutine[Any, Any, TransparentKeyDeleteAnswer]:
        """Delete a key; an Admin can take it back for a while."""

    @overload
    def __call__(self, operation: Literal["transparent.key.takeback"], *, params: VaultidNameParams) -> Coroutine[Any, Any, TransparentKeyTakebackAnswer]:
        """Take a deleted key back."""

    @overload
    def __call__(self, operation: Literal["transparent.key.rotate"], *, params: VaultidNameParams) -> Coroutine[Any, Any, TransparentKeyRotateAnswer]:
        """Give a key a new version."""

    @overload
    def __call__(self, operation: Literal["transparent.key.trim"], *, params: VaultidNameParams, body: TransparentKeyTrimBody) -> Coroutine[Any, Any, TransparentKeyTrimAnswer]:
        """Destroy old versions of a key."""

    @overload
    def __call__(self, operation: Literal["transparent.key.version"], *, params: VaultidNameVersionParams, body: TransparentKeyVersionBody) -> Coroutine[Any, Any, TransparentKeyVersionAnswer]:
        """Disable or enable one version of a key."""

    @overload
    def __call__(self, operation: Literal["transparent.settings"], *, params: VaultidParams, body: Optional[TransparentSettingsBody] = None) -> Coroutine[Any, Any, TransparentSettingsAnswer]:
        """Set how the keys of a vault may be made and used."""

    @overload
    def __call__(self, operation: Literal["transparent.encrypt"], *, params: VaultidNameParams, body: Optional[TransparentEncryptBody] = None) -> Coroutine[Any, Any, TransparentEncryptAnswer]:
        """Encrypt data with a named key."""

    @overload
    def __call__(self, operation: Literal["transparent.decrypt"], *, params: VaultidNameParams, body: Optional[TransparentDecryptBody] = None) -> Coroutine[Any, Any, TransparentDecryptAnswer]:
        """Decrypt what a named key has encrypted."""

    @overload
    def __call__(self, operation: Literal["transparent.rewrap"], *, params: VaultidNameParams, body: Optional[TransparentRewrapBody] = None) -> Coroutine[Any, Any, TransparentRewrapAnswer]:
        """Encrypt a ciphertext again under another version of its key."""

    @overload
    def __call__(self, operation: Literal["transparent.datakey"], *, params: VaultidNameTypeParams, body: Optional[TransparentDatakeyBody] = None) -> Coroutine[Any, Any, TransparentDatakeyAnswer]:
        """Make a data key under a named key."""

    @overload
    def __call__(self, operation: Literal["transparent.sign"], *, params: VaultidNameParams, body: TransparentSignBody) -> Coroutine[Any, Any, TransparentSignAnswer]:
        """Sign data with a named key."""

    @overload
    def __call__(self, operation: Literal["transparent.verify"], *, params: VaultidNameParams, body: TransparentVerifyBody) -> Coroutine[Any, Any, TransparentVerifyAnswer]:
        """Verify a signature or an HMAC."""

    @overload
    def __call__(self, operation: Literal["transparent.hmac"], *, params: VaultidNameParams, body: TransparentHmacBody) -> Coroutine[Any, Any, TransparentHmacAnswer]:
        """Make an HMAC with a named key."""

    @overload
    def __call__(self, operation: Literal["transparent.random"], *, body: Optional[TransparentRandomBody] = None) -> Coroutine[Any, Any, TransparentRandomAnswer]:
        """Draw random bytes from the token."""

    @overload
    def __call__(self, operation: Literal["transparent.hash"], *, body: TransparentHashBody) -> Coroutine[Any, Any, TransparentHashAnswer]:
        """Hash data."""

    @overload
    def __call__(self, operation: Literal["transparent.backup"], *, params: VaultidNameParams) -> Coroutine[Any, Any, TransparentBackupAnswer]:
        """Back up a key."""

    @overload
    def __call__(self, operation: Literal["transparent.restore"], *, params: VaultidNameParams, body: TransparentRestoreBody) -> Coroutine[Any, Any, TransparentRestoreAnswer]:
        """Restore a key with all its versions from its backup."""

    @overload
    def __call__(self, operation: Literal["transparent.export"], *, params: VaultidNameParams, query: Optional[TransparentExportQuery] = None) -> Coroutine[Any, Any, TransparentExportAnswer]:
        """Export an exportable key."""

    @overload
    def __call__(self, operation: Literal["transparent.export.version"], *, params: VaultidNameVersionParams, query: Optional[TransparentExportVersionQuery] = None) -> Coroutine[Any, Any, TransparentExportVersionAnswer]:
        """Export an exportable key."""

    @overload
    def __call__(self, operation: Literal["transparent.import.job"], *, params: VaultidNameParams, body: Optional[TransparentImportJobBody] = None) -> Coroutine[Any, Any, TransparentImportJobAnswer]:
        """Prepare the import of a key that was made elsewhere."""

    @overload
    def __call__(self, operation: Literal["transparent.import"], *, params: VaultidNameParams, body: TransparentImportBody) -> Coroutine[Any, Any, TransparentImportAnswer]:
        """Import a key that was made elsewhere."""

    @overload
    def __call__(self, operation: Literal["audit.list"], *, query: Optional[AuditListQuery] = None) -> Coroutine[Any, Any, AuditListAnswer]:
        """Read records of the audit trail of this machine, newest first."""
