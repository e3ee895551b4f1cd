import type { KeyKind } from './key-kind.ts'

// The texts of which the token's pepper makes an HMAC. Each begins with words of its own, so that none is also another.

/** What a seed is used for: part of its check. The number of digits is not, because six of them are the end of eight. */
export interface SeedUse {
  readonly kind: 'totp' | 'hotp'
  readonly keyKind: KeyKind
  readonly periodSeconds: number | null
}

const text = (words: string, ...parts: readonly (Uint8Array | string)[]): Buffer =>
  Buffer.concat([words, '\0', ...parts].map((part) => (typeof part === 'string' ? Buffer.from(part) : part)))

/** Checks of releases before the keeper made them; they have no nonce, and are renewed at the next login. */
export const earlierPassphraseText = (hash: Uint8Array): Buffer => text('passphrase', hash)
export const passphraseText = (nonce: Uint8Array, hash: Uint8Array): Buffer => text('passphrase check', nonce, hash)
export const applicationKeyText = (key: Uint8Array): Buffer => text('application key', key)
export const seedCheckText = ({ kind, keyKind, periodSeconds }: SeedUse, seed: Uint8Array): Buffer =>
  text('otp seed', `${kind}\0${keyKind}\0${periodSeconds}\0`, seed)
export const privateIdText = (privateId: Uint8Array): Buffer => text('yubico private id', privateId)
export const successorText = (token: string): Buffer => text('next session token', token)
/** Stands for work that is done for nothing, so that its duration tells nothing. */
export const paddingText = text('padding')

/** Bytes of a check: a nonce of its own, and the HMAC over it and the hash of the pass phrase. */
export const passphraseNonceBytes = 16
export const pepperedBytes = 32
export const passphraseCheckBytes = passphraseNonceBytes + pepperedBytes
