import { Fault } from '../../fault.ts'
import type { SealedRecord } from '../hsm.ts'
import { keyKinds, kindOfType } from '../key-kind.ts'
import type { OuterWrapping } from '../made-key.ts'
import { rewrapped } from '../pkcs11/key-rewrapping.ts'
import { random, seal } from '../pkcs11/seal-operations.ts'
import type { Token } from '../pkcs11/token-link.ts'
import { composeRecord, type FieldsOf, identityBytes } from '../record-layouts.ts'
import { wrapped } from '../server/reply-fields.ts'
import type { RequestFields } from '../server/request-fields.ts'
import { shown } from './shown-record.ts'

// Keys of release 0.2.0 name the row of their vault, are wrapped once and have no age. Each is taken over once: it gets
// an identity, the second wrapping, and the present form of records. Which vault a row number means is taken from the
// database at that moment, as for memberships; afterwards a seal says it.

/** The present record of a vault's key, and the row number in its earlier one. */
interface EarlierVault {
  readonly rowId: number
  readonly identity: Buffer
  readonly vaultKey: SealedRecord
}

/** See `EarlierRows.takeOverVaultKey`. */
export function takeOverVaultKey(token: Token, fields: RequestFields): Uint8Array[] {
  return [readVault(token, fields).vaultKey.seal]
}

function readVault(token: Token, fields: RequestFields): EarlierVault {
  const { key, fields: earlier } = shown(token, 'vault key', fields.sealed())
  const { identity } = shown(token, 'vault', fields.sealed()).fields
  const record = composeRecord('vault key 2', { vault: identity }, key)
  return { rowId: earlier.vaultId, identity, vaultKey: { record, seal: seal(token, record) } }
}

/** See `EarlierRows.takeOverKey`. */
export function takeOverKey(token: Token, fields: RequestFields): Uint8Array[] {
  const policy = shown(token, 'transparent key', fields.sealed()).fields
  const { rowId, identity: vault, vaultKey } = readVault(token, fields)
  if (policy.vaultId !== rowId) throw unrelated()
  const identity = random(token, identityBytes)
  const record = composeRecord('transparent key 2', { ...policy, identity, vault, generation: 1 })
  const versions = fields.list(() => ({ sealed: fields.sealed(), count: fields.sealed() }))
  const taken = versions.flatMap((one) => takeOverVersion(token, policy, { identity, vault, vaultKey }, one))
  return [identity, seal(token, record), ...taken]
}

interface EarlierKeyVersion {
  readonly sealed: SealedRecord
  readonly count: SealedRecord
}

function takeOverVersion(
  token: Token,
  policy: FieldsOf<'transparent key'>,
  outerWrapping: OuterWrapping,
  { sealed, count }: EarlierKeyVersion,
): Uint8Array[] {
  const { key, fields } = shown(token, 'transparent key version', sealed)
  const { keyId, version, invocations } = shown(token, 'invocations', count).fields
  const kind = keyKinds.find((one) => one === key?.kind)
  const belongs =
    fields.keyId === policy.id &&
    fields.vaultId === policy.vaultId &&
    fields.type === policy.type &&
    // A trimmed version stays trimmed.
    fields.version >= policy.oldestVersion &&
    fields.version <= policy.latestVersion &&
    keyId === fields.keyId &&
    version === fields.version
  if (!belongs || key === undefined || kind === undefined || kind !== kindOfType(policy.type)) throw unrelated()
  const { backupKek, backupBlob } = fields
  const backup = backupKek === null || backupBlob === null ? undefined : { kek: backupKek, blob: backupBlob }
  const next = rewrapped(token, kind, { key, backup }, { to: outerWrapping })
  const { identity, vault } = outerWrapping
  const added = { backupKek: next.backup?.kek ?? null, backupBlob: next.backup?.blob ?? null, generation: 1 }
  const record = composeRecord(
    'transparent key version 2',
    { ...fields, identity, vault, ...added },
    { ...key, ...next.key },
  )
  const counted = composeRecord('invocations 2', { identity, vault, version, invocations })
  return [
    ...wrapped(next.key),
    ...wrapped(next.backup ?? { kek: '', blob: Buffer.alloc(0) }),
    seal(token, record),
    seal(token, counted),
  ]
}

const unrelated = (): Fault => new Fault('hsm.rejected', 'These earlier records are not of one key and its vault.')
