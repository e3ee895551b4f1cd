import { Refusal } from '../../interface/refusal.ts'
import { type ReadFile, UnreadableFile } from '../entry.ts'
import type { Opened, Opening, Told } from './opening-worker.ts'
// oxlint-disable-next-line import/default -- it is Vite's
import workerUrl from './opening-worker.ts?worker&url'

/** The first bytes of a KeePass file of version 3 or 4 (KDBX). */
const signature = [0x03, 0xd9, 0xa2, 0x9a, 0x67, 0xfb, 0x4b, 0xb5]

export const isKeepass = (bytes: Uint8Array): boolean => signature.every((byte, at) => bytes[at] === byte)

/** Gives the address of the worker, whatever it is asked: the only one that the appliance's policy allows. */
const workerPolicy = globalThis.trustedTypes?.createPolicy('worker', { createScriptURL: () => workerUrl })

/**
 * Opens a KeePass file in a worker, which ends with the signal. `tell` hears how much of the hashing is done, from 0 to 1.
 * @throws UnreadableFile `key` for another pass phrase; Refusal where the worker cannot be loaded
 */
export async function openKeepass(
  bytes: Uint8Array,
  passphrase: string,
  signal: AbortSignal,
  tell: (progress: number) => void,
): Promise<ReadFile> {
  signal.throwIfAborted()
  const worker = new Worker(workerPolicy?.createScriptURL('') ?? workerUrl, { type: 'module' })
  try {
    const opened = await new Promise<Opened>((resolve, reject) => {
      worker.addEventListener('message', ({ data }: MessageEvent<Told>) => {
        if ('progress' in data) tell(data.progress)
        else resolve(data)
      })
      // Its script has thrown, such as for memory that is not there, or has not come.
      worker.addEventListener('error', (event) =>
        reject(event instanceof ErrorEvent ? new UnreadableFile('form') : new Refusal({ status: 0 })),
      )
      signal.addEventListener('abort', () => reject(signal.reason), { once: true })
      const opening: Opening = { file: new Uint8Array(bytes).buffer, passphrase }
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- that of a worker has none
      worker.postMessage(opening)
    })
    if ('why' in opened) throw new UnreadableFile(opened.why)
    return opened.read
  } finally {
    worker.terminate()
  }
}
