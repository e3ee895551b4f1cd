import { Fault } from '../../fault.ts'
import type { SealedRecord } from '../hsm.ts'
import { keyKinds } from '../key-kind.ts'
import type { KeyPlace } from '../made-key.ts'
import { rewrapped } from '../pkcs11/key-rewrapping.ts'
import { seal, verify } from '../pkcs11/seal-operations.ts'
import type { Token } from '../pkcs11/token-link.ts'
import { composeRecord, type OpenedRecord, openRecord } from '../record-layouts.ts'
import { wrapped } from '../server/reply-fields.ts'

/**
 * Wraps a version of a key under the newest KEKs and seals its record so; all else of the record stays as it was, and
 * what cannot be wrapped anew stays, too. Only for the operator: a worker has no use for it.
 * @throws Fault `hsm.rejected`, `hsm.seal_broken`
 */
export function rewrapVersion(token: Token, sealed: SealedRecord, vaultKey: SealedRecord | undefined): Uint8Array[] {
  verify(token, sealed)
  const opened = openVersion(sealed.record)
  const { type, key, fields } = opened
  const { backupKek, backupBlob } = fields
  const kind = keyKinds.find((one) => one === key?.kind)
  if (key === undefined || kind === undefined) throw noVersion()
  const backup = backupKek === null || backupBlob === null ? undefined : { kek: backupKek, blob: backupBlob }
  const place = placeOf(opened, vaultKey)
  const next = rewrapped(token, kind, { key, backup }, { from: place, to: place })
  const generation = 'generation' in fields ? { generation: fields.generation + 1 } : {}
  const after = { ...fields, ...generation, backupKek: next.backup?.kek ?? null, backupBlob: next.backup?.blob ?? null }
  const record = composeRecord(type, after, { ...key, ...next.key })
  return [...wrapped(next.key), ...wrapped(next.backup ?? { kek: '', blob: Buffer.alloc(0) }), seal(token, record)]
}

type OpenedVersion = Extract<OpenedRecord, { type: 'transparent key version' | 'transparent key version 2' }>

function openVersion(record: Buffer): OpenedVersion {
  const opened = openRecord(record)
  if (opened.type !== 'transparent key version' && opened.type !== 'transparent key version 2') throw noVersion()
  return opened
}

/** Undefined for a version that lies below no vault's key. */
function placeOf({ type, fields }: OpenedVersion, vaultKey: SealedRecord | undefined): KeyPlace | undefined {
  if (type === 'transparent key version') return undefined
  if (vaultKey === undefined)
    throw new Fault('hsm.rejected', 'This key lies below the key of its vault: show that, too.')
  return { identity: fields.identity, vault: fields.vault, vaultKey }
}

const noVersion = (): Fault => new Fault('hsm.rejected', 'This is no record of a version of a key.')
