import { holds } from '../../access/capabilities.ts'
import { permissionBits } from '../../access/permission.ts'
import { Fault } from '../../fault.ts'
import { vaultKek } from '../key-kind.ts'
import { seal, verify } from '../pkcs11/seal-operations.ts'
import type { Token } from '../pkcs11/token-link.ts'
import { nonceBytes, provenanceRecord } from '../provenance.ts'
import { generationOf } from '../record-generation.ts'
import { composeRecord, type FieldsOf } from '../record-layouts.ts'
import type { SealedRecord } from '../sealed-record.ts'
import type { RequestFields } from '../server/request-fields.ts'
import type { FreshKeys } from './fresh-keys.ts'
import type { Origin } from './record-change.ts'
import { type Authority, type AuthorityDependencies, checkLasting, readAuthority } from './authority.ts'
import type { SealedRecords } from './sealed-records.ts'
import { checkNewest, type NewestShown, opened } from './shown-record.ts'
import type { UsedProvenance } from './used-provenance.ts'

type Grant = FieldsOf<'grant'>

export interface TombstoneDependencies extends AuthorityDependencies, NewestShown {
  readonly sealedRecords: NewestShown['sealedRecords'] & Pick<SealedRecords, 'noteTombstone'>
  readonly usedProvenance: UsedProvenance
  readonly freshKeys: FreshKeys
  readonly origin: Origin
  readonly now: () => number
  /** `transparent.recoveryWindowMs`: how long a deleted key can be taken back. */
  readonly recoveryWindowMs: number
}

/**
 * Seals that a vault or a key has ended, in place of its last record: for the operator, for a caller who may end it,
 * and for anyone in the case of a deleted key whose recovery window has passed.
 * @throws Fault `hsm.rejected`, `hsm.seal_broken`, `hsm.outdated`
 */
export function sealTombstone(on: TombstoneDependencies, last: SealedRecord, authority: Authority): Buffer[] {
  const { token, now } = on
  const { grant } = authority
  checkLasting(authority)
  verify(token, last)
  const record = opened(last.record)
  checkNewest(on, last.record, record)
  const endedAt = now()
  if (record.type === 'vault' && mayDelete(on.origin, record.fields, grant)) {
    return ended(on, composeRecord('deleted vault', { vault: record.fields.identity, endedAt }))
  }
  if (record.type === 'transparent key 2' && mayDestroy(on, record.fields, grant)) {
    const { identity, vault } = record.fields
    return ended(on, composeRecord('destroyed key', { identity, vault, endedAt }))
  }
  throw new Fault('hsm.rejected', 'This vault or key may not be ended now.')
}

/** Seals a tombstone. It counts only if its commit is shown in time: see `FirstRecords`. */
function ended({ token, sealedRecords }: TombstoneDependencies, record: Buffer): Buffer[] {
  const generation = generationOf(opened(record))
  if (generation !== undefined) sealedRecords.noteTombstone(record, generation)
  return sealed(token, record)
}

/** As in the interface: an Admin of the vault who has the capability to create vaults. */
function mayDelete(origin: Origin, { identity }: FieldsOf<'vault'>, grant: Grant | undefined): boolean {
  return origin === 'operator' || (isAdmin(grant, identity) && holds(grant?.capabilities ?? 0, 'createVault'))
}

/**
 * A deleted key ends with its recovery window. An Admin may end a key at once, to replace it by a backup, unless
 * deletion is forbidden.
 */
function mayDestroy(
  { origin, now, recoveryWindowMs }: TombstoneDependencies,
  { vault, allowDelete, deletedAt }: FieldsOf<'transparent key 2'>,
  grant: Grant | undefined,
): boolean {
  if (deletedAt !== null && deletedAt + recoveryWindowMs <= now()) return true
  return allowDelete === 1 && (origin === 'operator' || isAdmin(grant, vault))
}

const isAdmin = (grant: Grant | undefined, vault: Buffer): boolean =>
  grant?.vault?.equals(vault) === true && grant.permission === permissionBits.Admin

/**
 * Seals that a token object which a host made as a key is in no record, and keeps it out of all future records by using
 * its provenance up. An object whose record was sealed for a commit that failed can be discarded for a minute, under a
 * grant of the same caller. For objects that no vault of a restored backup has, the operator's word counts.
 * @throws Fault `hsm.rejected`, `hsm.seal_broken`
 */
export function sealUnused(on: TombstoneDependencies, fields: RequestFields): Buffer[] {
  const { token, usedProvenance, freshKeys, origin } = on
  const [kind, kek, blob] = [fields.text(), fields.text(), fields.bytes()]
  const [publicKey, purpose, provenance] = [fields.optionalBytes(), fields.bytes(), fields.bytes()]
  const { grant } = readAuthority(on, fields)
  const record = composeRecord('unused key', { kek, blob })
  if (origin === 'operator' && kek === vaultKek && provenance.length === 0) return sealed(token, record)
  const made = provenanceRecord(provenance.subarray(0, nonceBytes), purpose, kind, { kek, blob, publicKey })
  verify(token, { record: made, seal: provenance.subarray(nonceBytes) })
  if (usedProvenance.use(provenance, record)) return sealed(token, record)
  const expiresAt = freshKeys.goesUntil(provenance, grant?.user)
  if (expiresAt === undefined) throw new Fault('hsm.rejected', 'This key is in a record.')
  return sealed(token, composeRecord('discarded key', { kek, blob, expiresAt }))
}

const sealed = (token: Token, record: Buffer): Buffer[] => [record, seal(token, record)]
