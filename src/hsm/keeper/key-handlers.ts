import type { KeeperOperation } from '../protocol/frame.ts'
import type { RequestFields } from '../server/request-fields.ts'
import type { AuditKeys } from './signing-keys.ts'
import { type AuthorityDependencies, readAuthority } from './authority.ts'
import { type FirstCounts, sealFirstCount } from './first-counts.ts'
import { signImportJob } from './import-job-signing.ts'
import type { Origin } from './record-change.ts'
import { grantRotation } from './rotations.ts'
import type { NewestShown } from './shown-record.ts'

/** Operations for named keys other than sealing their records. */
export function createKeyHandlers(
  on: AuthorityDependencies &
    NewestShown & {
      readonly firstCounts: FirstCounts
      readonly auditKeys: AuditKeys
    },
  origin: Origin,
) {
  const { token, firstCounts, auditKeys } = on
  return {
    sealFirstCount(fields) {
      const record = fields.bytes()
      const asker = { origin, ...readAuthority(on, fields), now: Date.now() }
      return sealFirstCount(token, firstCounts, record, asker)
    },
    grantRotation: (fields) => grantRotation(on, Date.now(), fields),
    signImportJob: (fields) => signImportJob(token, auditKeys, fields.sealed()),
  } satisfies Partial<Record<KeeperOperation, (fields: RequestFields) => Uint8Array[]>>
}
