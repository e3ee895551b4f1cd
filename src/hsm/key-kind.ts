/** Kinds of secret keys that travel wrapped. What each means in the token is a row of `hsm/pkcs11/key-kinds.ts`. */
export const keyKinds = [
  'aes128-gcm',
  'aes256-gcm',
  'aes128-ctr',
  'aes256-ctr',
  'aes128-ofb',
  'aes256-ofb',
  'hmac-sha256',
  'otp-aes128',
  'otp-hmac-sha1',
  'otp-hmac-sha256',
  'otp-hmac-sha512',
] as const
export type KeyKind = (typeof keyKinds)[number]

/** Kinds of key pairs; the private half travels wrapped. What each means in the token is a row of `hsm/pkcs11/pair-kinds.ts`. */
export const pairKinds = ['ec-p256', 'ec-p384', 'ed25519', 'rsa-2048', 'rsa-3072', 'rsa-4096'] as const
export type PairKind = (typeof pairKinds)[number]

export type AnyKind = KeyKind | PairKind
export const anyKinds: readonly AnyKind[] = [...keyKinds, ...pairKinds]

export function isPairKind(kind: string): kind is PairKind {
  return (pairKinds as readonly string[]).includes(kind)
}
