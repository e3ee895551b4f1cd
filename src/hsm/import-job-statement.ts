import type { FieldsOf } from './record-layouts.ts'

/**
 * The text of the signed statement of an import job, by which the owner of a key can check whose public key to wrap it
 * to. It has the members of the interface. Its beginning differs from statements on audit chains
 * (`audit-end.ts`), which the same key signs, so that neither can be taken for the other.
 * @param key Identifies the signing key: see `keyId`.
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
