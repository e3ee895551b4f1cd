import { constants, setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import { hashHere, type HashRequest } from '../features/users/passphrase-hash.ts'

try {
  // Sets the priority of this thread only: on Linux, 0 means the calling thread (setpriority(2), "C library/kernel
  // differences").
  setPriority(0, constants.priority.PRIORITY_BELOW_NORMAL)
} catch {
  // A sandbox may forbid it. Logins then slow other calls down more.
}

parentPort?.on('message', (request: HashRequest) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- this is no window
  parentPort?.postMessage(hashHere(request))
})
