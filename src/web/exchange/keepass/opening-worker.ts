import { argon2d, argon2id } from '@noble/hashes/argon2.js'
import { Consts, Credentials, CryptoEngine, Kdbx, KdbxError, ProtectedValue } from 'kdbxweb'
import { type ReadFile, type Unreadable, UnreadableFile } from '../entry.ts'
import { entriesIn } from './keepass-entries.ts'

// Opens KeePass files in a thread of its own: it takes seconds, and whatever a file makes of it ends with it. Here `kdbxweb` parses
// XML by xmldom, where a page would have it use DOMParser, which Trusted Types forbid.

/** What the page asks. */
export interface Opening {
  readonly file: ArrayBuffer
  readonly passphrase: string
}

/** How it ends. */
export type Opened = { readonly read: ReadFile } | { readonly why: Unreadable }

/** What the page is told: how much of the hashing is done, from 0 to 1, then how it ends. */
export type Told = Opened | { readonly progress: number }

/** No program sets more by itself; a file that asks for more is not tried. */
const most = { memoryKiB: 1024 * 1024, iterations: 1_000 } as const

CryptoEngine.setArgon2Impl((password, salt, memoryKiB, iterations, length, parallelism, type, version) => {
  if (memoryKiB > most.memoryKiB || iterations > most.iterations) return Promise.reject(new UnreadableFile('cost'))
  const hash = type === CryptoEngine.Argon2TypeArgon2id ? argon2id : argon2d
  const options = { m: memoryKiB, t: iterations, p: parallelism, dkLen: length, version, maxmem: 2 ** 31, onProgress }
  return Promise.resolve(new Uint8Array(hash(new Uint8Array(password), new Uint8Array(salt), options)).buffer)
})

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- that of a worker has none
const tell = (told: Told): void => self.postMessage(told)
const onProgress = (progress: number): void => tell({ progress })

async function open({ file, passphrase }: Opening): Promise<Opened> {
  try {
    const credentials = new Credentials(ProtectedValue.fromString(passphrase))
    return { read: entriesIn(await Kdbx.load(file, credentials)) }
  } catch (error) {
    if (error instanceof UnreadableFile) return { why: error.why }
    return { why: error instanceof KdbxError && error.code === Consts.ErrorCodes.InvalidKey ? 'key' : 'form' }
  }
}

self.addEventListener('message', ({ data }: MessageEvent<Opening>) => {
  void open(data).then(tell)
})
