import { timingSafeEqual } from 'node:crypto'
import { Fault } from '../../fault.ts'
import type { BackupSeal } from '../hsm.ts'
import { sealBytes } from './seal-check.ts'
import { hmacSha256 } from './mechanisms.ts'
import type { Token } from './token.ts'

export function sealBackup(token: Token, bytes: Buffer): BackupSeal {
  return token.run(({ session, roots }) => {
    const { name, handle } = roots.newestBackupSeal()
    return { name, seal: session.sign(hmacSha256, handle, bytes, Buffer.alloc(sealBytes)) }
  })
}

/** Throws `hsm.seal_broken`; `hsm.rejected` where the token has no backup seal of that name. */
export function verifyBackup(token: Token, bytes: Buffer, { name, seal }: BackupSeal): void {
  const expected = token.run(({ session, roots }) =>
    session.sign(hmacSha256, roots.backupSeal(name), bytes, Buffer.alloc(sealBytes)),
  )
  if (seal.length !== sealBytes || !timingSafeEqual(seal, expected))
    throw new Fault('hsm.seal_broken', 'The backup was altered, or comes from an appliance with other backup keys.')
}
