import { statfsSync } from 'node:fs'
import { isReadOnlySync } from '../../read-only.ts'
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
  return () => {
    if (performance.now() < until || token.state() !== 'ready') return field
    until = performance.now() + freshMs
    try {
      const room = tokenDirectory === undefined ? roomInMemory(token) : roomOnDisk(tokenDirectory)
      field = Buffer.from(room === undefined ? '' : JSON.stringify(room))
    } catch {
      field = Buffer.alloc(0)
    }
    return field
  }
}

function roomOnDisk(folder: string) {
  const { bavail, blocks, bsize } = statfsSync(folder)
  const freeBytes = isReadOnlySync(folder) ? 0 : bavail * bsize
  return { kind: 'disk', freeBytes, totalBytes: blocks * bsize }
}
