import {
  randomSessionToken,
  sessionTokenForm,
  sessionTokenHash,
  sessionTokenOf,
} from '../../access/session-token-form.ts'
import type { Hsm } from '../../hsm/hsm.ts'

/** A token, and the hash that is stored of it. */
export interface SessionToken {
  readonly token: string
  readonly hash: string
}

/** A random token. */
export const newSessionToken = (): SessionToken => withHash(randomSessionToken())

/**
 * The token that replaces this one under strict rotation: always the same, so that a client that lost an answer gets it
 * again, from any worker. Only the token's pepper derives it, and only from the token itself, of which the database has
 * but the hash: neither a copy of the database nor an old token leads to a newer one.
 */
export async function successorOf(hsm: Pick<Hsm, 'sessionTokenSuccessor'>, token: string): Promise<SessionToken> {
  return withHash(sessionTokenOf(await hsm.sessionTokenSuccessor(token)))
}

/** What is stored and looked up instead of the token; undefined for a text that cannot be one. */
export function hashOf(token: string): string | undefined {
  return sessionTokenForm.test(token) ? sessionTokenHash(token) : undefined
}

const withHash = (token: string): SessionToken => ({ token, hash: sessionTokenHash(token) })
