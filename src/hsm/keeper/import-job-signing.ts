import { createHash } from 'node:crypto'
import { keyId } from '../audit-end.ts'
import type { SealedRecord } from '../hsm.ts'
import { jobStatement } from '../import-job-statement.ts'
import type { Token } from '../pkcs11/token-link.ts'
import type { AuditKeys } from './signing-keys.ts'
import { shown } from './shown-record.ts'

/** See `Hsm.signImportJob`. Signs with the audit key, so that clients need to know no second key. */
export function signImportJob(token: Token, keys: AuditKeys, sealed: SealedRecord): Uint8Array[] {
  const { fields } = shown(token, 'import job', sealed)
  const signer = keys.publicKey()
  const text = Buffer.from(jobStatement(fields, keyId(signer)))
  return [text, keys.sign(createHash('sha256').update(text).digest()), signer]
}
