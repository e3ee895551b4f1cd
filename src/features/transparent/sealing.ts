import { grantOf, type SealedGrant } from '../../access/acting.ts'
import { Fault, isFault } from '../../fault.ts'
import { encodeRecord, keyRecord } from '../../hsm/key-record.ts'
import type { Hsm, SealedRecord } from '../../hsm/hsm.ts'
import { nextGeneration } from '../../hsm/record-generation.ts'
import { afterCommit } from '../../store/after-commit.ts'
import { oncePerRow } from '../../store/once-per-row.ts'
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
} from './records.ts'

/** What the records of a key are bound to. */
export type Owner = Pick<TransparentKey, 'identity' | 'vault' | 'vaultId'>

/** Every column of the key but the seal itself, as the seal covers it. */
export function policyRecord(key: Omit<TransparentKey, 'id' | 'seal'>): Buffer {
  return encodeRecord([
    'transparent key 2',
    key.identity,
    key.vault,
    key.name,
    key.type,
    key.info,
    key.residency,
    key.allowExport,
    key.allowPlaintextExport,
    key.allowBackup,
    key.allowDelete,
    key.autoRotatePeriodMs,
    key.oldestVersion,
    key.latestVersion,
    key.minEncryptionVersion,
    key.minDecryptionVersion,
    key.createdAt,
    key.deletedAt,
    key.generation,
  ])
}

export type UnsealedVersion = Omit<KeyVersion, 'keyId' | 'seal' | 'invocations' | 'invocationsSeal'>

/** Every column of the version that does not count, bound to its key and vault. */
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

export function invocationsRecord(
  { identity, vault }: Pick<Owner, 'identity' | 'vault'>,
  version: number,
  invocations: number,
): Buffer {
  return encodeRecord(['invocations 2', identity, vault, version, invocations])
}

/** A key that is sealed and not yet in the database. */
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

/** Bytes that the keeper puts an identity in place of. */
const undrawn = Buffer.alloc(0)

/** Seals a new key for the caller who has this grant; the key gets its identity so. */
export async function sealedNewKey(
  hsm: Pick<Hsm, 'sealNew'>,
  row: Omit<SealedKey, 'identity' | 'vault' | 'generation' | 'seal'>,
  vault: Buffer,
  grant: SealedGrant | undefined,
): Promise<SealedKey> {
  const key = Object.assign({}, row, { vault, generation: 1, identity: undrawn })
  return Object.assign(key, await hsm.sealNew(policyRecord(key), grant))
}

/** Turns a broken seal into words about keys; the cause makes the operator hear of it. */
export async function trusting<T>(use: () => Promise<T>): Promise<T> {
  try {
    return await use()
  } catch (cause) {
    throw isFault(cause, 'hsm.seal_broken') ? new Fault('key.tampered', undefined, { cause }) : cause
  }
}

/** @throws Fault `key.tampered` unless the key's row is as we wrote it */
export function checkPolicy(hsm: Pick<Hsm, 'verify'>, key: TransparentKey): Promise<void> {
  return trusting(() => hsm.verify(sealedPolicy(key)))
}

/** @throws Fault `key.tampered` unless every part of the version's row is as we wrote it */
export async function checkVersion(hsm: Pick<Hsm, 'verify'>, key: TransparentKey, version: KeyVersion): Promise<void> {
  await trusting(() => hsm.verify(sealedVersion(key, version)))
  await trusting(() => hsm.verify(sealedCount(key, version)))
}

/** With the commit the keeper learns of these records, and seals nothing more in place of older ones. */
export function raiseAfter(hsm: Pick<Hsm, 'raise'>, tx: Tx, ...records: readonly SealedRecord[]): void {
  afterCommit(tx, () => hsm.raise(records))
}

