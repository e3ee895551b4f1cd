import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  existsSync,
  fstatSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, resolve } from 'node:path'
import { Refusal } from './exit-code.ts'

/**
 * Reads a file that only its owner may read; undefined where there is none. @throws Refusal for a file of another user,
 * or one that others may read
 */
export function readPrivateFile(file: string): string | undefined {
  let handle: number
  try {
    handle = openSync(file, 'r')
  } catch (error) {
    if (isCode(error, 'ENOENT')) return undefined
    throw unreadable(file, error)
  }
  try {
    const { mode, uid } = fstatSync(handle)
    if (process.getuid !== undefined && uid !== process.getuid())
      throw new Refusal(`${file} belongs to another user: what it holds is not trusted. Remove it, and log in again.`)
    if ((mode & 0o077) !== 0)
      throw new Refusal(`Others may read ${file}: chmod 600 it, and end its session (strongroom-cli logout).`)
    return readFileSync(handle, 'utf8')
  } finally {
    closeSync(handle)
  }
}

/** Replaces a file as a whole, and creates its folder if necessary. */
export function writePrivateFile(file: string, text: string): void {
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  } catch (error) {
    throw unwritable(file, error)
  }
  writeWhole(file, text, true)
}

/**
 * Writes a file that appears only when it is complete, readable by its owner only. An existing one is replaced only
 * with `force`.
 */
export function writeSecretFile(file: string, content: string | Uint8Array, force: boolean): void {
  checkTarget(file, force)
  writeWhole(resolve(file), content, force)
}

function writeWhole(file: string, content: string | Uint8Array, force: boolean): void {
  const temporary = temporaryFor(file)
  try {
    writeFileSync(temporary, content, { mode: 0o600, flag: 'wx' })
    putInPlace(temporary, file, force)
  } catch (error) {
    rmSync(temporary, { force: true })
    throw error instanceof Refusal ? error : unwritable(file, error)
  }
}

/** A name in the same folder, so that the file can be renamed. */
export const temporaryFor = (file: string): string => `${file}.${randomBytes(6).toString('hex')}.part`

/**
 * Gives the file its final name. Without `force` by a link, which fails for an existing name; a rename would replace
 * it.
 */
export function putInPlace(temporary: string, file: string, force: boolean): void {
  chmodSync(temporary, 0o600)
  if (force) return renameSync(temporary, file)
  try {
    linkSync(temporary, file)
  } catch (error) {
    if (isCode(error, 'EEXIST')) throw alreadyThere(file)
    throw error
  }
  rmSync(temporary)
}

/** Refuses an existing file, unless it is a regular one and `force` is set. @throws Refusal */
export function checkTarget(file: string, force: boolean): void {
  if (!existsSync(file)) return
  // A rename would put a file in the place of /dev/null, or of a pipe whose reader waits.
  if (!statSync(file).isFile())
    throw new Refusal(`${file} is no regular file: name another, or redirect standard output.`)
  if (!force) throw alreadyThere(file)
}

export const unreadable = (file: string, error: unknown): Refusal =>
  new Refusal(`${file} cannot be read: ${messageOf(error)}.`, { cause: error })
export const unwritable = (file: string, error: unknown): Refusal =>
  new Refusal(`${file} cannot be written: ${messageOf(error)}.`, { cause: error })
export const alreadyThere = (file: string): Refusal =>
  new Refusal(`${file} is there already: name another file, or add --force.`)

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
const isCode = (error: unknown, code: string): boolean =>
  error instanceof Error && 'code' in error && error.code === code
