import type { RecordedRows } from '../../audit/event.ts'
import { recordedPlaces } from '../../audit/object-places.ts'
import type { Clock } from '../../clock.ts'
import { Fault } from '../../fault.ts'
import type { FieldOwner } from '../../hsm/object-aad.ts'
import { reserveRowNumber } from '../../store/row-numbers.ts'
import type { Commit, Tx } from '../../store/store.ts'
import type { Template } from '../templates/template.ts'
import {
  addedTo,
  keyUsesOf,
  noContent,
  type Addition,
  type Upload,
  checkFile,
  extensionOf,
  readValues,
} from './content.ts'
import type { FieldCipher } from './field-cipher.ts'
import { bindUpload, unbindUploads } from './file-records.ts'
import { uploadGivenUp, type FileStore } from './file-store.ts'
import { trimEarlier } from './earlier-version-records.ts'
import { countKept, keepVersion } from './earlier-versions.ts'
import { adopt, type TemplatesIn } from './parent.ts'
import { spendKeyUses } from '../vaults/vault-key.ts'
import {
  readObject,
  type GrantedObject,
  type GrantedVault,
  type KeyedVault,
  type StoredObject,
} from './read-records.ts'
import {
  beginVersion,
  changeObject,
  dropSecrets,
  findObject,
  insertObject,
  manifestField,
  markDeleted,
  type ObjectInVault,
  putSecrets,
  releaseChild,
  switchAlarm,
  type ObjectChange,
  type SecretField,
  type VaultObject,
  VaultObjectTable,
} from './records.ts'

/** An incoming file. */
export interface IncomingFile {
  readonly filename: string
  content(): AsyncIterable<Buffer>
}

/** The values that a call gives for an object. */
export interface ObjectInput {
  /** Undefined: derived from the fields. */
  readonly name: string | undefined
  /** All members of the call. Those that name a field of the template are its values. */
  readonly members: Readonly<Record<string, unknown>>
  readonly file: IncomingFile | undefined
}

/** The changes of an edit. */
export interface ObjectEdit extends ObjectInput {
  /** The version that the caller has read. Undefined: the present one. */
  readonly ifVersion: number | undefined
}

/** A new object: its vault, its parent and its template. */
export interface NewObject {
  readonly vault: GrantedVault
  /** 0 for the root of the vault. */
  readonly parentId: number
  readonly template: Template
}

export interface ObjectWriter {
  readonly userId: number
  readonly commit: Commit
  /** Told the id of the new object, and what the record of the change says of it. */
  readonly created?: (id: number, rows: RecordedRows) => void
}

/** The objects of vaults, as they are made, changed and deleted. */
export interface Objects {
  /** @throws Fault `object.invalid`, `object.parent_unknown`, `object.key_exhausted` */
  create(object: NewObject, input: ObjectInput, writer: ObjectWriter): Promise<StoredObject>
  /**
   * Changes the fields that are given.
   * @throws Fault `object.invalid`, `object.not_found`, `object.changed`, `object.key_exhausted`
   */
  edit(found: GrantedObject, template: Template, input: ObjectEdit, writer: ObjectWriter): Promise<StoredObject>
  /** @throws Fault `object.not_empty`, `object.not_found` */
  remove(object: StoredObject, writer: ObjectWriter): Promise<void>
  /** Sets whether decrypting the object raises an alarm. @throws Fault `object.not_found` */
  setAlarm(object: StoredObject, isOn: boolean, writer: ObjectWriter): Promise<void>
}

interface ObjectDependencies {
  readonly fieldCipher: FieldCipher
  readonly files: FileStore
  readonly templatesIn: TemplatesIn
  readonly clock: Clock
  /** Whether a value breaks a password policy. */
  readonly breaksPolicy: (policyId: number, text: string) => boolean
  /** The MIME type of a file, by its first bytes and its extension. */
  readonly detectType: (start: Buffer, extension: string) => Promise<string>
}

