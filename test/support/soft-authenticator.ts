import { createHash, generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto'
import { jwkOf } from './jwk.ts'

export const passkeyHost = 'console.example'
const passkeyOrigin = `https://${passkeyHost}`
/** Settings of an appliance that accepts passkeys. */
export const withPasskeys = {
  login: { types: ['totp', 'hwkey_otp', 'webauthn'], webauthn: { rpId: passkeyHost, origins: [passkeyOrigin] } },
} as const

/** Defects in an answer of the authenticator. */
export interface AnswerEdits {
  readonly type?: string
  readonly origin?: string
  readonly rpId?: string
  readonly flags?: number
  readonly signCount?: number
  readonly clientData?: Readonly<Record<string, unknown>>
  readonly behind?: Buffer
  readonly signature?: Buffer
}

/** The attestation of an authenticator at registration. */
export interface SaidMake {
  /**
   * Attestation certificates (DER), its own first. Without any the passkey signs the statement itself (self
   * attestation).
   */
  readonly certificates?: readonly Buffer[]
  /** Private key of the first certificate. Default: the passkey. */
  readonly key?: KeyObject
  readonly aaguid?: string
}

export interface ShownAnswer {
  readonly id: string
  readonly response: {
    readonly clientDataJSON: string
    readonly authenticatorData: string
    readonly signature: string
  }
}

const userPresentAndVerified = 0x05
const attestedData = 0x40

/** A software authenticator with one passkey, as browsers use it (WebAuthn §6). */
export class SoftAuthenticator {
  readonly credentialId = randomBytes(32)
  readonly publicKey: KeyObject
  readonly #privateKey: KeyObject
  /** Undefined for an authenticator without a counter. */
  #signCount: number | undefined

  constructor({ counts = true, type = 'P-256' }: { counts?: boolean; type?: 'P-256' | 'Ed25519' | 'RSA' } = {}) {
    const pair =
      type === 'RSA'
        ? generateKeyPairSync('rsa', { modulusLength: 2_048 })
        : type === 'Ed25519'
          ? generateKeyPairSync('ed25519')
          : generateKeyPairSync('ec', { namedCurve: 'P-256' })
    this.#privateKey = pair.privateKey
    this.publicKey = pair.publicKey
    this.#signCount = counts ? 0 : undefined
  }

  get id(): string {
    return this.credentialId.toString('base64url')
  }

  /** The answer to `navigator.credentials.create`, without attestation unless `make` is given. */
  register(challenge: string, edits: AnswerEdits = {}, make?: SaidMake) {
    const key = this.#coseKey()
    const length = Buffer.alloc(2)
    length.writeUInt16BE(this.credentialId.length)
    const aaguid = Buffer.from((make?.aaguid ?? '').replaceAll('-', '').padEnd(32, '0'), 'hex')
    const attested = Buffer.concat([aaguid, length, this.credentialId, key])
    const data = authenticatorData(
      { flags: userPresentAndVerified | attestedData, signCount: this.#signCount ?? 0, ...edits },
      attested,
    )
    const clientData = clientDataOf(challenge, { type: 'webauthn.create', ...edits })
    const attestation = Buffer.concat([
      mapOf(3),
      text('fmt'),
      text(make === undefined ? 'none' : 'packed'),
      text('attStmt'),
      make === undefined ? mapOf(0) : this.#statement(make, data, clientData),
      text('authData'),
      bytes(data),
    ])
    return {
      id: this.id,
      response: {
        clientDataJSON: clientData.toString('base64url'),
        attestationObject: attestation.toString('base64url'),
      },
    }
  }

  /** The answer to `navigator.credentials.get`. */
  answer(challenge: string, edits: AnswerEdits = {}): ShownAnswer {
    if (this.#signCount !== undefined) this.#signCount += 1
    const clientData = clientDataOf(challenge, { type: 'webauthn.get', ...edits })
    const data = authenticatorData(
      { flags: userPresentAndVerified, signCount: this.#signCount ?? 0, ...edits },
      edits.behind,
    )
    const signed = Buffer.concat([data, createHash('sha256').update(clientData).digest()])
    const algorithm = this.publicKey.asymmetricKeyType === 'ed25519' ? null : 'sha256'
    const signature = edits.signature ?? sign(algorithm, signed, this.#privateKey)
    return {
      id: this.id,
      response: {
        clientDataJSON: clientData.toString('base64url'),
        authenticatorData: data.toString('base64url'),
        signature: signature.toString('base64url'),
      },
    }
  }

  /** The packed attestation statement (WebAuthn §8.2). */
  #statement({ certificates = [], key = this.#privateKey }: SaidMake, data: Buffer, clientData: Buffer): Buffer {
    const signature = sign('sha256', Buffer.concat([data, createHash('sha256').update(clientData).digest()]), key)
    const members = [text('alg'), small(-7), text('sig'), bytes(signature)]
    if (certificates.length === 0) return Buffer.concat([mapOf(2), ...members])
    return Buffer.concat([mapOf(3), ...members, text('x5c'), head(4, certificates.length), ...certificates.map(bytes)])
  }

  /** The public key as a COSE_Key (RFC 9053 §7). */
  #coseKey(): Buffer {
    const { kty, x = '', y = '', n = '', e = '' } = jwkOf(this.publicKey)
    const part = (value: string) => bytes(Buffer.from(value, 'base64url'))
    if (kty === 'OKP')
      return Buffer.concat([mapOf(4), small(1), small(1), small(3), small(-8), small(-1), small(6), small(-2), part(x)])
    const rs256 = Buffer.from([0x39, 0x01, 0x00])
    if (kty === 'RSA')
      return Buffer.concat([mapOf(4), small(1), small(3), small(3), rs256, small(-1), part(n), small(-2), part(e)])
    const type = [mapOf(5), small(1), small(2), small(3), small(-7), small(-1), small(1)]
    return Buffer.concat(type.concat(small(-2), part(x), small(-3), part(y)))
  }
}

function clientDataOf(
  challenge: string,
  { type, origin = passkeyOrigin, clientData = {} }: AnswerEdits & { readonly type: string },
): Buffer {
  return Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false, ...clientData }))
}

function authenticatorData(
  { rpId = passkeyHost, flags = 0, signCount = 0 }: AnswerEdits,
  behind: Buffer = Buffer.alloc(0),
): Buffer {
  const count = Buffer.alloc(4)
  count.writeUInt32BE(signCount)
  return Buffer.concat([createHash('sha256').update(rpId).digest(), Buffer.from([flags]), count, behind])
}

// CBOR (RFC 8949), as far as attestation objects need it.

const head = (major: number, length: number): Buffer =>
  length < 24
    ? Buffer.from([(major << 5) | length])
    : length < 256
      ? Buffer.from([(major << 5) | 24, length])
      : Buffer.from([(major << 5) | 25, length >> 8, length & 0xff])
const mapOf = (members: number): Buffer => head(5, members)
const small = (value: number): Buffer => (value < 0 ? head(1, -1 - value) : head(0, value))
const text = (value: string): Buffer => Buffer.concat([head(3, value.length), Buffer.from(value)])
const bytes = (value: Buffer): Buffer => Buffer.concat([head(2, value.length), value])
