import {
  randomSessionToken,
  sessionTokenForm,
  sessionTokenHash,
  sessionTokenOf,
} from '../../access/session-token-form.ts'
import type { Hsm } from '../../hsm/hsm.ts'

/** A session token, and the hash of it that is stored. */
export interface SessionToken {
  readonly token: string
  readonly hash: string
}

/** Draws a random token. */
export const newSessionToken = (): SessionToken => withHash(randomSessionToken())

/**
 * The token that replaces this one under strict rotation. It is derived, so that a client that lost an answer gets the
 * same token again from any worker. Only the token's pepper can derive it, and only from the present token, of which
 * the database has just the hash: neither a copy of the database nor an older token leads to a newer one.
 */
export async function successorOf(hsm: Pick<Hsm, 'sessionTokenSuccessor'>, token: string): Promise<SessionToken> {
  return withHash(sessionTokenOf(await hsm.sessionTokenSuccessor(token)))
}

/** The hash that is stored and looked up instead of the token; undefined for a text without the form of a token. */
export function hashOf(token: string): string | undefined {
  return sessionTokenForm.test(token) ? sessionTokenHash(token) : undefined
}

const withHash = (token: string): SessionToken => ({ token, hash: sessionTokenHash(token) })
