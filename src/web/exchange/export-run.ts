import { call, type Contents, type StoredObject } from '../interface/calls.ts'
import { hasNumber, isDenial } from '../interface/refusal.ts'
import { delayOf, isTriedAgain } from '../interface/retries.ts'
import { sessionInvalid, untilAborted } from '../interface/transport.ts'

/** An object in the archive. */
export interface ExportedObject {
  readonly id: string
  readonly parentid: string
  readonly name: string
  readonly template: string
  readonly fields: Readonly<Record<string, string>>
}

/** The JSON in an archive. */
export interface Archive {
  readonly format: 'strongroom export'
  readonly version: 1
  readonly vault: string
  readonly exported: string
  readonly objects: readonly ExportedObject[]
}

/** What to export, and whether to include objects that raise an alarm. Contents of files are never included. */
export interface ExportChoice {
  readonly contents: Contents
  readonly withAlarmed: boolean
}

export interface ReadArchive {
  readonly archive: Archive
  /** Names of objects that could not be read. */
  readonly leftOut: readonly string[]
}

export const isAlarmed = ({ alarmed }: StoredObject): boolean => alarmed !== false
export const hasFile = ({ fileinfo }: StoredObject): boolean => fileinfo !== undefined

/**
 * Reads every object with its secrets, which leaves an audit record for each. A denied or damaged object does not stop
 * the others.
 */
export async function readArchive(
  { contents: { VAULT, OBJECTS, TEMPLATES }, withAlarmed }: ExportChoice,
  signal: AbortSignal,
  tell: (done: number) => void,
): Promise<ReadArchive> {
  const templates = new Map(TEMPLATES.map((template) => [template.id, template]))
  const objects: ExportedObject[] = []
  const leftOut: string[] = []
  for (const [index, object] of OBJECTS.entries()) {
    signal.throwIfAborted()
    tell(index)
    if (isAlarmed(object) && !withAlarmed) continue
    const template = templates.get(object.templateid)
    const hasSecrets = template?.structure.some(({ encrypted, type }) => encrypted && type !== 'file')
    const isRead = hasSecrets === true || object.abridged === true
    const fields = isRead ? await fieldsOf(object.id, signal) : object.public
    const { id, parentid, objectname: name } = object
    if (fields === undefined) leftOut.push(name)
    else
      objects.push({
        id,
        parentid,
        name,
        template: template?.info.name ?? '',
        fields,
      })
  }
  const [vault] = VAULT
  const exported = new Date().toISOString()
  const archive: Archive = {
    format: 'strongroom export',
    version: 1,
    vault: vault?.groupname ?? '',
    exported,
    objects,
  }
  return { archive, leftOut }
}

async function fieldsOf(objectid: string, signal: AbortSignal): Promise<Readonly<Record<string, string>> | undefined> {
  for (let count = 0; ; count += 1) {
    try {
      const { OBJECT } = await call('object.read', { params: { objectid }, query: { decrypt: true }, signal })
      return { ...OBJECT[0]?.public, ...OBJECT[0]?.crypted }
    } catch (error) {
      if (isOfObject(error)) return undefined
      // One lost answer among thousands does not undo the export.
      if (!isTriedAgain(count, error)) throw error
      await untilAborted(new Promise((resolve) => setTimeout(resolve, delayOf(count, error))), signal)
    }
  }
}

/** Number of the fault `object.tampered`. */
const damaged = 1614
/** Whether only this object failed. The end of the session stops the export. */
const isOfObject = (error: unknown): boolean =>
  hasNumber(error, damaged) || (isDenial(error) && !hasNumber(error, sessionInvalid))

/** Encrypts the archive with a pass phrase in the format age-encryption.org/v1, which `age --decrypt` reads. */
export async function sealArchive(archive: Archive, passphrase: string): Promise<Uint8Array<ArrayBuffer>> {
  const { Encrypter } = await import('age-encryption')
  const encrypter = new Encrypter()
  encrypter.setPassphrase(passphrase)
  return new Uint8Array(await encrypter.encrypt(JSON.stringify(archive, undefined, 2)))
}
