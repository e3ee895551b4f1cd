import { groupsOf } from '../../groups.ts'
import type { Hsm } from '../../hsm/hsm.ts'
import { afterCommit } from '../../store/commit-work.ts'
import type { Tx } from '../../store/store.ts'
import { markEnded, tokensOf } from './session-records.ts'
import { findSealedSession } from './session-seals.ts'

/** Ends any number of sessions; resolves to how many of them were open. */
export type EndSessions = (tx: Tx, sessionIds: readonly number[], now: number) => Promise<number>

/** Sessions per statement and per frame to the keeper. A statement of SQLite has at most 32,766 parameters. */
const endedAtOnce = 500

/** Ends sessions in the database and, with the commit, at the keeper, which gives them no grant from then on. */
export function createSessionEnding(hsm: Pick<Hsm, 'endSessions'>): EndSessions {
  async function endSome(tx: Tx, sessionIds: readonly number[], now: number): Promise<number> {
    const ended = await markEnded(tx, sessionIds, now)
    if (ended === 0) return 0
    const found = await Promise.all((await tokensOf(tx, sessionIds)).map((hash) => findSealedSession(tx, hash)))
    afterCommit(tx, () => hsm.endSessions(found.flatMap((one) => one?.sealed ?? [])))
    return ended
  }

  return async (tx, sessionIds, now) => {
    let ended = 0
    for (const some of groupsOf(sessionIds, endedAtOnce)) ended += await endSome(tx, some, now)
    return ended
  }
}
