import type { KeyBackup } from './key-backup.ts'
import type { KeyLife } from './key-life.ts'
import type { KeyUse } from './key-use.ts'
import type { Sealing } from './sealing.ts'
import type { HostStatus } from './token-status.ts'

// The words of the port have files of their own; this one is its face.
export type * from './key-backup.ts'
export * from './key-kind.ts'
export type * from './key-life.ts'
export * from './key-use.ts'
export type * from './token-status.ts'
export * from './wrapped-key.ts'

/**
 * The port to everything secret, in our words. Behind it stands a token host (`hsm/client` → `hsm/host` →
 * `hsm/pkcs11`); nothing in front of it ever holds a key.
 *
 * Every method rejects with a Fault: `hsm.unavailable` (token, host or queue does not answer: try again),
 * `hsm.sealed` (the PIN was refused; an operator must act), `hsm.rejected` (the token found the data bad: wrong tag,
 * wrong length, damaged blob), `hsm.seal_broken` (a record does not carry the seal that the token made for it),
 * `hsm.unsupported` (this token lacks the mechanism; the detail names it).
 */
export interface Hsm extends Sealing, KeyLife, KeyUse, KeyBackup {
  /** Whether each token host answers, and what its token is and can do. Never rejects for a host that is down. */
  status(): Promise<HostStatus[]>

  /** Random bytes from the token (C_GenerateRandom). 1 to 65,536 bytes. */
  random(bytes: number): Promise<Buffer>

  close(): Promise<void>
}