export function createObjects(on: ObjectDependencies): Objects {
  const { clock } = on
  return {
    create: (object, input, writer) => create(on, object, input, writer),
    edit: (found, template, input, writer) => edit(on, found, template, input, writer),

    remove: (object, { userId, commit }) =>
      commit(async (tx) => {
        if (!(await markDeleted(tx, object, clock.now(), userId))) throw await whyNotDeleted(tx, object)
        // The present parent, since a parallel call may have moved the object.
        const { parentId } = (await findObject(tx, object.id)) ?? object
        if (parentId !== 0) await releaseChild(tx, parentId)
      }),

    setAlarm: (object, isOn, { userId, commit }) =>
      commit(async (tx) => {
        const changed = { changedAt: clock.now(), changedBy: userId }
        if (!(await switchAlarm(tx, object, isOn, changed))) throw new Fault('object.not_found')
      }),
  }
}

async function create(
  on: ObjectDependencies,
  { vault, parentId, template }: NewObject,
  input: ObjectInput,
  { userId, commit, created }: ObjectWriter,
): Promise<StoredObject> {
  if (!template.active)
    throw new Fault('object.invalid', `New objects of the template ${template.name} are not made any more.`)
  return withAddition(on, { vault, template, input, partial: false, userId }, (addition) => {
    const placed = { vaultId: vault.id, templateId: template.id, version: 1 }
    let prepared: { readonly id: number; readonly encrypted: PromiseSettledResult<readonly SecretField[]> } | undefined
    const beforehand = async (tx: Tx): Promise<void> => {
      const id = await reserveRowNumber(tx, VaultObjectTable)
      // A failure is thrown by the change, after it has checked that the vault and its key still exist.
      const [encrypted] = await Promise.allSettled([encryptValues(on, vault, { id, ...placed }, addition)])
      prepared = { id, encrypted }
    }
    const insert = async (tx: Tx): Promise<StoredObject> => {
      if (prepared === undefined) throw new TypeError('the commit has to pass on what is done beforehand')
      const { id, encrypted } = prepared
      const now = on.clock.now()
      await spendKeyUses(tx, vault.id, keyUsesOf(addition))
      await adopt(on.templatesIn, tx, parentId, vault.id)
      if (encrypted.status === 'rejected') throw encrypted.reason
      const made = {
        id,
        ...placed,
        parentId,
        children: 0,
        createdAt: now,
        createdBy: userId,
        changedAt: now,
        changedBy: userId,
        deletedAt: null,
        trashedWith: null,
        ...addedTo(noContent, addition, isWeakIn(on, vault)),
      }
      await insertObject(tx, made)
      created?.(id, recordedPlaces([made]))
      await writeSecrets(on, tx, made, addition, encrypted.value)
      return readObject(made)
    }
    return commit(insert, { beforehand })
  })
}

async function edit(
  on: ObjectDependencies,
  { object, vault }: GrantedObject,
  template: Template,
  input: ObjectEdit,
  { userId, commit }: ObjectWriter,
): Promise<StoredObject> {
  const { ifVersion } = input
  // Checked early, before the file is read; the check within the transaction decides.
  if (ifVersion !== undefined && ifVersion !== object.version) throw new Fault('object.changed')
  return withAddition(on, { vault, template, input, partial: true, userId }, (addition) =>
    commit(async (tx) => {
      const kept = await countKept(tx, vault, object.id, template)
      const uses = keyUsesOf(addition) + kept
      if (uses > 0) await spendKeyUses(tx, vault.id, uses)
      const isOpen = await beginVersion(tx, object, ifVersion, { changedAt: on.clock.now(), changedBy: userId })
      const row = await findObject(tx, object.id)
      if (row === null || row.deletedAt !== null || row.vaultId !== vault.id) throw new Fault('object.not_found')
      if (!isOpen) throw new Fault('object.changed')
      const change = addedTo(readObject(row), addition, isWeakIn(on, vault))
      if (replacesValues(row, change, addition)) await keepVersion(on.fieldCipher, tx, vault, row, kept)
      await trimEarlier(tx, object.id, vault.history)
      await changeObject(tx, object.id, change)
      await writeSecrets(on, tx, row, addition, await encryptValues(on, vault, row, addition))
      return readObject({ ...row, ...change })
    }),
  )
}

