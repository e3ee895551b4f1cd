import { transactionGrant } from '../../access/transaction-grant.ts'
import type { Hsm } from '../../hsm/hsm.ts'
import type { SealedRecord } from '../../hsm/sealed-record.ts'
import { afterCommit } from '../../store/commit-work.ts'
import type { Tx } from '../../store/store.ts'
import { insertTombstone } from './records.ts'

/**
 * Has the keeper seal a tombstone in place of the last record of a vault or key, under the grant of the transaction's
 * caller, and stores it. With the commit all hosts refuse its records, also where an older row is put back.
 */
export async function recordTombstone(
  hsm: Pick<Hsm, 'sealTombstone' | 'raise'>,
  tx: Tx,
  last: SealedRecord,
): Promise<SealedRecord> {
  const tombstone = await hsm.sealTombstone(last, await transactionGrant(tx))
  await insertTombstone(tx, tombstone)
  afterCommit(tx, () => hsm.raise([tombstone]))
  return tombstone
}
