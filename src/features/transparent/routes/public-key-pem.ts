/** The text form of DER SubjectPublicKeyInfo (RFC 7468 §13), as openssl reads it. */
export function publicKeyPem(spki: Buffer): string {
  const lines = spki.toString('base64').match(/.{1,64}/g) ?? []
  return ['-----BEGIN PUBLIC KEY-----', ...lines, '-----END PUBLIC KEY-----', ''].join('\n')
}
