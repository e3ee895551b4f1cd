import type { Clock } from '../../clock.ts'
import { Fault } from '../../fault.ts'
import { groupsOf } from '../../groups.ts'
import type { Reader, Store } from '../../store/store.ts'
import type { Template } from '../templates/template.ts'
import { mostSearchedBytes, weakAmong } from './content.ts'
import { decryptionRecord, type RecordDecryption } from './decryption-record.ts'
import type { FieldCipher } from './field-cipher.ts'
import type { FileManifest, FileStore } from './file-store.ts'
import type { TemplatesIn } from './parent.ts'
import { readObject, type GrantedObject, type GrantedVault } from './read-records.ts'
import { manifestField, type SecretField, type VaultObject } from './records.ts'
import { checkSubtree } from './subtree-bounds.ts'
import { secretsOfAll, sizesOf, subtreeOf } from './subtree-records.ts'

/** The destination of a move or copy. */
export interface RelocationTarget {
  readonly vault: GrantedVault
  /** 0 for the root of the vault. */
  readonly parentId: number
}

/** An object and all below it that are to be moved or copied, as read before the transaction. */
export interface RelocatedSubtree {
  readonly from: GrantedVault
  readonly to: RelocationTarget
  /** Parents come before their children. */
  readonly rows: readonly VaultObject[]
  readonly templates: readonly Template[]
  /** Without the manifests of files. */
  readonly secrets: readonly SecretField[]
  /** The copied file of each object that has one. */
  readonly files: ReadonlyMap<number, FileManifest>
  /** The fields of each object that break the policy of the destination. */
  readonly weak: ReadonlyMap<number, readonly string[]>
}

export interface RelocationDependencies {
  readonly store: Pick<Store, 'read'>
  readonly fieldCipher: FieldCipher
  readonly files: Pick<FileStore, 'copy' | 'discard'>
  readonly templatesIn: TemplatesIn
  readonly clock: Clock
  readonly breaksPolicy: (policyId: number, text: string) => boolean
  /** Limit for all files of one call together. */
  readonly maxFileBytes: number
}

/** As much as a call moves in one or two seconds. */
const mostRelocated = { objects: 500, openBytes: 16 * 1024 * 1024 }

/** Reads the subtree, records the decryption of its secrets, and copies its files. @throws what `Relocation` throws */
export async function readSubtree(
  on: Omit<RelocationDependencies, 'store' | 'files'> & { readonly files: Pick<FileStore, 'copy'> },
  reader: Reader,
  { object, vault }: GrantedObject,
  to: RelocationTarget,
  record: RecordDecryption,
): Promise<RelocatedSubtree> {
  const most = mostRelocated.objects + 1
  const sizes = await sizesOf(reader, object, most)
  checkSubtree(
    // Copies are indexed up to the present limit, even where earlier releases indexed more of the original.
    sizes.map((row) => ({ ...row, searchBytes: Math.min(row.searchBytes, mostSearchedBytes) })),
    mostRelocated,
    'move or copy',
  )
  const rows = await subtreeOf(reader, object, most)
  if (rows.length !== sizes.length) throw new Fault('store.conflict')
  checkRows(on, rows, to)
  const templates = await on.templatesIn(reader).among(rows.map(({ templateId }) => templateId))
  const all = await readSecrets(reader, rows)
  await recordAll(rows, templates, all, record)
  const weak = await weakAt(on, { vault, to: to.vault, rows, templates, secrets: all })
  const files = await copyFiles(on, { vault, to: to.vault, rows, secrets: all })
  const secrets = all.filter(({ field }) => field !== manifestField)
  return { from: vault, to, rows, templates, secrets, files, weak }
}

function checkRows(
  { maxFileBytes }: Pick<RelocationDependencies, 'maxFileBytes'>,
  rows: readonly VaultObject[],
  to: RelocationTarget,
): void {
  if (rows.some(({ id }) => id === to.parentId)) throw intoItself()
  const bytes = rows.reduce((sum, row) => sum + (readObject(row).file?.size ?? 0), 0)
  if (bytes > maxFileBytes)
    throw new Fault(
      'object.invalid',
      `Its files are more than ${maxFileBytes} bytes: move or copy its children in smaller parts.`,
    )
}