/** Rows of keys, replaced under their seals: what was edited is never sealed anew, and of parallel changes one wins. */
export interface KeyRows {
  /** Replaces a key's row by what `step` makes of it as it is at that moment, sealed anew. */
  change(
    authorized: TransparentKey,
    commit: Commit,
    step: (current: TransparentKey, tx: Tx) => Promise<TransparentKey>,
    then?: (tx: Tx, key: TransparentKey) => Promise<void>,
  ): Promise<TransparentKey>
  replaceVersion(tx: Tx, key: TransparentKey, from: KeyVersion, change: Partial<KeyVersion>): Promise<void>
  /**
   * What a change makes of a version, sealed for the caller who has this grant: before the transaction that puts it in
   * place, where there are many.
   * @throws Fault `store.conflict`, `key.tampered`
   */
  sealVersion(
    reader: Reader,
    key: TransparentKey,
    from: KeyVersion,
    change: Partial<KeyVersion>,
    grant: SealedGrant | undefined,
  ): Promise<ChangedVersion>
  /** @throws Fault `store.conflict` where the version is no longer what it was made from */
  putVersion(tx: Tx, changed: ChangedVersion): Promise<void>
}

export interface ChangedVersion {
  readonly from: KeyVersion
  readonly to: CountlessVersion
  readonly record: Buffer
}

/**
 * Seals in place of a row. The keeper may have been shown already what a parallel change made of it: then that one was
 * quicker.
 * @param sealNow the seal that the row has when the keeper refuses it
 * @throws Fault `store.conflict`, `key.tampered`
 */
export async function sealInPlaceOf(
  { seal: shown }: SealedRecord,
  sealNow: () => Promise<Buffer | undefined>,
  seal: () => Promise<Buffer>,
): Promise<Buffer> {
  try {
    return await trusting(seal)
  } catch (cause) {
    const isReplaced = isFault(cause, 'hsm.outdated') && (await sealNow())?.equals(shown) !== true
    throw isReplaced ? new Fault('store.conflict', undefined, { cause }) : cause
  }
}

export function createKeyRows(hsm: Pick<Hsm, 'seal' | 'verify' | 'raise'>): KeyRows {
  const rows: KeyRows = {
    change: (authorized, commit, step, then) => commit((tx) => changeKey(hsm, tx, authorized, step, then)),

    replaceVersion: async (tx, key, from, change) =>
      rows.putVersion(tx, await rows.sealVersion(tx, key, from, change, await grantOf(tx))),

    async sealVersion(reader, key, from, change, grant) {
      const generation = nextGeneration(from.generation)
      const { invocations: _, invocationsSeal: __, ...next } = { ...from, ...change, generation }
      // The keeper refuses an edited row: a new seal over it would make the edit good.
      const record = versionRecord(key, next)
      const shown = sealedVersion(key, from)
      const seal = await sealInPlaceOf(
        shown,
        async () => (await findVersion(reader, key.id, from.version))?.seal,
        () => hsm.seal(record, shown, undefined, grant),
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

async function changeKey(
  hsm: Pick<Hsm, 'seal' | 'verify' | 'raise'>,
  tx: Tx,
  authorized: TransparentKey,
  step: (current: TransparentKey, tx: Tx) => Promise<TransparentKey>,
  then: ((tx: Tx, key: TransparentKey) => Promise<void>) | undefined,
): Promise<TransparentKey> {
  const current = await findKeyById(tx, authorized.id)
  if (current === null) throw new Fault('key.not_found')
  // Another call may have deleted it, or taken it back, since its row was read.
  const isDeleted = current.deletedAt !== null
  if (isDeleted !== (authorized.deletedAt !== null)) throw isDeleted ? deleted() : notDeleted()
  // A new seal over an edited row would make the edit good.
  await checkPolicy(hsm, current)
  const next = { ...(await step(current, tx)), generation: nextGeneration(current.generation) }
  const grant = await grantOf(tx)
  const shown = sealedPolicy(current)
  const seal = await sealInPlaceOf(
    shown,
    async () => (await findKeyById(tx, current.id))?.seal,
    () => hsm.seal(policyRecord(next), shown, undefined, grant),
  )
  const sealed = { ...next, seal }
  if (!(await replaceKey(tx, current, sealed))) throw new Fault('store.conflict')
  await then?.(tx, sealed)
  raiseAfter(hsm, tx, sealedPolicy(sealed))
  return sealed
}
