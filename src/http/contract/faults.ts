import type { FaultCode } from '../../fault.ts'

export interface FaultRow {
  readonly status: number
  /**
   * Key in ERRORCODES. Never reused: 12xx session and login, 13xx permission, 14xx vault, 15xx key and ciphertext, 16xx
   * object and template, 17xx user, 18xx request, 19xx appliance.
   */
  readonly number: number
  /** What ERRORCODES says, and ERRORS too where the fault carries no detail of its own. */
  readonly text: string
  /** The detail speaks of modules, sockets and codes of the token: callers hear the text alone, the journal all. */
  readonly discreet?: true
  /** The text stands in CALLINFO.general as well, where this interface has it. */
  readonly general?: true
}

/** The error catalogue of the interface. A fault code without a row does not compile. */
export const faultCatalogue: Readonly<Record<FaultCode, FaultRow>> = {
  'session.invalid': {
    status: 403,
    number: 1200,
    text: 'You are not logged in, or your session has ended: log in again.',
  },
  'session.not_found': { status: 404, number: 1205, text: 'The user has no such session open.' },
  'login.refused': {
    status: 403,
    number: 1201,
    text: 'The login failed: check user name, pass phrase, application key and second factor.',
  },
  'login.throttled': { status: 429, number: 1202, text: 'Too many failed logins: wait before you try again.' },
  'login.type_disabled': {
    status: 400,
    number: 1203,
    text: 'This login type is not enabled here: see /authinfo/logintypes.',
  },
  'login.busy': { status: 429, number: 1204, text: 'Too many logins at this moment: try again in a second.' },
  'access.capability': {
    status: 403,
    number: 1300,
    text: 'Your user lacks the capability that this call needs: ask an administrator.',
  },
  'access.permission': {
    status: 403,
    number: 1301,
    text: 'Your permission in this vault does not allow this call: ask one of its Admins.',
  },
  'access.resting': {
    status: 403,
    number: 1302,
    text: 'Your membership rests, because somebody else gave you a pass phrase or a second factor: another Admin of the vault confirms you, or the operator where there is none.',
  },
  'access.confirmation': {
    status: 403,
    number: 1303,
    text: 'Who gave the member a pass phrase or a second factor cannot confirm the member, nor can an Admin whom that one has appointed since: ask another Admin of the vault.',
  },
  'vault.not_found': { status: 404, number: 1400, text: 'There is no such vault, or it is not shared with you.' },
  'vault.policy_unknown': { status: 400, number: 1401, text: 'There is no such password policy: see /utils/policies.' },
  'vault.not_empty': {
    status: 409,
    number: 1402,
    text: 'Only an empty vault can be deleted: delete what is in it first.',
  },
  'vault.last_admin': {
    status: 409,
    number: 1403,
    text: 'A vault keeps an Admin who can log in: make another member Admin first.',
  },
  'vault.member_exists': {
    status: 409,
    number: 1404,
    text: 'The user is a member of this vault already: PUT changes the permission.',
  },
  'vault.member_unknown': { status: 404, number: 1405, text: 'The user is no member of this vault.' },
  'vault.has_admin': {
    status: 409,
    number: 1406,
    text: 'The vault has an Admin who can log in: ask that Admin.',
  },
  'vault.member_awake': { status: 409, number: 1407, text: 'The membership of this user does not rest.' },
  'vault.has_confirmer': {
    status: 409,
    number: 1408,
    text: 'The vault has an Admin who can confirm the member: ask that Admin.',
  },
  'key.not_found': { status: 404, number: 1500, text: 'There is no key of this name in the vault.' },
  'key.exists': { status: 409, number: 1501, text: 'The vault has a key of this name already.' },
  'key.type_unknown': { status: 400, number: 1502, text: 'This key type is not offered here.' },
  'key.version_unknown': { status: 400, number: 1503, text: 'The key has no such version.' },
  'key.exhausted': {
    status: 409,
    number: 1504,
    text: 'This key version has encrypted as often as is safe: rotate the key.',
  },
  'key.tampered': {
    status: 503,
    number: 1505,
    text: 'The record of this key is not as the appliance wrote it; the key is not used. Tell the operator.',
  },
  'ciphertext.malformed': { status: 400, number: 1506, text: 'This is not a ciphertext of this appliance.' },
  'ciphertext.invalid': {
    status: 400,
    number: 1507,
    text: 'The ciphertext was changed, or was made with another key.',
  },
  'key.wrong_type': { status: 400, number: 1508, text: 'Keys of this type do not serve this use.' },
  'key.version_disabled': { status: 409, number: 1509, text: 'This version of the key is disabled.' },
  'key.flag_off': { status: 409, number: 1510, text: 'What was turned off for this key cannot be turned on again.' },
  'key.residency': {
    status: 400,
    number: 1511,
    text: 'A key that resides in the token can be neither exported nor backed up.',
  },
  'key.delete_forbidden': {
    status: 409,
    number: 1512,
    text: 'This key was made so that it cannot be deleted (allow_delete).',
  },
  'key.export_forbidden': { status: 409, number: 1513, text: 'This key cannot be exported (allow_export).' },
  'key.backup_forbidden': { status: 409, number: 1514, text: 'This key cannot be backed up (allow_backup).' },
  'backup.invalid': {
    status: 400,
    number: 1515,
    text: 'The backup was changed, or comes from an appliance with other backup keys.',
  },
  'backup.foreign': { status: 403, number: 1519, text: 'This backup is of a vault where you are not an Admin.' },
  'import.invalid': { status: 400, number: 1516, text: 'The key to import could not be unwrapped by its job.' },
  'import.no_job': {
    status: 409,
    number: 1518,
    text: 'An import takes a job of its own, made for this key in the last 24 hours and not used yet: the call import_job makes one.',
  },
  'signature.malformed': { status: 400, number: 1517, text: 'This is not a signature of this appliance.' },
  'template.not_found': { status: 404, number: 1600, text: 'There is no such template: see /template.' },
  'template.exists': { status: 409, number: 1601, text: 'The id of the template is taken.' },
  'template.in_use': { status: 409, number: 1602, text: 'Objects are made of this template.' },
  'template.frozen': { status: 409, number: 1603, text: 'Stored values would not fit the new form of the template.' },
  'object.not_found': {
    status: 404,
    number: 1610,
    text: 'There is no such object, or its vault is not shared with you.',
  },
  'object.invalid': { status: 400, number: 1611, text: 'The object cannot be saved like this.' },
  'object.parent_unknown': {
    status: 400,
    number: 1612,
    text: 'The parent is no object of this vault: send parentid 0 for the root of the vault.',
  },
  'object.not_empty': { status: 409, number: 1613, text: 'Other objects lie in this one: delete them first.' },
  'object.tampered': {
    status: 503,
    number: 1614,
    text: 'Something of this object is not as the appliance wrote it, and is not handed out. Tell the operator.',
  },
  'object.key_exhausted': {
    status: 409,
    number: 1615,
    text: 'The data key of this vault has encrypted as often as is safe: make a new vault.',
  },
  'object.no_file': { status: 400, number: 1616, text: 'This object holds no file.' },
  'object.busy': {
    status: 429,
    number: 1617,
    text: 'Too many large files are under way at this moment: try again soon.',
  },
  'passphrase.refused': {
    status: 400,
    number: 1730,
    text: 'This pass phrase is not good enough: take a longer one that nobody would guess.',
  },
  'user.not_found': { status: 404, number: 1700, text: 'There is no such user.' },
  'user.exists': { status: 409, number: 1701, text: 'The user name is taken.' },
  'user.invalid': { status: 400, number: 1702, text: 'The user cannot be saved like this.' },
  'otp.device_exists': { status: 409, number: 1703, text: 'This hardware token is registered already.' },
  'otp.device_limit': { status: 409, number: 1704, text: 'The user holds as many hardware tokens as are allowed.' },
  'otp.device_invalid': { status: 400, number: 1705, text: 'The hardware token cannot be registered like this.' },
  'apikey.not_found': { status: 404, number: 1706, text: 'There is no such application key.' },
  'otp.device_not_found': { status: 404, number: 1720, text: 'The user has no such OTP device.' },
  'otp.resync_failed': {
    status: 400,
    number: 1721,
    text: 'These are not two codes that the token gave one after the other, not long after its last login: read two fresh ones.',
  },
  'certificate.not_found': {
    status: 401,
    number: 1740,
    text: 'No valid certificate of an active user was found: present the registered one.',
    general: true,
  },
  'certificate.invalid': {
    status: 400,
    number: 1741,
    text: 'This certificate cannot be registered.',
  },
  'certificate.taken': { status: 409, number: 1742, text: 'This certificate is registered to another user.' },
  'certificate.none': { status: 404, number: 1743, text: 'The user has no certificate.' },
  'certificate.forwarded': {
    status: 403,
    number: 1744,
    text: 'A header of this call forwards a client certificate, which only the proxies in smartcard.proxies may do.',
  },
  'request.not_json': { status: 400, number: 1800, text: 'The body must be one JSON object.' },
  'request.not_found': { status: 404, number: 1801, text: 'There is no such address in this interface.' },
  'request.method': {
    status: 405,
    number: 1802,
    text: 'This address does not take this method: see the Allow header.',
  },
  'request.too_large': { status: 413, number: 1803, text: 'The body is larger than this appliance accepts.' },
  'request.invalid': { status: 400, number: 1804, text: 'The call is not as the interface asks for it.' },
  'request.expect': { status: 417, number: 1805, text: 'The header Expect is not supported: send the body at once.' },
  'request.length_required': {
    status: 411,
    number: 1806,
    text: 'Chunked transfer encoding is not accepted: send Content-Length, or let the operator turn on http.acceptChunked.',
  },
  'request.timeout': { status: 408, number: 1807, text: 'The request did not arrive in time.' },
  'request.encoding': {
    status: 415,
    number: 1808,
    text: 'This Content-Encoding is not supported: send the body as it is.',
  },
  'request.header_too_large': {
    status: 431,
    number: 1809,
    text: 'The headers are larger than this appliance accepts.',
  },
  'request.uri_too_long': { status: 414, number: 1810, text: 'The address is longer than this appliance accepts.' },
  'request.plain_http': { status: 400, number: 1811, text: 'This port speaks HTTPS only.' },
  'request.not_form': {
    status: 400,
    number: 1812,
    text: 'This call takes a file: send multipart/form-data with one file part.',
  },
  'request.quota': {
    status: 429,
    number: 1820,
    text: 'You ask for more calls of this kind than one user is granted: try again later.',
  },
  'request.too_many': {
    status: 429,
    number: 1813,
    text: 'Too many calls without a session came from this address: wait before you try again.',
  },
  'hsm.unavailable': {
    status: 503,
    number: 1900,
    text: 'The hardware security module does not answer: try again, and tell the operator if it lasts.',
    discreet: true,
  },
  'hsm.sealed': {
    status: 503,
    number: 1901,
    text: 'The hardware security module refused its PIN: the operator must put it right.',
    discreet: true,
  },
  'hsm.rejected': { status: 400, number: 1902, text: 'The hardware security module could not work with this data.' },
  'hsm.seal_broken': {
    status: 503,
    number: 1903,
    text: 'A record is not as the appliance wrote it and is not used. Tell the operator.',
  },
  'hsm.outdated': { status: 503, number: 1911, text: 'A record is older than one that was here before.' },
  'hsm.unsupported': { status: 400, number: 1904, text: 'The hardware security module does not offer this.' },
  'store.unavailable': {
    status: 503,
    number: 1905,
    text: 'The database cannot be used: try again, and tell the operator if it lasts.',
  },
  'store.conflict': {
    status: 409,
    number: 1906,
    text: 'Somebody else changed the same thing at this moment: look again.',
  },
  'audit.unavailable': {
    status: 503,
    number: 1907,
    text: 'The call cannot be recorded, so it is refused. Tell the operator.',
  },
  'appliance.stopping': { status: 503, number: 1908, text: 'The appliance is stopping: try again in a moment.' },
  'appliance.busy': {
    status: 503,
    number: 1910,
    text: 'The appliance has more calls on the way in than it can hold: try again in a moment.',
  },
  internal: {
    status: 500,
    number: 1909,
    text: 'Something went wrong inside the appliance; the operator finds the cause in its journal.',
  },
}

/** Goes with every failure (spec: Errors): "a generic code 2000 reads that error messages exist". */
export const genericNumber = 2000
export const genericText = 'Error messages exist, see ERRORS.'
