import { groupsOf } from '../groups.ts'
import type { Tx } from './store.ts'

/** Calls after one commit that run in parallel: thousands at once would fill queues in which others wait. */
const doneAtOnce = 32

const waiting = new WeakMap<Tx, (() => Promise<unknown>)[]>()

/** Runs `work` once the transaction is committed, before its caller continues. */
export function afterCommit(tx: Tx, work: () => Promise<unknown>): void {
  const list = waiting.get(tx)
  if (list === undefined) waiting.set(tx, [work])
  else list.push(work)
}

/** Called by stores. A failure is ignored, since the change is committed in any case. */
export async function runAfterCommit(tx: Tx): Promise<void> {
  for (const some of groupsOf(waiting.get(tx) ?? [], doneAtOnce)) await Promise.allSettled(some.map((work) => work()))
}
