import { statfsSync } from 'node:fs'
import { isReadOnly } from '../../read-only.ts'
import { roomInMemory } from '../pkcs11/token-report.ts'
import type { Token } from '../pkcs11/token-link.ts'

const freshMs = 30_000

/**
 * Free room as a field of a reply: that of the disk of a folder, which other processes may not see (a software token's,
 * `hsm.tokenDirectory`, or the keeper's), or without one of the token's own memory where it reports it
 * (C_GetTokenInfo). Measured at most twice a minute, because heartbeats ask for it. Empty where it is unknown.
 */
export function createRoomField(token: Token, folder: string | undefined): () => Buffer {
  let field = Buffer.alloc(0)
  let until = 0
  let takesChanges = true
  let isLooking = false

  /** In the background: it writes, and a disk that stands still would hold up the whole host. */
  function lookAgain(path: string): void {
    if (isLooking) return
    isLooking = true
    void isReadOnly(path).then((isIt) => {
      isLooking = false
      if (takesChanges === isIt) until = 0
      takesChanges = !isIt
    })
  }

  return () => {
    if (performance.now() < until || token.state() !== 'ready') return field
    until = performance.now() + freshMs
    if (folder !== undefined) lookAgain(folder)
    try {
      const room = folder === undefined ? roomInMemory(token) : roomOnDisk(folder, takesChanges)
      field = Buffer.from(room === undefined ? '' : JSON.stringify(room))
    } catch {
      field = Buffer.alloc(0)
    }
    return field
  }
}

function roomOnDisk(folder: string, takesChanges: boolean) {
  const { bavail, blocks, bsize } = statfsSync(folder)
  return { kind: 'disk', freeBytes: takesChanges ? bavail * bsize : 0, totalBytes: blocks * bsize }
}
