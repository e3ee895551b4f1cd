import { actBy } from '../../access/acting.ts'
import type { Hsm } from '../../hsm/hsm.ts'
import type { Commit, Tx } from '../../store/store.ts'
import type { StoredKey, TransparentKey } from './records.ts'
import { sealedCount, sealedPolicy, sealedVersion, trusting } from './sealing.ts'

/** `Commit` for what the appliance does by itself to a key, with a record that says so. */
export type CommitForKey = <T>(operation: string, key: TransparentKey, work: (tx: Tx) => Promise<T>) => Promise<T>

/**
 * Commits the rotation that a key asks for, as the appliance: age and count are believed, like everything else of a row,
 * only under their seals, by which the keeper allows it.
 */
export async function commitOfRotation(
  hsm: Pick<Hsm, 'grantRotation' | 'verify'>,
  commitAsAppliance: CommitForKey,
  { key, latest }: StoredKey,
): Promise<Commit> {
  const commit: Commit = (work) => commitAsAppliance('transparent.key.autorotate', key, work)
  const shown = [sealedPolicy(key), sealedVersion(key, latest), sealedCount(key, latest)] as const
  const rotation = await trusting(() => hsm.grantRotation(...shown))
  return (work) =>
    commit((tx) => {
      actBy(tx, () => Promise.resolve(rotation))
      return work(tx)
    })
}
