import { IsNull, MoreThan, Not } from 'typeorm'
import { Fault, isFault } from '../fault.ts'
import { keyTypeOf } from '../features/transparent/key-type.ts'
import {
  findVersions,
  KeyVersionTable,
  type KeyRow,
  type KeyVersion,
  TransparentKeyTable,
} from '../features/transparent/records.ts'
import { sealedCount, sealedPolicy, sealedVersion } from '../features/transparent/sealing.ts'
import { VaultTable, type Vault } from '../features/vaults/records.ts'
import { vaultKeyLayout } from '../features/vaults/vault-key.ts'
import { sealedVault } from '../features/vaults/vault-seals.ts'
import type { EarlierVault, TakenOverKey } from '../hsm/earlier-rows.ts'
import type { Hsm, SealedRecord } from '../hsm/hsm.ts'
import { composeRecord } from '../hsm/record-layouts.ts'
import { afterCommit } from '../store/commit-work.ts'
import type { Reader, Store, Tx } from '../store/store.ts'

// Keys of release 0.2.0 are taken over once, each in a transaction of its own, and the data keys of vaults at the end,
// in one transaction. So an interrupted pass finds what is left to do, and a database is taken over completely or not
// at all.

type Keeper = Pick<Hsm, 'takeOverKey' | 'takeOverVaultKey' | 'verify' | 'raise'>

/** The result of taking over the keys of an earlier release. */
export interface KeyTakeover {
  readonly keys: number
  /** Number of versions that were moved under a KEK with an unwrap template. */
  readonly movedBackups: number
  readonly vaults: number
  /** Names of rows whose seals were broken before. Nothing uses them. */
  readonly left: readonly string[]
}

const keysAtOnce = 100

/** Resolves when all keys are taken over. @throws Fault `hsm.rejected` once the takeover has ended */
export async function takeOverKeys(
  store: Store,
  hsm: Keeper,
  progress: (done: number, total: number) => void,
): Promise<KeyTakeover> {
  const total = await store.read.countBy(TransparentKeyTable, { identity: IsNull() })
  const outcomes: TakenOver[] = []
  for (let last = 0; ;) {
    const page = await earlierKeys(store.read, last)
    for (const { id, name, vaultId } of page) {
      const words = `key ${name} of vault ${vaultId}`
      const outcome = await naming(
        words,
        store.transaction((tx) => takeOverKey(tx, hsm, id)),
      )
      outcomes.push({ ...outcome, left: outcome.left.map((part) => `${part} of ${words}`) })
      progress(outcomes.length, total)
    }
    const lastOfPage = page.at(-1)
    if (lastOfPage === undefined) break
    last = lastOfPage.id
  }
  const vaults = await store.transaction((tx) => takeOverVaultKeys(tx, hsm))
  return {
    keys: sum(outcomes.map(({ keys }) => keys)),
    movedBackups: sum(outcomes.map(({ movedBackups }) => movedBackups)),
    vaults: vaults.taken,
    left: [...outcomes.flatMap(({ left }) => left), ...vaults.left],
  }
}

const earlierKeys = (reader: Reader, after: number): Promise<KeyRow[]> =>
  reader.find(TransparentKeyTable, {
    where: { identity: IsNull(), id: MoreThan(after) },
    order: { id: 'ASC' },
    take: keysAtOnce,
  })

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0)

export function hasEarlierKeys(reader: Reader): Promise<boolean> {
  return reader.existsBy(TransparentKeyTable, { identity: IsNull() })
}

/**
 * A single earlier row was put back by an attacker: it is refused where it is used and does not stop the others.
 * @throws Fault `store.unavailable` while no vault has been taken over
 */
export async function checkKeysTakenOver(reader: Reader): Promise<void> {
  const hasVault = await reader.existsBy(VaultTable, {})
  if (hasVault && !(await reader.existsBy(VaultTable, { keyLayout: Not(1) })))
    throw new Fault(
      'store.unavailable',
      'The keys in the database are of an earlier release. Run "strongroom init", which takes them over once.',
    )
}

type TakenOver = Omit<KeyTakeover, 'vaults'>

/** A version of a key as it is stored, with its sealed records. */
interface EarlierKeyVersion {
  readonly row: KeyVersion
  readonly key: SealedRecord
  readonly count: SealedRecord
}

// The records as release 0.2.0 sealed them.

function earlierPolicy(row: KeyRow): SealedRecord {
  return { record: composeRecord('transparent key', { ...row }), seal: row.seal }
}

function earlierVersion({ vaultId, type }: KeyRow, row: KeyVersion): Pick<EarlierKeyVersion, 'key' | 'count'> {
  const { kek, blob, publicKey } = row
  const key = { kind: keyTypeOf(type).kind, kek, blob, publicKey: publicKey ?? undefined }
  return {
    key: { record: composeRecord('transparent key version', { ...row, vaultId, type }, key), seal: row.seal },
    count: { record: composeRecord('invocations', { ...row }), seal: row.invocationsSeal },
  }
}

