import { type ReadFile, UnreadableFile } from '../entry.ts'
import { endOf, startWorker } from '../../workers/known-workers.ts'
import type { Opened, Opening, Told } from './opening-worker.ts'

/** The first bytes of a KeePass file of version 3 or 4 (KDBX). */
const signature = [0x03, 0xd9, 0xa2, 0x9a, 0x67, 0xfb, 0x4b, 0xb5]

export function isKeepass(file: ArrayBuffer): boolean {
  const bytes = new Uint8Array(file)
  return signature.every((byte, at) => bytes[at] === byte)
}

/**
 * Opens an encrypted file in a worker, which the signal ends. `tell` is called with the share of the hashing that is
 * done, from 0 to 1.
 * @throws UnreadableFile `key` or `passphrase` for a wrong one; Refusal where the worker cannot be loaded
 */
export async function openLocked(
  opening: Opening,
  signal: AbortSignal,
  tell: (progress: number) => void,
): Promise<ReadFile> {
  signal.throwIfAborted()
  const worker = startWorker('opening')
  try {
    const opened = await new Promise<Opened>((resolve, reject) => {
      worker.addEventListener('message', ({ data }: MessageEvent<Told>) => {
        if ('progress' in data) tell(data.progress)
        else resolve(data)
      })
      worker.addEventListener('error', (event) => reject(endOf(event, new UnreadableFile('form'))))
      signal.addEventListener('abort', () => reject(signal.reason), { once: true })
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- that of a worker has none
      worker.postMessage(opening)
    })
    if ('why' in opened) throw new UnreadableFile(opened.why)
    return opened.read
  } finally {
    worker.terminate()
  }
}
