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

/** Where the PIN lies, and the next one while it is made known to the token. */
export interface PinCredential {
  readonly file: string
  read(): string
  /** Of a change that was broken off. */
  readNext(): string | undefined
  /** On the disk when it returns, whole or not at all. */
  keepNext(pin: string): void
  /** Puts the next one in the place of the PIN, in one step. */
  promoteNext(): void
  discardNext(): void
}

/** How a PIN is written to a file and read from it. */
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

/** With the owner and the mode of another file. */
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
