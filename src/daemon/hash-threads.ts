import { Worker } from 'node:worker_threads'
import type { HashInput, PassphraseHash } from '../features/users/passphrase-hash.ts'

interface Waiting {
  readonly input: HashInput
  readonly resolve: (hash: Buffer) => void
  readonly reject: (error: unknown) => void
}

const entry = new URL('../bin/hash-thread.js', import.meta.url)

/**
 * Hashes pass phrases in at most `threads` threads of low priority, so that other calls do not wait for the ten
 * milliseconds of a core that each hash takes. Not in libuv's pool, which has one priority for everything and writes
 * the audit trail.
 */
export function createHashThreads(threads: number): PassphraseHash {
  const idle: Worker[] = []
  const waiting: Waiting[] = []
  let open = 0

  function hashNext(): void {
    if (waiting.length === 0 || (idle.length === 0 && open >= threads)) return
    const next = waiting.shift()
    if (next === undefined) return
    try {
      run(idle.pop() ?? start(), next)
    } catch (error) {
      // The system refuses another thread: only this hash fails, and the next one tries again.
      next.reject(error)
      hashNext()
    }
  }

  function start(): Worker {
    // Without the options of this process, some of which are not allowed for threads.
    const thread = new Worker(entry, { execArgv: [] })
    // A worker that stops waits for its calls, not for these threads.
    thread.unref()
    open += 1
    return thread
  }

  function run(thread: Worker, { input, resolve, reject }: Waiting): void {
    const answered = (hash: Uint8Array): void => {
      thread.off('error', failed)
      idle.push(thread)
      resolve(Buffer.from(hash))
      hashNext()
    }
    // The thread ends with its error, and is replaced.
    const failed = (error: unknown): void => {
      thread.off('message', answered)
      open -= 1
      reject(error)
      hashNext()
    }
    thread.once('message', answered)
    thread.once('error', failed)
    // Transferred and not copied: a thread that creates no garbage never collects any, and would keep every pass
    // phrase.
    const passphrase = new TextEncoder().encode(input.passphrase)
    thread.postMessage({ ...input, passphrase, salt: new Uint8Array(input.salt) }, [passphrase.buffer])
  }

  return (input) =>
    new Promise((resolve, reject) => {
      waiting.push({ input, resolve, reject })
      hashNext()
    })
}
