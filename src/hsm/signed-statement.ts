/** A statement that the keeper signed. */
export interface SignedStatement {
  /** One JSON object, byte for byte as it was signed. */
  readonly text: string
  /** 64 bytes, r ‖ s. */
  readonly signature: Buffer
  /** The audit key that signed, DER SubjectPublicKeyInfo. */
  readonly signer: Buffer
}
