import { setTimeout as sleep } from 'node:timers/promises'
import type { RecordedRows } from '../../audit/event.ts'
import { recordedPlaces } from '../../audit/object-places.ts'
import { Fault } from '../../fault.ts'
import type { FieldOwner } from '../../hsm/object-aad.ts'
import { createMutex, type Mutex } from '../../store/concurrency.ts'
import { retryOvertaken } from '../../store/overtaken.ts'
import type { Commit, Tx } from '../../store/store.ts'
import { lockVault } from '../vaults/records.ts'
import { spendKeyUses } from '../vaults/vault-key.ts'
import { statusWith } from './content.ts'
import type { DecryptionRecord, RecordDecryption } from './decryption-record.ts'
import { removeEarlier } from './earlier-version-records.ts'
import type { Rebinding } from './field-cipher.ts'
import { createFileCopies, type FileCopies } from './file-copies.ts'
import { bindUpload, unbindUploads } from './file-records.ts'
import { uploadGivenUp } from './file-store.ts'
import { adopt } from './parent.ts'
import { ancestorsOf, readObject, type GrantedObject } from './read-records.ts'
import { findObject, insertObject, manifestField, putSecrets, releaseChild, type VaultObject } from './records.ts'
import { newSearchText, putSearchTexts } from './search-text-records.ts'
import { changeUnchanged, lockObjects, moveWithin } from './subtree-records.ts'
import {
  readSubtree,
  intoItself,
  type RelocationTarget,
  type RelocationDependencies,
  type RelocatedSubtree,
} from './relocated-subtree.ts'

export interface Relocator {
  readonly userId: number
  readonly commit: Commit
  /** Told of each secret before it is decrypted in the token. */
  readonly record: RecordDecryption
  /** Told the id of the object in its new place, and what the record of the change says of all of them. */
  readonly placed: (id: number, rows: RecordedRows) => void
}

/**
 * Moves and copies objects with all below them: all of them or none. Into another vault, secrets are encrypted again in
 * the token. Both methods resolve to the number of objects.
 * @throws Fault `object.invalid`, `object.not_found`, `object.parent_unknown`, `object.tampered`,
 * `object.key_exhausted`, `store.conflict`
 */
export interface Relocation {
  move(found: GrantedObject, to: RelocationTarget, by: Relocator): Promise<number>
  copy(found: GrantedObject, to: RelocationTarget, by: Relocator): Promise<number>
}

export function createRelocation(dependencies: RelocationDependencies): Relocation {
  const on = { ...dependencies, commitMutex: createCommitMutex() }
  return {
    move: (found, to, by) =>
      found.vault.id === to.vault.id
        ? withinVault(on, found, to, by)
        : relocateAgain(on, { found, to, writeRows: moveRows, origin: found.vault.id }, by),
    copy: (found, to, by) => relocateAgain(on, { found, to, writeRows: copyRows, origin: undefined }, by),
  }
}

/** Longer than the interval at which another process retries to become the writer of SQLite. */
const pauseMs = 20

/**
 * Runs one large change of objects at a time, since it occupies the writer of SQLite, or a connection to PostgreSQL,
 * for up to a second. A user may have one such call under way (quota `relocations`), so that waiting users take turns.
 */
function createCommitMutex(): Mutex {
  const mutex = createMutex()
  return (work) => {
    const result = mutex(work)
    void mutex(() => sleep(pauseMs))
    return result
  }
}

/** Moves within a vault encrypt nothing again: values are bound to the vault, not to the parent. */
async function withinVault(
  { templatesIn, clock }: RelocationDependencies,
  { object: { id, vaultId } }: GrantedObject,
  { parentId }: RelocationTarget,
  { userId, commit, placed }: Relocator,
): Promise<number> {
  placed(id, {})
  return commit(async (tx) => {
    // One move per vault at a time: two moves could put each object below the other.
    await lockVault(tx, vaultId)
    await adopt(templatesIn, tx, parentId, vaultId)
    const path = await ancestorsOf(tx, { parentId, vaultId })
    if (path.some((above) => above.id === id)) throw intoItself()
    const before = await findObject(tx, id)
    const to = { parentId, changedAt: clock.now(), changedBy: userId }
    if (before === null || !(await moveWithin(tx, { id, vaultId }, to))) throw new Fault('object.not_found')
    if (before.parentId !== 0) await releaseChild(tx, before.parentId)
    return 1
  })
}

