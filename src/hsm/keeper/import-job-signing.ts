import { createHash } from 'node:crypto'
import { keyId } from '../audit-end.ts'
import type { SealedRecord } from '../hsm.ts'
import { jobStatement } from '../import-job-statement.ts'
import { auditPublicKey, signAudit } from '../pkcs11/seal-operations.ts'
import type { Token } from '../pkcs11/token-link.ts'
import { shown } from './shown-record.ts'

/** See `Hsm.signImportJob`; with the audit key, so that there is no second one that clients would have to know. */
export function signImportJob(token: Token, sealed: SealedRecord): Uint8Array[] {
  const { fields } = shown(token, 'import job', sealed)
  const text = Buffer.from(jobStatement(fields, keyId(auditPublicKey(token))))
  return [text, signAudit(token, createHash('sha256').update(text).digest())]
}
