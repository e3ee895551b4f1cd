import { closeSync, constants, type Dirent, openSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { errorCodeOf, Fault } from '../../fault.ts'
import { inFolder } from './folder-rights.ts'
import { writeInOneStep } from './written-file.ts'

// SoftHSM2 has one file for each token, with the key of all its objects, encrypted by the PIN. At every login and every
// change of a PIN it empties this file and writes it anew. A process that is killed in between, a full disk or a power
// failure leaves it empty, and every key in the token is lost. So a copy of it is kept, with the rights of the folder's
// owner where that is another user.

/** Not a name that SoftHSM2 takes for an object. */
const copyOf = (file: string): string => `${file}.copy`

/**
 * Copies the file of the token with this serial number, before a login and while no other process logs in. The copy is
 * on the disk when this returns. The tokens of other applications in the folder get none, since they log in without the
 * lock under which copies are put back.
 * @throws Fault `hsm.unavailable` where there is no room for it: the file itself would find none
 */
export function keepTokenFile(directory: string, serial: string): void {
  inFolder(directory, () => {
    for (const file of filesIn(directory)) {
      const [content, copy] = [contentOf(file), contentOf(copyOf(file))]
      if (content?.includes(serial) !== true || isCutOff(content)) continue
      if (copy === undefined || !isSame(content, copy)) replace(copyOf(file), content, file)
    }
  })
}

/** Whether the file of a token in this folder has lost its end, and could be restored. Perhaps it is being written. */
export const hasCutOffFile = (directory: string): boolean => inFolder(directory, () => cutOffIn(directory).length > 0)

/** Puts the copies of such files back. Must not run while another process logs in. @throws Fault `hsm.unavailable` */
export function restoreTokenFiles(directory: string): void {
  inFolder(directory, () => {
    for (const { file, copy } of cutOffIn(directory)) replace(file, copy, file)
  })
}

function cutOffIn(directory: string): { readonly file: string; readonly copy: Buffer }[] {
  return filesIn(directory).flatMap((file) => {
    const content = contentOf(file)
    if (content === undefined || !isCutOff(content)) return []
    const copy = contentOf(copyOf(file))
    return copy === undefined || isCutOff(copy) ? [] : [{ file, copy }]
  })
}

function filesIn(directory: string): string[] {
  return foldersIn(directory).map(({ name }) => join(directory, name, 'token.object'))
}

function foldersIn(directory: string): Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true }).filter((entry) => entry.isDirectory())
  } catch {
    // The module says what is wrong with it.
    return []
  }
}

/** Of a link nothing, because root may be reading for the owner of the folder. */
function contentOf(file: string): Buffer | undefined {
  let descriptor: number | undefined
  try {
    descriptor = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW)
    return readFileSync(descriptor)
  } catch {
    return undefined
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}

const numberBytes = 8
/** The number of changes comes first. Each change increases it. */
const isSame = (one: Buffer, other: Buffer): boolean => one.subarray(numberBytes).equals(other.subarray(numberBytes))

/**
 * Whether the file ends amid an attribute, or before the first. An attribute is its type, the kind of its value, and the
 * value.
 */
function isCutOff(content: Buffer): boolean {
  const [valueAt, kindAt] = [2 * numberBytes, numberBytes]
  let at = numberBytes
  do {
    if (at + valueAt > content.length) return true
    const size = sizeOfValue(content, at + kindAt, at + valueAt)
    // Zeros are what a power failure may leave. Another kind is not known, and its file is left alone.
    if (size === undefined) return content.every((byte) => byte === 0)
    at += valueAt + size
  } while (at < content.length)
  return at > content.length
}

function sizeOfValue(content: Buffer, kindAt: number, valueAt: number): number | undefined {
  const kind = content.readBigUInt64BE(kindAt)
  if (kind === 1n) return 1
  if (kind === 2n) return numberBytes
  if (kind !== 3n) return undefined
  const length = valueAt + numberBytes > content.length ? 0n : content.readBigUInt64BE(valueAt)
  return numberBytes + Number(length)
}

function replace(path: string, content: Buffer, model: string): void {
  // One name, so that the copy after a change of the PIN overwrites what a killed process left, which an earlier PIN opens.
  const draft = `${model}.new`
  try {
    writeInOneStep(path, content, model, draft)
  } catch (cause) {
    // SoftHSM2 cannot empty the file there.
    if (path !== model && ['EROFS', 'EACCES', 'EPERM'].includes(errorCodeOf(cause) ?? '')) return
    rmSync(draft, { force: true })
    throw new Fault(
      'hsm.unavailable',
      `No login to the token: ${path} cannot be written (${errorCodeOf(cause) ?? String(cause)}), and without room on its disk a login could destroy the token.`,
      { cause },
    )
  }
}
