import {
  closeSync,
  existsSync,
  fchmodSync,
  fchownSync,
  fsyncSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { readSecret } from '../../config/loader.ts'
import { syncPath } from '../pkcs11/directory-sync.ts'
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
    keepNext(pin) {
      rmSync(draft, { force: true })
      writeLike(file, draft, encode(pin))
      renameSync(draft, next)
      syncPath(dirname(file))
    },
    promoteNext() {
      renameSync(next, file)
      syncPath(dirname(file))
    },
    discardNext() {
      for (const path of [next, draft]) rmSync(path, { force: true })
    },
  }
}

/** Writes a file with the owner and mode of another. */
function writeLike(model: string, path: string, content: string | Buffer): void {
  const { uid, gid, mode } = statSync(model)
  const descriptor = openSync(path, 'wx', 0o600)
  try {
    writeSync(descriptor, Buffer.from(content))
    if (process.getuid?.() === 0) fchownSync(descriptor, uid, gid)
    fchmodSync(descriptor, mode & 0o777)
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}
