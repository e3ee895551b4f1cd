import { numberField } from '../protocol/fields.ts'
import { Fault } from '../../fault.ts'
import type { SealedRecord } from '../hsm.ts'
import { keyKinds } from '../key-kind.ts'
import { rewrapped } from '../pkcs11/key-rewrapping.ts'
import { seal } from '../pkcs11/seal-operations.ts'
import { nextGeneration } from '../record-generation.ts'
import { composeRecord } from '../record-layouts.ts'
import { wrapped } from '../server/reply-fields.ts'
import { type NewestShown, newestShown } from './shown-record.ts'

/**
 * Wraps a version of a key under the newest KEKs and seals its record; the rest of the record stays, as do wrappings
 * that cannot be renewed. For the operator only, since a worker never needs it. The new record has a later generation
 * than all before, so an older row that was put back must not get one.
 * @throws Fault `hsm.rejected`, `hsm.seal_broken`, `hsm.outdated`
 */
export function rewrapVersion(on: NewestShown, sealed: SealedRecord, vaultKey: SealedRecord | undefined): Uint8Array[] {
  const { token } = on
  const { key, fields } = newestShown(on, 'transparent key version 2', sealed)
  const { backupKek, backupBlob } = fields
  const kind = keyKinds.find((one) => one === key?.kind)
  if (key === undefined || kind === undefined) throw noVersion()
  const backup = backupKek === null || backupBlob === null ? undefined : { kek: backupKek, blob: backupBlob }
  const outerWrapping = { ...fields, vaultKey: given(vaultKey) }
  const next = rewrapped(token, kind, { key, backup }, { from: outerWrapping, to: outerWrapping })
  const generation = nextGeneration(fields.generation)
  const after = { backupKek: next.backup?.kek ?? null, backupBlob: next.backup?.blob ?? null, generation }
  const record = composeRecord('transparent key version 2', { ...fields, ...after }, { ...key, ...next.key })
  const backupFields = wrapped(next.backup ?? { kek: '', blob: Buffer.alloc(0) })
  return [...wrapped(next.key), ...backupFields, seal(token, record), numberField(generation)]
}

function given(vaultKey: SealedRecord | undefined): SealedRecord {
  if (vaultKey === undefined)
    throw new Fault('hsm.rejected', 'This key lies below the key of its vault: show that, too.')
  return vaultKey
}

const noVersion = (): Fault => new Fault('hsm.rejected', 'This is not a record of a version of a key.')
