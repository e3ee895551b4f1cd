import { call, type Contents, type StoredObject } from '../interface/calls.ts'
import { isDenial } from '../interface/refusal.ts'

/** An object as the archive holds it. */
export interface ExportedObject {
  readonly id: string
  readonly parentid: string
  readonly name: string
  readonly template: string
  readonly fields: Readonly<Record<string, string>>
}

/** The text in an archive: JSON. */
export interface Archive {
  readonly format: 'strongroom export'
  readonly version: 1
  readonly vault: string
  readonly exported: string
  readonly objects: readonly ExportedObject[]
}

/** What an export reads: whether also what raises an alarm. Files stay behind. */
export interface ExportChoice {
  readonly contents: Contents
  readonly withAlarmed: boolean
}

export const isAlarmed = ({ alarmed }: StoredObject): boolean => alarmed !== false
export const hasFile = ({ fileinfo }: StoredObject): boolean => fileinfo !== undefined

/** Reads every object with its secrets; each reading is recorded. Objects that the person may not read any more are left out. */
export async function readArchive(
  { contents: { VAULT, OBJECTS, TEMPLATES }, withAlarmed }: ExportChoice,
  signal: AbortSignal,
  tell: (done: number) => void,
): Promise<Archive> {
  const templates = new Map(TEMPLATES.map((template) => [template.id, template]))
  const objects: ExportedObject[] = []
  for (const [index, object] of OBJECTS.entries()) {
    signal.throwIfAborted()
    tell(index)
    if (hasFile(object) || (isAlarmed(object) && !withAlarmed)) continue
    const template = templates.get(object.templateid)
    const crypted = template?.structure.some(({ encrypted }) => encrypted) ? await secretsOf(object.id, signal) : {}
    if (crypted === undefined) continue
    const { id, parentid, objectname: name } = object
    objects.push({ id, parentid, name, template: template?.info.name ?? '', fields: { ...object.public, ...crypted } })
  }
  const [vault] = VAULT
  const exported = new Date().toISOString()
  return { format: 'strongroom export', version: 1, vault: vault?.groupname ?? '', exported, objects }
}

async function secretsOf(objectid: string, signal: AbortSignal): Promise<Readonly<Record<string, string>> | undefined> {
  try {
    const { OBJECT } = await call('object.read', { params: { objectid }, query: { decrypt: true }, signal })
    return OBJECT[0]?.crypted ?? {}
  } catch (error) {
    if (isDenial(error)) return undefined
    throw error
  }
}

/** A file of the format age-encryption.org/v1 under a pass phrase, which `age --decrypt` opens. */
export async function sealArchive(archive: Archive, passphrase: string): Promise<Uint8Array<ArrayBuffer>> {
  const { Encrypter } = await import('age-encryption')
  const encrypter = new Encrypter()
  encrypter.setPassphrase(passphrase)
  return new Uint8Array(await encrypter.encrypt(JSON.stringify(archive, undefined, 2)))
}
