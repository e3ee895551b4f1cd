import { transactionGrant, type SealedGrant } from '../../access/transaction-grant.ts'
import { Fault, isFault } from '../../fault.ts'
import { keyRecord } from '../../hsm/key-record.ts'
import type { Hsm, SealedRecord } from '../../hsm/hsm.ts'
import { nextGeneration } from '../../hsm/record-generation.ts'
import { composeRecord } from '../../hsm/record-layouts.ts'
import { afterCommit } from '../../store/commit-work.ts'
import { oncePerRow } from '../../store/once-per-row.ts'
import { retryOvertaken } from '../../store/overtaken.ts'
import type { Commit, Reader, Tx } from '../../store/store.ts'
import { keyTypeOf } from './key-type.ts'
import {
  findKeyById,
  findVersion,
  replaceKey,
  replaceVersion,
  type CountlessVersion,
  type KeyVersion,
  type TransparentKey,
  TransparentKeyTable,
} from './records.ts'

/** The identities to which the records of a key are bound. */
export type Owner = Pick<TransparentKey, 'identity' | 'vault' | 'vaultId'>

/** The record that the seal of a key covers: every column but the seal itself. */
export const policyRecord = (key: Omit<TransparentKey, 'id' | 'seal'>): Buffer =>
  composeRecord('transparent key 2', key)

export type UnsealedVersion = Omit<KeyVersion, 'keyId' | 'seal' | 'invocations' | 'invocationsSeal'>

/** The record that the seal of a version covers: every column but the count of encryptions, with key and vault. */
export function versionRecord(
  key: Owner & Pick<TransparentKey, 'type'>,
  { version, kek, blob, publicKey, backupKek, backupBlob, disabled, createdAt, generation }: UnsealedVersion,
): Buffer {
  const { kind } = keyTypeOf(key.type)
  return keyRecord(kind, { kek, blob, publicKey: publicKey ?? undefined }, [
    'transparent key version 2',
    key.identity,
    key.vault,
    key.type,
    version,
    publicKey,
    backupKek,
    backupBlob,
    disabled,
    createdAt,
    generation,
  ])
}

export const invocationsRecord = (
  { identity, vault }: Pick<Owner, 'identity' | 'vault'>,
  version: number,
  invocations: number,
): Buffer => composeRecord('invocations 2', { identity, vault, version, invocations })

/** A key that is sealed but not yet stored. */
export type SealedKey = Omit<TransparentKey, 'id'>

export const sealedPolicy = oncePerRow((key: SealedKey): SealedRecord => ({
  record: policyRecord(key),
  seal: key.seal,
}))

export const sealedVersion = (key: TransparentKey, version: KeyVersion): SealedRecord => versionsOf(key)(version)

const versionsOf = oncePerRow((key: TransparentKey) =>
  oncePerRow((version: KeyVersion): SealedRecord => ({ record: versionRecord(key, version), seal: version.seal })),
)

export const sealedCount = (
  key: Pick<Owner, 'identity' | 'vault'>,
  { version, invocations, invocationsSeal }: KeyVersion,
): SealedRecord => ({
  record: invocationsRecord(key, version, invocations),
  seal: invocationsSeal,
})

/** Placeholder for the identity, which the keeper draws. */
const undrawn = Buffer.alloc(0)

/** Seals a new key under the caller's grant. The keeper draws the identity of the key. */
export async function sealedNewKey(
  hsm: Pick<Hsm, 'sealNew'>,
  row: Omit<SealedKey, 'identity' | 'vault' | 'generation' | 'seal'>,
  vault: Buffer,
  grant: SealedGrant | undefined,
): Promise<SealedKey> {
  const key = Object.assign({}, row, { vault, generation: 1, identity: undrawn })
  return Object.assign(key, await hsm.sealNew(policyRecord(key), { grant }))
}

/** Replaces `hsm.seal_broken` by `key.tampered`. The fault has a cause, so that the journal reports it. */
export async function mapBrokenSeal<T>(use: () => Promise<T>): Promise<T> {
  try {
    return await use()
  } catch (cause) {
    throw isFault(cause, 'hsm.seal_broken') ? new Fault('key.tampered', undefined, { cause }) : cause
  }
}

/** Replaces `hsm.rejected`, by which the token refuses what the caller has sent. */
export async function mapRejected<T>(code: 'backup.invalid' | 'request.invalid', work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw isFault(error, 'hsm.rejected') ? new Fault(code, error.detail) : error
  }
}

/** @throws Fault `key.tampered` unless the seal of the key's row is valid */
export function checkPolicy(hsm: Pick<Hsm, 'verify'>, key: TransparentKey): Promise<void> {
  return mapBrokenSeal(() => hsm.verify(sealedPolicy(key)))
}

/** @throws Fault `key.tampered` unless both seals of the version's row are valid */
export async function checkVersion(hsm: Pick<Hsm, 'verify'>, key: TransparentKey, version: KeyVersion): Promise<void> {
  await mapBrokenSeal(() => hsm.verify(sealedVersion(key, version)))
  await mapBrokenSeal(() => hsm.verify(sealedCount(key, version)))
}

/** Tells the keeper of these records after the commit. From then on it refuses older ones. */
export function raiseAfter(hsm: Pick<Hsm, 'raise'>, tx: Tx, ...records: readonly SealedRecord[]): void {
  afterCommit(tx, () => hsm.raise(records))
}

