import { grantOf } from '../../access/acting.ts'
import type { Hsm } from '../../hsm/hsm.ts'
import type { SealedRecord } from '../../hsm/sealed-record.ts'
import { afterCommit } from '../../store/after-commit.ts'
import type { Tx } from '../../store/store.ts'
import { insertTombstone } from './records.ts'

/**
 * Has the keeper say, in place of the last record of a vault or key, that it has ended; for the caller of the
 * transaction. With the commit no host uses anything of it any more, and no row of before comes back.
 */
export async function entomb(
  hsm: Pick<Hsm, 'sealTombstone' | 'raise'>,
  tx: Tx,
  last: SealedRecord,
): Promise<SealedRecord> {
  const tombstone = await hsm.sealTombstone(last, await grantOf(tx))
  await insertTombstone(tx, tombstone)
  afterCommit(tx, () => hsm.raise([tombstone]))
  return tombstone
}
