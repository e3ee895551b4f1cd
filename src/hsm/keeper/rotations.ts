import { Fault } from '../../fault.ts'
import { seal } from '../pkcs11/seal-operations.ts'
import type { Token } from '../pkcs11/token-link.ts'
import { generationOf } from '../record-generation.ts'
import { composeRecord, type OpenedRecord } from '../record-layouts.ts'
import { isRotationDue, rotationMs } from '../rotation-due.ts'
import type { RequestFields } from '../server/request-fields.ts'
import type { WritableFloors } from './floors.ts'
import { shown } from './shown-record.ts'

/**
 * See `Hsm.grantRotation`: shown the newest policy of a key, its latest version and the count of that, the keeper allows
 * the next version where these ask for it. No caller has to be there, and nothing else is allowed.
 */
export function grantRotation(token: Token, floors: WritableFloors, now: number, fields: RequestFields): Uint8Array[] {
  const policy = shown(token, 'transparent key 2', fields.sealed())
  const version = shown(token, 'transparent key version 2', fields.sealed())
  const count = shown(token, 'invocations 2', fields.sealed())
  checkNewest(floors, policy, version, count)
  const { identity, vault, latestVersion, deletedAt, autoRotatePeriodMs } = policy.fields
  const isOfKey = [version.fields, count.fields].every(
    (one) => one.identity.equals(identity) && one.vault.equals(vault) && one.version === latestVersion,
  )
  const { createdAt } = version.fields
  const { invocations } = count.fields
  if (!isOfKey || deletedAt !== null || !isRotationDue({ autoRotatePeriodMs, createdAt, invocations }, now))
    throw new Fault('hsm.rejected', 'The policy of this key asks for no rotation.')
  const record = composeRecord('rotation', { identity, vault, latestVersion, expiresAt: now + rotationMs })
  return [record, seal(token, record)]
}

/** @throws Fault `hsm.outdated` for a record of before */
function checkNewest(floors: WritableFloors, ...records: readonly OpenedRecord[]): void {
  for (const record of records) {
    const generation = generationOf(record)
    if (generation !== undefined) floors.check(generation)
  }
}
