import { isSchema } from '../../../src/http/contract/openapi-schemas.ts'

/**
 * A call and its answer for the document. Values that differ between runs are replaced by fixed ones of the same form,
 * and long lists and texts are cut, so that two runs of a call look the same.
 */
export function documented(value: unknown, name = ''): unknown {
  if (Array.isArray(value)) return value.slice(0, mostItems).map((one) => documented(one, name))
  if (isSchema(value))
    return Object.fromEntries(Object.entries(value).map(([member, one]) => [member, documentedMember(member, one)]))
  if (typeof value === 'number') return ids.has(name) ? 17 : value
  return typeof value === 'string' ? documentedText(name, value) : value
}

/** Items of a list to show. */
const mostItems = 2

function documentedMember(member: string, value: unknown): unknown {
  if (member === 'HEADERS' && isSchema(value)) {
    const kept = Object.entries(value).filter(([header]) => header === 'content-type')
    return Object.fromEntries(kept.map(([header, text]) => [header, String(text).replace(/boundary=.*/, 'boundary=…')]))
  }
  if (member === 'STRUCTURE' && isSchema(value))
    return documented(Object.fromEntries(Object.entries(value).slice(0, mostItems)))
  return documented(value, member)
}

/** Members with an id. Those of templates and policies are the same everywhere. */
const ids = new Set([
  'id',
  'objectid',
  'groupid',
  'parentid',
  'userid',
  'vaultid',
  'deviceid',
  'serviceid',
  'passkeyid',
  'sessionid',
  'seq',
  'by',
  'passphrase_by',
])

/** Members whose value differs between runs, with replacements. */
const fixed: Readonly<Record<string, string>> = {
  token: 'c2Vzc2lvbi10b2tlbi1vZi00Mi1jaGFyYWN0ZXJz00',
  apikey: 'f3K9mQ2xT7bWn5Rz8LpV4cY6',
  keys: 'correct horse battery staplef3K9mQ2xT7bWn5Rz8LpV4cY6287082',
  otp: '287082',
  otp1: '755224',
  otp2: '287082',
  passphrase: 'correct horse battery staple',
  secret: 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP',
  private_id: '8792ebfe26cc',
  uri: 'otpauth://totp/Strongroom:alice?secret=JBSWY3DPEHPK3PXP&issuer=Strongroom',
  otpauth: 'otpauth://totp/Strongroom:alice?secret=JBSWY3DPEHPK3PXP&issuer=Strongroom',
  qr: '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 45 45">…</svg>',
  fingerprint: '0F4C3A1B9D8E7F60514233241506978899AABBCC',
  job: 'b1f3c0e4a5d64d0e9c3a7f2b8e6d1c90',
  statement: '{"job":"…","type":"aes256-gcm96"}',
  requestid: '3f0c2a6e-5b1d-4c8e-9a37-61d2f4b80c55',
  chain: 'worker-1',
  address: '192.0.2.10',
  machine: 'vault-a',
  challenge: 'V2hhdCBhbiBhdXRoZW50aWNhdG9yIHNpZ25zIG92ZXIsIHdoaWNoIHRoZSBrZWVwZXIgaXNzdWVz',
  credential: 'SWQgYnkgd2hpY2ggYW4gYXV0aGVudGljYXRvciBrbm93cw',
  userhandle: 'V2hhdCBhdXRoZW50aWNhdG9ycyBrbm93IGEgdXNlciBieQ',
  clientDataJSON: 'eyJ0eXBlIjoid2ViYXV0aG4uY3JlYXRlIiwiY2hhbGxlbmdlIjoi4oCmIn0',
  attestationObject: 'o2NmbXRkbm9uZWdhdHRTdG10oGhhdXRoRGF0YVik',
  next: 'W10',
  opener: 'bGluay1vcGVuZXItMDAwMQ',
}

const texts: readonly (readonly [RegExp, string | ((found: string) => string)])[] = [
  [/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/, '2026-10-01T14:30:00.000Z'],
  [/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/, '2026-10-01 14:30:00'],
  [
    /^-----BEGIN ([A-Z ]+)-----/,
    (text) => `${text.split('\n', 1)[0] ?? ''}\n…\n${text.trim().split('\n').at(-1) ?? ''}\n`,
  ],
  [
    /^service:v\d+:/,
    (text) => `${text.slice(0, text.lastIndexOf(':') + 1)}${sampleOf(text.slice(text.lastIndexOf(':') + 1))}`,
  ],
  [
    /^[0-9a-f]{32,}$/,
    (text) =>
      'b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9'.repeat(2).slice(0, Math.min(text.length, 128)),
  ],
  [/^(?=.{20,})[A-Za-z0-9+/]+={0,2}$/, (text) => (isReadable(text) ? text : sampleOf(text))],
  [/user-\d+-[0-9a-f]{6}@example\.test/, 'alice@example.com'],
  [/user-\d+-[0-9a-f]{6}/, 'alice'],
  [/^\d+\.\d+\.\d+\b.+/s, '0.3.0-build0001'],
  // The code of an authenticator app: the first one of RFC 4226, appendix D.
  [/^\d{6}$/, '755224'],
  [/expires on \d{4}-\d\d-\d\dT\d\d:\d\d, in \d+ days/, 'expires on 2026-10-31T14:30, in 30 days'],
  [/^[0-9a-f]{16}$/, '57da6513966dadd3'],
  [/^service-\d+-[0-9a-z]+$/, 'mail-form'],
  [/^User \d+$/, 'Alice Example'],
  [/^key-[0-9a-f]{12}$|^known$/, 'orders'],
  [/^[cbdefghijklnrtuv]{12}$/, 'cccccccfhcbe'],
]

/** Whether a test wrote the text itself, so that it is the same each time. */
const isReadable = (text: string): boolean => /^[ -~]+$/.test(Buffer.from(text, 'base64').toString('latin1'))

/** Base64 of the same number of bytes, at most 48. */
function sampleOf(text: string): string {
  const bytes = Math.min(Buffer.from(text, 'base64').length, 48)
  return Buffer.from('What stands here differs for each call. 0123456789').subarray(0, bytes).toString('base64')
}

function documentedText(name: string, text: string): string {
  if (ids.has(name) && /^[1-9]\d*$/.test(text)) return '17'
  if ((name === 'id' || name === 'passkeys') && /^[\w-]{43}$/.test(text)) return fixed['credential'] ?? ''
  const standing = fixed[name]
  if (standing !== undefined && text !== '') return standing
  const [pattern, change] = texts.find(([form]) => form.test(text)) ?? []
  if (pattern === undefined || change === undefined) return text
  return typeof change === 'string' ? text.replace(pattern, change) : change(text)
}