/** Limit for all encrypted secrets of one call. A multiple of this is in memory meanwhile. */
const mostSecretBytes = 16 * 1024 * 1024
const objectsAtOnce = 25

async function readSecrets(reader: Reader, rows: readonly VaultObject[]): Promise<SecretField[]> {
  const secrets: SecretField[] = []
  let bytes = 0
  for (const objects of groupsOf(rows, objectsAtOnce)) {
    const some = await secretsOfAll(
      reader,
      objects.map(({ id }) => id),
    )
    bytes += some.reduce((sum, { ciphertext }) => sum + ciphertext.length, 0)
    if (bytes > mostSecretBytes)
      throw new Fault(
        'object.invalid',
        `Its secrets are more than ${mostSecretBytes} bytes: move or copy its children in smaller parts.`,
      )
    secrets.push(...some)
  }
  return secrets
}

/**
 * Encrypting secrets for another vault makes them readable for its members: it is recorded, and raises alarms, like a
 * decryption.
 */
async function recordAll(
  rows: readonly VaultObject[],
  templates: readonly Template[],
  secrets: readonly SecretField[],
  record: RecordDecryption,
): Promise<void> {
  const rowOf = new Map(rows.map((row) => [row.id, row]))
  await Promise.all(
    secrets.map(async ({ objectId, field }) => {
      const row = rowOf.get(objectId)
      if (row === undefined) return
      const isFile = field === manifestField
      const known = templates.find(({ id }) => id === row.templateId)?.fields.find(({ name }) => name === field)
      await record(decryptionRecord(row, isFile ? 'its file' : field, isFile || known?.canAlarm === true))
    }),
  )
}

interface Gathered {
  readonly vault: GrantedVault
  readonly to: GrantedVault
  readonly rows: readonly VaultObject[]
  readonly secrets: readonly SecretField[]
}

/** Checks the values against the policy of the destination. Only for this are they decrypted outside the token. */
async function weakAt(
  { fieldCipher, breaksPolicy }: Pick<RelocationDependencies, 'fieldCipher' | 'breaksPolicy'>,
  { vault, to, rows, secrets, templates }: Gathered & { readonly templates: readonly Template[] },
): Promise<Map<number, readonly string[]>> {
  const weak = new Map<number, readonly string[]>()
  if (vault.policyId === to.policyId) return weak
  for (const row of rows) {
    const template = templates.find(({ id }) => id === row.templateId)
    if (template === undefined) continue
    const judged = new Set(template.fields.filter(({ followsPolicy }) => followsPolicy).map(({ name }) => name))
    const toJudge = secrets.filter(({ objectId, field }) => objectId === row.id && judged.has(field))
    const { fields, weakFields } = readObject(row)
    const values = { ...fields, ...(toJudge.length > 0 ? await fieldCipher.decrypt(vault, row, toJudge) : {}) }
    weak.set(
      row.id,
      weakAmong(weakFields, template, values, (value) => breaksPolicy(to.policyId, value)),
    )
  }
  return weak
}

async function copyFiles(
  { fieldCipher, files }: Pick<RelocationDependencies, 'fieldCipher'> & { readonly files: Pick<FileStore, 'copy'> },
  { vault, to, rows, secrets }: Gathered,
): Promise<Map<number, FileManifest>> {
  const copies = new Map<number, FileManifest>()
  for (const secret of secrets.filter(({ field }) => field === manifestField)) {
    const row = rows.find(({ id }) => id === secret.objectId)
    const json = row && (await fieldCipher.decrypt(vault, row, [secret]))[manifestField]
    if (json === undefined) continue
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only the appliance can have encrypted it
    copies.set(secret.objectId, await files.copy(vault, JSON.parse(json) as FileManifest, to))
  }
  return copies
}

export const intoItself = (): Fault =>
  new Fault('object.invalid', 'An object goes neither into itself nor into what lies in it: choose another parentid.')
