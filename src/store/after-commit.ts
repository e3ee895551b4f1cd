import { groupsOf } from '../groups.ts'
import type { Tx } from './store.ts'

/** Of a change with thousands of parts, all at once would fill the queues where others wait, too. */
const doneAtOnce = 32

const waiting = new WeakMap<Tx, (() => Promise<unknown>)[]>()

/** Has `work` done once the transaction is committed, and before its caller goes on. */
export function afterCommit(tx: Tx, work: () => Promise<unknown>): void {
  const list = waiting.get(tx)
  if (list === undefined) waiting.set(tx, [work])
  else list.push(work)
}

/** Called by stores. What fails is left undone: the change is committed, whatever follows it. */
export async function runAfterCommit(tx: Tx): Promise<void> {
  for (const some of groupsOf(waiting.get(tx) ?? [], doneAtOnce)) await Promise.allSettled(some.map((work) => work()))
}