/** False where the call gives only values that are stored already: clients send back what they have read. */
function replacesValues(row: VaultObject, change: ObjectChange, { values, upload }: Addition): boolean {
  const isOpenSame = change.name === row.name && change.publicFields === row.publicFields
  return !isOpenSame || upload !== undefined || Object.keys(values.secret).length > 0
}

interface Given extends Pick<NewObject, 'vault' | 'template'>, Pick<ObjectWriter, 'userId'> {
  readonly input: ObjectInput
  /** Whether fields that the call leaves out keep their values. */
  readonly partial: boolean
}

/** Checks the values, stores the file, if any, and runs `work`. The file is deleted where that fails. */
async function withAddition<T>(
  on: ObjectDependencies,
  { vault, template, input, partial, userId }: Given,
  work: (addition: Addition) => Promise<T>,
): Promise<T> {
  const { name, members, file } = input
  const filename = file && nameOf(file)
  if (filename !== undefined) checkFile(template, filename)
  const values = readValues(template, members, { partial, filename })
  const upload = file && (await storeFile(on, vault, file, userId))
  try {
    return await work({ template, name, values, upload })
  } catch (error) {
    // Ignored, so that the caller reports the error that led here; a later sweep deletes the rest.
    if (upload) await on.files.discard(upload.manifest.upload).catch(() => undefined)
    throw error
  }
}

async function storeFile(
  on: ObjectDependencies,
  vault: GrantedVault,
  file: IncomingFile,
  userId: number,
): Promise<Upload> {
  const { manifest, start } = await on.files.store(vault, file.content(), userId)
  const name = nameOf(file)
  const type = await on.detectType(start, extensionOf(name))
  return { manifest, info: { name, size: manifest.size, type, uploadedAt: on.clock.now() } }
}

/** Encrypts the secret values and, where there is a file, its manifest. */
async function encryptValues(
  { fieldCipher }: ObjectDependencies,
  vault: GrantedVault,
  object: FieldOwner & Pick<VaultObject, 'version'>,
  { values, upload }: Addition,
): Promise<readonly SecretField[]> {
  const secrets = Object.fromEntries(Object.entries(values.secret).filter(([, value]) => value !== ''))
  if (upload) secrets[manifestField] = JSON.stringify(upload.manifest)
  if (Object.keys(secrets).length === 0) return []
  return fieldCipher.encrypt(vault, object, object.version, secrets)
}

/** Stores the encrypted part, in the transaction that stores the rest. */
async function writeSecrets(
  on: ObjectDependencies,
  tx: Tx,
  row: VaultObject,
  { values, upload }: Addition,
  secrets: readonly SecretField[],
): Promise<void> {
  if (upload) {
    await unbindUploads(tx, row.id, on.clock.now())
    if (!(await bindUpload(tx, upload.manifest.upload, row.id))) throw uploadGivenUp()
  }
  const emptied = Object.keys(values.secret).filter((field) => values.secret[field] === '')
  if (row.version > 1) await dropSecrets(tx, row.id, emptied)
  if (secrets.length > 0) await putSecrets(tx, secrets)
}

function isWeakIn({ breaksPolicy }: ObjectDependencies, { policyId }: KeyedVault): (value: string) => boolean {
  return (value) => breaksPolicy(policyId, value)
}

const nameOf = ({ filename }: IncomingFile): string => filename || 'file'

async function whyNotDeleted(tx: Tx, { id, vaultId }: ObjectInVault): Promise<Fault> {
  const row = await findObject(tx, id)
  if (row === null || row.deletedAt !== null || row.vaultId !== vaultId) return new Fault('object.not_found')
  const others = row.children === 1 ? 'another object' : `${row.children} others`
  return new Fault('object.not_empty', `This object holds ${others}: delete what is in it first, or send children.`)
}