/** Writes the rows in their new place; resolves to the new objects in the same order. */
type WriteRows = (tx: Tx, subtree: RelocatedSubtree, by: Written) => Promise<readonly (FieldOwner & Versioned)[]>

interface Versioned {
  readonly version: number
}

interface Written {
  readonly at: number
  readonly by: number
}

type RecordedOnce = Relocator & { readonly isRecorded: (decryption: DecryptionRecord) => boolean }

/** From where, to where, and whether as a move or as a copy. */
interface Way {
  readonly found: GrantedObject
  readonly to: RelocationTarget
  readonly writeRows: WriteRows
  /** The vault that the objects leave. */
  readonly origin: number | undefined
}

type Relocate = RelocationDependencies & { readonly commitMutex: Mutex }

/**
 * Begins anew where an edit of an object of the subtree was faster. Each decryption is recorded once, and each file copied
 * once.
 */
async function relocateAgain(on: Relocate, way: Way, by: Relocator): Promise<number> {
  const files = createFileCopies(on.files)
  const recorded = new Set<string>()
  const isRecorded = ({ target }: DecryptionRecord): boolean => recorded.has(target)
  const record: RecordDecryption = async (decryption) => {
    if (isRecorded(decryption)) return
    await by.record(decryption)
    recorded.add(decryption.target)
  }
  try {
    return await retryOvertaken((isAgain) => relocate({ ...on, files }, way, { ...by, record, isRecorded }, isAgain))
  } finally {
    await files.discard()
  }
}

type WithCopies<On> = Omit<On, 'files'> & { readonly files: FileCopies }

async function relocate(
  on: WithCopies<Relocate>,
  { found, to, writeRows, origin }: Way,
  by: RecordedOnce,
  isAgain: boolean,
): Promise<number> {
  const first = await readSubtree(on, on.store.read, found, to, by.record)
  const commitMutex: Mutex = first.rows.length === 1 ? (work) => work() : on.commitMutex
  return commitMutex(async () => {
    const { count, files } = await by.commit(async (tx) => {
      // Vaults are locked in ascending order, so that two calls cannot deadlock.
      for (const id of new Set([found.vault.id, to.vault.id].toSorted((a, b) => a - b))) await lockVault(tx, id)
      // Steady edits would overtake every try.
      const subtree = isAgain ? await lockedSubtree(on, tx, first, found, by) : first
      await spendKeyUses(tx, to.vault.id, subtree.secrets.length + subtree.files.size)
      await adopt(on.templatesIn, tx, to.parentId, to.vault.id)
      const rows = await writeRows(tx, subtree, { at: on.clock.now(), by: by.userId })
      by.placed(rows[0]?.id ?? found.object.id, recordedPlaces(rows, origin))
      await writeSecrets(on, tx, subtree, rows)
      return { count: rows.length, files: subtree.files }
    })
    on.files.keep(files.values())
    return count
  })
}

/**
 * Reads the subtree again, once edits of its objects have to wait. Files and decryptions that are new are left to the
 * next try, because they need transactions of their own.
 */
