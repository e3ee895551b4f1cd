import { readBitwarden } from '../bitwarden-reading.ts'
import { type ReadFile, type Unreadable, UnreadableFile } from '../entry.ts'
import { openBitwarden } from './bitwarden-opening.ts'
import type { FileKey } from './key-file.ts'
import { openKeepass } from './keepass-opening.ts'

// Opens files under a pass phrase in a thread of its own: it takes seconds, and whatever a file makes of it ends with it.

/** A file that asks for a pass phrase. */
export type LockedFile =
  { readonly kind: 'keepass'; readonly file: ArrayBuffer } | { readonly kind: 'bitwarden'; readonly text: string }

/** What the page asks. */
export type Opening = LockedFile & FileKey

/** How it ends. */
export type Opened = { readonly read: ReadFile } | { readonly why: Unreadable }

/** What the page is told: how much of the hashing is done, from 0 to 1, then how it ends. */
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
