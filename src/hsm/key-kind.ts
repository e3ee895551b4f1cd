/** Kinds of secret keys that travel wrapped. What each means in the token is a row of `hsm/pkcs11/key-kinds.ts`. */
export const secretKeyKinds = [
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
export type SecretKeyKind = (typeof secretKeyKinds)[number]

/** Kinds of key pairs; the private half travels wrapped. What each means in the token is a row of `hsm/pkcs11/pair-kinds.ts`. */
export const keyPairKinds = ['ec-p256', 'ec-p384', 'ed25519', 'rsa-2048', 'rsa-3072', 'rsa-4096'] as const
export type KeyPairKind = (typeof keyPairKinds)[number]

export type KeyKind = SecretKeyKind | KeyPairKind
export const keyKinds: readonly KeyKind[] = [...secretKeyKinds, ...keyPairKinds]

export function isKeyPairKind(kind: string): kind is KeyPairKind {
  return (keyPairKinds as readonly string[]).includes(kind)
}