async function lockedSubtree(
  on: WithCopies<RelocationDependencies>,
  tx: Tx,
  { rows, to }: RelocatedSubtree,
  found: GrantedObject,
  { isRecorded }: Pick<RecordedOnce, 'isRecorded'>,
): Promise<RelocatedSubtree> {
  await lockObjects(
    tx,
    rows.map(({ id }) => id),
  )
  const madeBefore: Pick<FileCopies, 'copy'> = {
    copy: (_from, manifest) => {
      const copy = on.files.made(manifest)
      return copy === undefined ? late() : Promise.resolve(copy)
    },
  }
  return readSubtree({ ...on, files: madeBefore }, tx, found, to, (decryption) =>
    isRecorded(decryption) ? Promise.resolve() : late(),
  )
}

const moveRows: WriteRows = async (tx, { rows, to, weak }, { at, by }) => {
  const [root] = rows
  if (root !== undefined && root.parentId !== 0) await releaseChild(tx, root.parentId)
  const moved = rows.map((row) => ({
    ...row,
    ...judged(row, weak),
    vaultId: to.vault.id,
    parentId: row === root ? to.parentId : row.parentId,
    version: row.version + 1,
    changedAt: at,
    changedBy: by,
  }))
  for (const [index, { id: _, ...row }] of moved.entries()) {
    const before = rows[index]
    if (before === undefined || !(await changeUnchanged(tx, before, row))) throw changedMeanwhile()
  }
  // Earlier versions are bound to the old vault and were meant for its members only.
  await removeEarlier(
    tx,
    rows.map(({ id }) => id),
  )
  return moved
}

const copyRows: WriteRows = async (tx, { rows, templates, to, weak }, { at, by }) => {
  const copies = new Map<number, VaultObject>()
  for (const row of rows) {
    const template = templates.find(({ id }) => id === row.templateId)
    if (template?.active !== true)
      throw new Fault('object.invalid', `New objects of the template ${template?.name ?? ''} are not made any more.`)
    // Locks the rows until the transaction ends, provided they are unchanged.
    if (!(await changeUnchanged(tx, row, { version: row.version }))) throw changedMeanwhile()
    const { id: _, ...copied } = {
      ...row,
      ...judged(row, weak),
      searchText: '',
      vaultId: to.vault.id,
      parentId: copies.get(row.parentId)?.id ?? to.parentId,
      version: 1,
      createdAt: at,
      createdBy: by,
      changedAt: at,
      changedBy: by,
    }
    copies.set(row.id, { ...copied, id: await insertObject(tx, copied) })
  }
  await putSearchTexts(tx, [...copies.values()].map(newSearchText))
  return [...copies.values()]
}

function judged(row: VaultObject, weak: RelocatedSubtree['weak']): Pick<VaultObject, 'weakFields' | 'status'> {
  const fields = weak.get(row.id) ?? readObject(row).weakFields
  return { weakFields: JSON.stringify(fields), status: statusWith(row.status, fields) }
}

async function writeSecrets(
  { fieldCipher, clock }: Pick<RelocationDependencies, 'fieldCipher' | 'clock'>,
  tx: Tx,
  { from, to, rows, secrets, files }: RelocatedSubtree,
  relocated: readonly (FieldOwner & Versioned)[],
): Promise<void> {
  const targets = new Map(rows.map((row, at) => [row.id, { row, target: relocated[at] }]))
  const rebindings = secrets.flatMap((secret): Rebinding[] => {
    const { row, target } = targets.get(secret.objectId) ?? {}
    return row && target ? [{ secret, from: row, to: target, version: target.version }] : []
  })
  await putSecrets(tx, await fieldCipher.rebind(from, to.vault, rebindings))
  for (const [objectId, manifest] of files) {
    const target = targets.get(objectId)?.target
    if (target === undefined) continue
    await unbindUploads(tx, target.id, clock.now())
    if (!(await bindUpload(tx, manifest.upload, target.id))) throw uploadGivenUp()
    const secret = { [manifestField]: JSON.stringify(manifest) }
    await putSecrets(tx, await fieldCipher.encrypt(to.vault, target, target.version, secret))
  }
}

const changedMeanwhile = (): Fault => new Fault('store.conflict')
const late = (): Promise<never> => Promise.reject(changedMeanwhile())
