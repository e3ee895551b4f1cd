import { existsSync, renameSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { readSecret } from '../../config/loader.ts'
import { syncPath } from '../pkcs11/directory-sync.ts'
import { writeInOneStep } from '../pkcs11/written-file.ts'
import { nextPinBeside } from './file-pin.ts'

/** Where the PIN is stored, and the next one during a change. */
export interface PinCredential {
  readonly file: string
  read(): string
  /** The next PIN of an interrupted change. */
  readNext(): string | undefined
  /** Stores the next PIN, completely or not at all. It is on the disk when this returns. */
  keepNext(pin: string): void
  /** Replaces the PIN by the next one, in one step. */
  promoteNext(): void
  discardNext(): void
}

/** How a PIN is encoded in its file. */
export interface PinEncoding {
  readonly encode: (pin: string) => string | Buffer
  readonly decode: (file: string) => string
}

const plain: PinEncoding = { encode: (pin) => pin, decode: (file) => readSecret(file) }

export function createPinCredential(file: string, { encode, decode }: PinEncoding = plain): PinCredential {
  const next = nextPinBeside(file)
  const draft = `${next}.new`
  return {
    file,
    read: () => decode(file),
    readNext: () => (existsSync(next) ? decode(next) : undefined),
    keepNext: (pin) => writeInOneStep(next, encode(pin), file, draft),
    promoteNext() {
      renameSync(next, file)
      syncPath(dirname(file))
    },
    discardNext() {
      for (const path of [next, draft]) rmSync(path, { force: true })
    },
  }
}
