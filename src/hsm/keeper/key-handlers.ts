import { hash } from 'node:crypto'
import { keyId } from '../audit-end.ts'
import { jobStatement } from '../import-job-statement.ts'
import type { Token } from '../pkcs11/token-link.ts'
import type { SealedRecord } from '../sealed-record.ts'
import type { KeeperHandlers } from './keeper-handlers.ts'
import type { AuditKeys } from './signing-keys.ts'
import { type AuthorityDependencies, readAuthority } from './authority.ts'
import { type FirstCountDependencies, sealFirstCount } from './first-counts.ts'
import { type ObjectPermitDependencies, permitObject } from './object-permits.ts'
import type { Origin } from './record-change.ts'
import { grantRotation } from './rotations.ts'
import { shown } from './shown-record.ts'
import type { VaultNumbers } from './vault-numbers.ts'

/** Operations for named keys other than sealing their records. */
export function createKeyHandlers(
  on: AuthorityDependencies & ObjectPermitDependencies & FirstCountDependencies & JobSigning,
  origin: Origin,
) {
  return {
    sealFirstCount(fields) {
      const record = fields.bytes()
      const asker = { origin, ...readAuthority(on, fields), now: Date.now() }
      return sealFirstCount(on, record, asker)
    },
    permitObject(fields) {
      const holder = fields.sealed()
      return permitObject(on, holder, { origin, ...readAuthority(on, fields), now: Date.now() })
    },
    grantRotation: (fields) => grantRotation(on, Date.now(), fields),
    signImportJob: (fields) => signImportJob(on, fields.sealed()),
  } satisfies KeeperHandlers
}

interface JobSigning {
  readonly token: Token
  readonly auditKeys: AuditKeys
  readonly vaultNumbers: Pick<VaultNumbers, 'check'>
}

/**
 * See `Hsm.signImportJob`. Signs with the audit key, so that clients need to know no second key.
 * @throws Fault `hsm.outdated` where the job names its vault by the number of another one, by which clients know it
 */
function signImportJob({ token, auditKeys, vaultNumbers }: JobSigning, sealed: SealedRecord): Uint8Array[] {
  const { fields } = shown(token, 'import job', sealed)
  vaultNumbers.check(fields.vaultId, fields.vault)
  const signer = auditKeys.publicKey()
  const text = Buffer.from(jobStatement(fields, keyId(signer)))
  return [text, auditKeys.sign(hash('sha256', text, 'buffer')), signer]
}
