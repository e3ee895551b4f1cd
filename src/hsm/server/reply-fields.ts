import type { GeneratedKey, TokenObjectKey, WrappedKey } from '../hsm.ts'
import type { Token } from '../pkcs11/token-link.ts'
import { tokenStatus } from '../pkcs11/token-report.ts'

const nothing = Buffer.alloc(0)

/** How a host is, without asking its token. */
export function pong(token: Token): Buffer[] {
  return [Buffer.from(token.state()), Buffer.from(token.reason() ?? '')]
}

export function statusFields(token: Token): Buffer[] {
  return [...pong(token), Buffer.from(token.state() === 'ready' ? JSON.stringify(tokenStatus(token)) : '')]
}

export function generated({ publicKey, backup, ...key }: GeneratedKey): Buffer[] {
  return [...wrapped(key), publicKey ?? nothing, ...(backup === undefined ? [nothing, nothing] : wrapped(backup))]
}

export function wrapped({ kek, blob }: WrappedKey): Buffer[] {
  return [Buffer.from(kek), blob]
}

export function tokenObject({ id, publicKey }: TokenObjectKey): Buffer[] {
  return [Buffer.from(id), publicKey ?? nothing]
}
