import type { SealedRecord } from './wrapped-key.ts'

/** What the token's own lasting keys do: they bind records, hashes and the audit trail to this token. */
export interface Sealing {
  /** HMAC-SHA-256 over `record` by the token's seal key: 32 bytes. */
  seal(record: Uint8Array): Promise<Buffer>

  /** Rejects with `hsm.seal_broken` unless `sealed.seal` is what `seal(sealed.record)` gives. */
  verify(sealed: SealedRecord): Promise<void>

  /** HMAC-SHA-256 by the token's pepper, for what is stored to be compared (pass phrases, application keys): 32 bytes. */
  pepper(data: Uint8Array): Promise<Buffer>

  /** ECDSA P-256 over a 32-byte SHA-256 digest with the audit signing key: 64 bytes, r ‖ s. */
  signAudit(digest: Uint8Array): Promise<Buffer>

  /** The audit signing key's public half, DER SubjectPublicKeyInfo. */
  auditPublicKey(): Promise<Buffer>
}
