import { Fault } from '../../fault.ts'
import { seal } from '../pkcs11/seal-operations.ts'
import { composeRecord } from '../record-layouts.ts'
import { isRotationDue, rotationMs } from '../rotation-due.ts'
import type { RequestFields } from '../server/request-fields.ts'
import { type NewestShown, newestShown } from './shown-record.ts'

/**
 * See `Hsm.grantRotation`: given the newest policy of a key, its latest version and the count of that, the keeper
 * allows the next version where these require it. No caller is needed, and nothing else is allowed.
 */
export function grantRotation(on: NewestShown, now: number, fields: RequestFields): Uint8Array[] {
  const policy = newestShown(on, 'transparent key 2', fields.sealed())
  const version = newestShown(on, 'transparent key version 2', fields.sealed())
  const count = newestShown(on, 'invocations 2', fields.sealed())
  const { identity, vault, latestVersion, deletedAt, autoRotatePeriodMs } = policy.fields
  const isOfKey = [version.fields, count.fields].every(
    (one) => one.identity.equals(identity) && one.vault.equals(vault) && one.version === latestVersion,
  )
  const { createdAt } = version.fields
  const { invocations } = count.fields
  if (!isOfKey || deletedAt !== null || !isRotationDue({ autoRotatePeriodMs, createdAt, invocations }, now))
    throw new Fault('hsm.rejected', 'The policy of this key asks for no rotation.')
  const record = composeRecord('rotation', { identity, vault, latestVersion, expiresAt: now + rotationMs })
  return [record, seal(on.token, record)]
}