/** Replaces rows of keys and their seals. An edited row is never sealed again. */
export interface KeyRows {
  /**
   * Replaces a key's row by what `step` makes of the present one. Where another machine changes the row meanwhile,
   * `step` is taken again, from the row of that change.
   */
  change(
    authorized: TransparentKey,
    commit: Commit,
    step: (current: TransparentKey, tx: Tx) => Promise<TransparentKey>,
    then?: (tx: Tx, key: TransparentKey) => Promise<void>,
  ): Promise<TransparentKey>
  replaceVersion(tx: Tx, key: TransparentKey, from: KeyVersion, change: Partial<KeyVersion>): Promise<void>
  /**
   * Seals a changed version under the caller's grant, so that many versions can be sealed before the transaction that
   * stores them.
   * @throws Fault `store.conflict`, `key.tampered`
   */
  sealVersion(
    reader: Reader,
    key: TransparentKey,
    from: KeyVersion,
    change: Partial<KeyVersion>,
    grant: SealedGrant | undefined,
  ): Promise<ChangedVersion>
  /** @throws Fault `store.conflict` where the version has changed since it was sealed */
  putVersion(tx: Tx, changed: ChangedVersion): Promise<void>
}

export interface ChangedVersion {
  readonly from: KeyVersion
  readonly to: CountlessVersion
  readonly record: Buffer
}

/**
 * Seals the replacement of a row. Where the keeper finds the shown record outdated, because a parallel change was
 * faster, the fault becomes `store.conflict`.
 * @param sealNow reads the present seal of the row
 * @throws Fault `store.conflict`, `key.tampered`
 */
export async function sealInPlaceOf(
  { seal: shown }: SealedRecord,
  sealNow: () => Promise<Buffer | undefined>,
  seal: () => Promise<Buffer>,
): Promise<Buffer> {
  try {
    return await mapBrokenSeal(seal)
  } catch (cause) {
    const isReplaced = isFault(cause, 'hsm.outdated') && (await sealNow())?.equals(shown) !== true
    throw isReplaced ? new Fault('store.conflict', undefined, { cause }) : cause
  }
}

export function createKeyRows(hsm: Pick<Hsm, 'seal' | 'verify' | 'raise'>): KeyRows {
  const rows: KeyRows = {
    change: (authorized, commit, step, then) =>
      retryOvertaken(() => commit((tx) => changeKey(hsm, tx, authorized, step, then))),

    replaceVersion: async (tx, key, from, change) =>
      rows.putVersion(tx, await rows.sealVersion(tx, key, from, change, await transactionGrant(tx))),

    async sealVersion(reader, key, from, change, grant) {
      const generation = nextGeneration(from.generation)
      const { invocations: _, invocationsSeal: __, ...next } = { ...from, ...change, generation }
      // The keeper verifies the seal that is shown, since a new seal over an edited row would legitimize the edit.
      const record = versionRecord(key, next)
      const shown = sealedVersion(key, from)
      const seal = await sealInPlaceOf(
        shown,
        async () => (await findVersion(reader, key.id, from.version))?.seal,
        () => hsm.seal(record, { previous: shown, grant }),
      )
      return { from, to: { ...next, seal }, record }
    },

    async putVersion(tx, { from, to, record }) {
      if (!(await replaceVersion(tx, from, to))) throw new Fault('store.conflict')
      raiseAfter(hsm, tx, { record, seal: to.seal })
    },
  }
  return rows
}

export const deleted = (): Fault => new Fault('key.not_found', 'The key is deleted; an Admin can take it back.')

export const notDeleted = (): Fault => new Fault('key.not_found', 'There is no deleted key of this name in the vault.')

/**
 * The present row of a key, with a valid seal, locked until the transaction ends. A parallel call may have deleted the
 * key, or taken it back, since the caller's row was read.
 * @throws Fault `key.not_found`, `key.tampered`
 */
export async function presentKey(
  hsm: Pick<Hsm, 'verify'>,
  tx: Tx,
  authorized: TransparentKey,
): Promise<TransparentKey> {
  await tx.update(TransparentKeyTable, { id: authorized.id }, { name: () => 'name' })
  const current = await findKeyById(tx, authorized.id)
  if (current === null) throw new Fault('key.not_found')
  const isDeleted = current.deletedAt !== null
  if (isDeleted !== (authorized.deletedAt !== null)) throw isDeleted ? deleted() : notDeleted()
  await checkPolicy(hsm, current)
  return current
}

async function changeKey(
  hsm: Pick<Hsm, 'seal' | 'verify' | 'raise'>,
  tx: Tx,
  authorized: TransparentKey,
  step: (current: TransparentKey, tx: Tx) => Promise<TransparentKey>,
  then: ((tx: Tx, key: TransparentKey) => Promise<void>) | undefined,
): Promise<TransparentKey> {
  // Verified first, since a new seal over an edited row would legitimize the edit.
  const current = await presentKey(hsm, tx, authorized)
  const next = { ...(await step(current, tx)), generation: nextGeneration(current.generation) }
  const grant = await transactionGrant(tx)
  const shown = sealedPolicy(current)
  const seal = await sealInPlaceOf(
    shown,
    async () => (await findKeyById(tx, current.id))?.seal,
    () => hsm.seal(policyRecord(next), { previous: shown, grant }),
  )
  const sealed = { ...next, seal }
  if (!(await replaceKey(tx, current, sealed))) throw new Fault('store.conflict')
  await then?.(tx, sealed)
  raiseAfter(hsm, tx, sealedPolicy(sealed))
  return sealed
}
