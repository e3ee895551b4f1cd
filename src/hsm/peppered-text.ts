import type { KeyKind } from './key-kind.ts'

// The texts of which the token's pepper makes an HMAC. Each begins with words of its own, so that no text can be taken
// for another.

/**
 * The use of a seed, which is part of its check value. The number of digits is not, because six digits are the end of
 * eight.
 */
export interface SeedUse {
  readonly kind: 'totp' | 'hotp'
  readonly keyKind: KeyKind
  readonly periodSeconds: number | null
}

const text = (words: string, ...parts: readonly (Uint8Array | string)[]): Buffer =>
  Buffer.concat([words, '\0', ...parts].map((part) => (typeof part === 'string' ? Buffer.from(part) : part)))

/** Checks of releases before the keeper; they have no nonce, and are renewed at the next login. */
export const earlierPassphraseText = (hash: Uint8Array): Buffer => text('passphrase', hash)
/** @param nonce 16 bytes @param hash 32 bytes of Argon2id */
export const passphraseText = (nonce: Uint8Array, hash: Uint8Array): Buffer => text('passphrase check', nonce, hash)
/** @param key the text of an application key, or of a static key, in UTF-8 */
export const applicationKeyText = (key: Uint8Array): Buffer => text('application key', key)
/** @param seed 16 to 64 bytes */
export const seedCheckText = ({ kind, keyKind, periodSeconds }: SeedUse, seed: Uint8Array): Buffer =>
  text('otp seed', `${kind}\0${keyKind}\0${periodSeconds}\0`, seed)
/** @param privateId 6 bytes */
export const privateIdText = (privateId: Uint8Array): Buffer => text('yubico private id', privateId)
/** @param token 42 letters and digits */
export const successorText = (token: string): Buffer => text('next session token', token)
/** The text of work that is done only to take the same time. */
export const paddingText = text('padding')

/**
 * Lengths in bytes of the parts of a check value: its nonce, and the HMAC over that and the hash of the pass phrase.
 */
export const passphraseNonceBytes = 16
export const pepperedBytes = 32
export const passphraseCheckBytes = passphraseNonceBytes + pepperedBytes
