import { groupsOf } from '../groups.ts'
import type { Tx } from './store.ts'

type Work = () => Promise<unknown>

/** Calls after one commit that run in parallel: thousands at once would fill queues in which others wait. */
const doneAtOnce = 32

const before = createWorkLists()
const after = createWorkLists()

/**
 * Runs `work` once all changes of the transaction are made, before it is committed; if it fails, nothing is. Stores
 * that commit the changes of several callers together run all of their work in parallel.
 */
export function beforeCommit(tx: Tx, work: Work): void {
  before.add(tx, work)
}

/** Runs `work` once the transaction is committed, before its caller continues. */
export function afterCommit(tx: Tx, work: Work): void {
  after.add(tx, work)
}

/** Called by stores. Rejects with the first failure, once all have ended. */
export async function runBeforeCommit(...txs: readonly Tx[]): Promise<void> {
  const list = txs.flatMap(before.of)
  const failed = (await Promise.allSettled(list.map((work) => work()))).find(({ status }) => status === 'rejected')
  if (failed?.status === 'rejected') throw failed.reason
}

/** Called by stores. A failure is ignored, since the change is committed in any case. */
export async function runAfterCommit(tx: Tx): Promise<void> {
  for (const some of groupsOf(after.of(tx), doneAtOnce)) await Promise.allSettled(some.map((work) => work()))
}

function createWorkLists() {
  const lists = new WeakMap<Tx, Work[]>()
  return {
    add(tx: Tx, work: Work): void {
      const list = lists.get(tx)
      if (list === undefined) lists.set(tx, [work])
      else list.push(work)
    },
    of: (tx: Tx): readonly Work[] => lists.get(tx) ?? [],
  }
}
