import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

const intervalMs = 1_000
const mostBytes = 256 * 2 ** 20

/**
 * Frees the headers of ended HTTP/2 calls. node:http2 leaves long values outside the heap, each until V8 finds its
 * small object in the heap dead, which takes a marking of the whole heap. V8 marks by the size of the heap, so that a
 * stranger who sent only headers made a worker keep 2 GiB of them. This marks by what is outside
 * (docs/decisions/0088).
 */
export function freeForgottenHeaders(): void {
  setFlagsFromString('--expose-gc')
  const markAll: () => void = runInNewContext('gc')
  let keptBytes = 0
  setInterval(() => {
    const bytes = bytesOutside() ?? keptBytes
    keptBytes = Math.min(keptBytes, bytes)
    if (bytes - keptBytes < mostBytes) return
    markAll()
    keptBytes = bytesOutside() ?? bytes
  }, intervalMs).unref()
}

/**
 * Memory outside the heap but for buffers, which V8 frees without marking all of the heap while they are young.
 * Undefined while this process may open no file: Node.js reads another of these numbers, the resident memory, in /proc.
 */
function bytesOutside(): number | undefined {
  try {
    const { external, arrayBuffers } = process.memoryUsage()
    return external - arrayBuffers
  } catch {
    return undefined
  }
}
