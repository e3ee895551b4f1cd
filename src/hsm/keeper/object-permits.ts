import { Fault } from '../../fault.ts'
import { kindOfType, tokenObjectKek, vaultKek } from '../key-kind.ts'
import { objectPermitMs } from '../object-permit.ts'
import { random, seal } from '../pkcs11/seal-operations.ts'
import { nonceBytes, provenanceNonce, vaultKeyPurpose, versionPurpose } from '../provenance.ts'
import { composeRecord, type FieldsOf, type OpenedRecord } from '../record-layouts.ts'
import type { SealedRecord } from '../sealed-record.ts'
import { type Asker, mayAddVersion } from './key-rules.ts'
import { mayMakeVault } from './people-rules.ts'
import { refused } from './record-change.ts'
import { type NewestShown, newestShown } from './shown-record.ts'

export interface ObjectPermitDependencies extends NewestShown {
  /** Counts an object for a rotation of this key that no caller asks for. @throws Fault `request.quota` */
  readonly countRotation: (key: Buffer) => void
  /** Why the keeper's files cannot be written: it would then neither seal the record of an object nor let it be destroyed. */
  readonly fault: () => string | undefined
}

/**
 * See `Hsm.permitObject`. The keeper permits a key to whom it would seal the key's record, and decides both by the same
 * rules.
 */
export function permitObject(on: ObjectPermitDependencies, holder: SealedRecord, asker: Asker): Uint8Array[] {
  const { token } = on
  const record = newestShown(on, ['vault', 'transparent key 2'], holder)
  if (!mayHaveObject(record, asker)) throw refused('object permit', asker)
  const fault = on.fault()
  if (fault !== undefined) throw new Fault('hsm.unavailable', fault)
  if (asker.rotation !== undefined) on.countRotation(asker.rotation.identity)
  // The provenance of the object begins with its CKA_ID, and serves once: another object of this id, made after the first
  // was destroyed, gets into no record.
  const id = provenanceNonce(random(token, nonceBytes), asker.now)
  const permit = composeRecord('object permit', { id, ...objectOf(record), expiresAt: asker.now + objectPermitMs })
  return [permit, seal(token, permit)]
}

type Holder = Extract<OpenedRecord, { type: 'vault' | 'transparent key 2' }>

function mayHaveObject({ type, fields }: Holder, asker: Asker): boolean {
  if (type === 'vault') return mayMakeVault(asker, fields)
  const { residency, deletedAt, latestVersion } = fields
  return residency === 'token' && deletedAt === null && mayAddVersion(asker, fields, latestVersion + 1)
}

function objectOf({ type, fields }: Holder): Pick<FieldsOf<'object permit'>, 'kek' | 'kind' | 'purpose'> {
  if (type === 'vault') return { kek: vaultKek, kind: 'aes256-gcm', purpose: vaultKeyPurpose(fields.identity) }
  const kind = kindOfType(fields.type)
  if (kind === undefined) throw new Fault('hsm.rejected', 'There is no such type of key.')
  return { kek: tokenObjectKek, kind, purpose: versionPurpose(fields) }
}