function earlierVault(row: Vault): EarlierVault {
  const key = { kind: 'aes256-gcm', kek: row.keyKek, blob: row.keyBlob, publicKey: undefined }
  const record = composeRecord('vault key', { vaultId: row.id }, key)
  return { vaultKey: { record, seal: row.keySeal }, vault: sealedVault(row) }
}

async function takeOverKey(tx: Tx, hsm: Keeper, id: number): Promise<TakenOver> {
  const row = await tx.findOneBy(TransparentKeyTable, { id, identity: IsNull() })
  if (row === null) return { keys: 0, movedBackups: 0, left: [] }
  const policy = earlierPolicy(row)
  const vaultRow = await tx.findOneByOrFail(VaultTable, { id: row.vaultId })
  // Vaults are taken over last, so that an earlier key of a taken-over vault was put back afterwards.
  if (vaultRow.keyLayout !== 1 || !(await areGood(hsm, policy))) return { keys: 0, movedBackups: 0, left: ['the row'] }
  const shownVault = await goodVault(hsm, vaultRow)
  const vault = Buffer.from(vaultRow.identity, 'hex')
  const { good, left } = await goodVersions(tx, hsm, row)
  const taken = await hsm.takeOverKey({ policy, ...shownVault, versions: good })
  const { identity, seal } = taken
  await replaced(tx.update(TransparentKeyTable, { id, seal: row.seal }, { identity, generation: 1, seal }))
  const key = { ...row, identity, vault, generation: 1, seal }
  const records: SealedRecord[] = [sealedPolicy(key)]
  let movedBackups = 0
  for (const [index, { row: before }] of good.entries()) {
    const after = { ...before, ...columnsOf(taken.versions[index]) }
    const { keyId, version, seal: sealBefore, invocations } = before
    await replaced(tx.update(KeyVersionTable, { keyId, version, seal: sealBefore, invocations }, after))
    if (after.backupKek !== before.backupKek) movedBackups++
    records.push(sealedVersion(key, after), sealedCount(key, after))
  }
  afterCommit(tx, () => hsm.raise(records))
  return { keys: 1, movedBackups, left }
}

function columnsOf(taken: TakenOverKey['versions'][number] | undefined) {
  if (taken === undefined) throw new TypeError('the keeper answered for fewer versions than it was shown')
  const { kek, blob, backup, seal, countSeal } = taken
  const backupColumns = { backupKek: backup?.kek ?? null, backupBlob: backup?.blob ?? null }
  return { kek, blob, ...backupColumns, generation: 1, seal, invocationsSeal: countSeal }
}

async function replaced(update: Promise<{ readonly affected?: number | undefined }>): Promise<void> {
  if ((await update).affected !== 1)
    throw new Fault('store.conflict', 'The row was changed meanwhile: stop the daemon everywhere, then try again.')
}

async function goodVault(hsm: Keeper, row: Vault): Promise<EarlierVault> {
  const sealed = earlierVault(row)
  if (await areGood(hsm, sealed.vaultKey, sealed.vault)) return sealed
  throw new Fault('hsm.rejected', 'the row of its vault was altered: put the one of a backup of the database back.')
}

/** The versions that the policy of the key names. */
async function goodVersions(tx: Tx, hsm: Keeper, key: KeyRow) {
  const good: EarlierKeyVersion[] = []
  const left: string[] = []
  for (const row of await findVersions(tx, key.id)) {
    if (row.version < key.oldestVersion || row.version > key.latestVersion) continue
    const version = { row, ...earlierVersion(key, row) }
    if (await areGood(hsm, version.key, version.count)) good.push(version)
    else left.push(`version ${row.version}`)
  }
  return { good, left }
}

/** Resolves to the number of vaults, and the names of those whose seal was broken before. */
async function takeOverVaultKeys(tx: Tx, hsm: Keeper): Promise<{ readonly taken: number; readonly left: string[] }> {
  const rows = await tx.findBy(VaultTable, { keyLayout: 1 })
  const left: string[] = []
  for (const row of rows) {
    const sealed = earlierVault(row)
    const isGood = await areGood(hsm, sealed.vaultKey, sealed.vault)
    if (!isGood) left.push(`the key of vault ${row.id}`)
    const keySeal = isGood ? await naming(`vault ${row.id}`, hsm.takeOverVaultKey(sealed)) : row.keySeal
    await tx.update(VaultTable, { id: row.id }, { keyLayout: vaultKeyLayout, keySeal })
  }
  return { taken: rows.length - left.length, left }
}

/** Whether all of these seals are good. */
export async function areGood(hsm: Pick<Hsm, 'verify'>, ...sealed: readonly SealedRecord[]): Promise<boolean> {
  try {
    for (const one of sealed) await hsm.verify(one)
    return true
  } catch (error) {
    if (isFault(error, 'hsm.seal_broken')) return false
    throw error
  }
}

/** Names the row for which the keeper rejects the work. */
export async function naming<T>(row: string, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    throw isFault(error, 'hsm.rejected') ? new Fault(error.code, `${row}: ${error.detail}`, { cause: error }) : error
  }
}
