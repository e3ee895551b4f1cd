import { readBitwarden } from '../bitwarden-reading.ts'
import { type ReadFile, type Unreadable, UnreadableFile } from '../entry.ts'
import { openBitwarden } from './bitwarden-opening.ts'
import type { FileKey } from './key-file.ts'
import { openKeepass } from './keepass-opening.ts'

// Opens encrypted files in a worker, because that takes seconds. A file that takes control of the code reaches nothing
// outside the worker.

/** An encrypted file. */
export type LockedFile =
  { readonly kind: 'keepass'; readonly file: ArrayBuffer } | { readonly kind: 'bitwarden'; readonly text: string }

/** The request of the page. */
export type Opening = LockedFile & FileKey

/** The final message. */
export type Opened = { readonly read: ReadFile } | { readonly why: Unreadable }

/** The messages to the page: the share of the hashing that is done, from 0 to 1, then the result. */
export type Told = Opened | { readonly progress: number }

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- that of a worker has none
const tell = (told: Told): void => self.postMessage(told)
const onProgress = (progress: number): void => tell({ progress })

async function open(opening: Opening): Promise<Opened> {
  try {
    if (opening.kind === 'keepass') return { read: await openKeepass(opening.file, opening, onProgress) }
    return { read: readBitwarden(await openBitwarden(opening.text, opening.passphrase, onProgress)) }
  } catch (error) {
    return { why: error instanceof UnreadableFile ? error.why : 'form' }
  }
}

self.addEventListener('message', ({ data }: MessageEvent<Opening>) => {
  void open(data).then(tell)
})
