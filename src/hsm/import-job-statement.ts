import type { FieldsOf } from './record-layouts.ts'

/** What the keeper signs of an import job, so that whoever wraps a key to its public key knows whose that is. */
export interface SignedJob {
  /** One JSON object, byte for byte as it was signed. */
  readonly text: string
  /** 64 bytes, r ‖ s. */
  readonly signature: Buffer
  /** The audit key that signed, DER SubjectPublicKeyInfo. */
  readonly signer: Buffer
}

/**
 * The text of a job, in the words of the interface. It begins otherwise than a statement on an audit chain
 * (`audit-end.ts`), which the same key signs: neither is ever taken for the other.
 *
 * @param key Which key signs: see `keyId`.
 */
export function jobStatement(job: FieldsOf<'import job'>, key: string): string {
  return JSON.stringify({
    import_job: job.id,
    vaultid: String(job.vaultId),
    name: job.name,
    type: job.type,
    info: job.info,
    allow_export: flag(job.allowExport),
    allow_plaintext_export: flag(job.allowPlaintextExport),
    allow_backup: flag(job.allowBackup),
    allow_delete: flag(job.allowDelete),
    auto_rotate_period_ms: job.autoRotatePeriodMs,
    expires: new Date(job.expiresAt).toISOString(),
    public_key_der: job.publicKey.toString('base64'),
    key,
  })
}

const flag = (value: number): boolean => value === 1
