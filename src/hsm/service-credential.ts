import { isStarPattern } from '../access/star-pattern.ts'
import { decodeBase64 } from '../encoding/base64.ts'
import { readPublicJwk } from './public-jwk.ts'

/**
 * The kinds of credentials of service accounts. Each function parses the fields of its kind, which the seal of the
 * account covers, and throws TypeError for anything else.
 */
const credentialKinds = {
  /** The certificate with this fingerprint. */
  certificate: ({ sha256 }: Raw) => ({ sha256: matching(sha256, /^[0-9a-f]{64}$/) }),
  /** Any certificate of this CA with a subject alternative name that matches the pattern. */
  ca: ({ certificate, san }: Raw) => ({ certificate: base64(certificate, 6_144), san: sanIn(san) }),
  /**
   * The public key of an application that signs assertions (RFC 7523). `kid`: the name that the assertions must give
   * it, or null.
   */
  jwt: ({ publicKey, kid }) => ({ publicKey: readPublicJwk(publicKey), kid: kid === null ? null : keyId(kid) }),
  /** JWTs of a configured issuer whose claims match all of these patterns. */
  federated: ({ issuer, claims }) => ({ issuer: matching(issuer, /^[\x21-\x7e]{1,512}$/), claims: claimsIn(claims) }),
  /** A static key, of which only a check value is stored, as for an application key (`peppered-text.ts`). */
  static: ({ check }: Raw) => ({ check: base64(check, 64) }),
} as const satisfies Readonly<Record<string, (raw: Raw) => object>>

/** The kinds of subject alternative names by which a certificate may identify an application (RFC 5280 §4.2.1.6). */
export const sanTypes = ['dns', 'uri', 'email'] as const
export interface SanPattern {
  readonly type: (typeof sanTypes)[number]
  readonly pattern: string
}

type Kinds = typeof credentialKinds
export type CredentialKind = keyof Kinds
type KindFields = { readonly [K in CredentialKind]: { readonly kind: K } & Readonly<ReturnType<Kinds[K]>> }

interface CredentialBase {
  /** 16 hexadecimal digits; no two credentials of an account have the same one. */
  readonly id: string
  readonly name: string
  readonly addedAt: number
  /** From then on it is refused; null: never. */
  readonly expiresAt: number | null
}

/** A credential of one kind, or of any. */
export type CredentialOf<K extends CredentialKind> = CredentialBase & KindFields[K]
export type ServiceCredential = { [K in CredentialKind]: CredentialOf<K> }[CredentialKind]

export type Raw = Readonly<Record<string, unknown>>

const isKind = (kind: unknown): kind is CredentialKind =>
  typeof kind === 'string' && Object.hasOwn(credentialKinds, kind)

/** Parses a credential into members in the order in which the seal covers them. @throws TypeError */
export function readCredential(raw: unknown): ServiceCredential {
  const found = objectIn(raw)
  const { id, kind, name, addedAt, expiresAt } = found
  if (!isKind(kind)) throw new TypeError(`there is no credential of the kind ${String(kind)}`)
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the fields are those of the kind
  return {
    id: matching(id, /^[0-9a-f]{16}$/),
    kind,
    name: matching(name, /^[\w. -]{1,64}$/),
    addedAt: time(addedAt),
    expiresAt: expiresAt === null ? null : time(expiresAt),
    ...credentialKinds[kind](found),
  } as ServiceCredential
}

export function objectIn(raw: unknown): Raw {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) throw new TypeError('no object')
  return { ...raw }
}

export function matching(value: unknown, form: RegExp): string {
  if (typeof value !== 'string' || !form.test(value)) throw new TypeError('a text that is not of its form')
  return value
}

export function time(value: unknown): number {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0) throw new TypeError('no time')
  return value
}

function base64(value: unknown, most: number): string {
  const bytes = typeof value === 'string' ? decodeBase64(value) : undefined
  if (bytes === undefined || bytes.length === 0 || bytes.length > most) throw new TypeError('no base64')
  return bytes.toString('base64')
}

function sanIn(raw: unknown): SanPattern {
  const { type, pattern } = objectIn(raw)
  const known = sanTypes.find((one) => one === type)
  if (known === undefined || typeof pattern !== 'string' || !isStarPattern(pattern)) throw new TypeError('no pattern')
  return { type: known, pattern }
}

/** Printable ASCII, which the audit trail and terminals show unchanged. @throws TypeError */
const keyId = (raw: unknown): string => matching(raw, /^[\x20-\x7e]{1,256}$/)

const mostClaims = 16

/**
 * The patterns, sorted by the name of the claim. A credential that every JWT of the issuer matches is refused: it would
 * admit all applications of that issuer. @throws TypeError
 */
function claimsIn(raw: unknown): Readonly<Record<string, string>> {
  const claims = Object.entries(objectIn(raw)).toSorted(([one], [other]) => (one < other ? -1 : 1))
  if (claims.length > mostClaims) throw new TypeError('too many claims')
  const patterns = claims.map(([name, pattern]): [string, string] => {
    if (typeof pattern !== 'string' || !isStarPattern(pattern)) throw new TypeError('no pattern')
    return [matching(name, /^[\w./:@-]{1,128}$/), pattern]
  })
  if (patterns.every(([, pattern]) => /^\*+$/.test(pattern))) throw new TypeError('claims that all JWTs fit')
  return Object.fromEntries(patterns)
}
