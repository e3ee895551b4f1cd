import { statfsSync } from 'node:fs'
import { isReadOnly } from '../../read-only.ts'
import { roomInMemory } from '../pkcs11/token-report.ts'
import type { Token } from '../pkcs11/token-link.ts'

const freshMs = 30_000

/**
 * Free room of the token as a field of a reply: that of the disk of a software token (`hsm.tokenDirectory`), which
 * other processes may not see, or of the token's own memory where it reports it (C_GetTokenInfo). Measured at most
 * twice a minute, because heartbeats ask for it. Empty where it is unknown.
 */
export function createRoomField(token: Token, tokenDirectory: string | undefined): () => Buffer {
  let field = Buffer.alloc(0)
  let until = 0
  let takesChanges = true
  let isLooking = false

  /** In the background: it writes, and a disk that stands still would hold up the whole host. */
  function lookAgain(folder: string): void {
    if (isLooking) return
    isLooking = true
    void isReadOnly(folder).then((isIt) => {
      isLooking = false
      if (takesChanges === isIt) until = 0
      takesChanges = !isIt
    })
  }

  return () => {
    if (performance.now() < until || token.state() !== 'ready') return field
    until = performance.now() + freshMs
    if (tokenDirectory !== undefined) lookAgain(tokenDirectory)
    try {
      const room = tokenDirectory === undefined ? roomInMemory(token) : roomOnDisk(tokenDirectory, takesChanges)
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
