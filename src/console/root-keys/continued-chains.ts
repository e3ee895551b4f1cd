import { writtenChains } from '../../audit/chain-lock.ts'
import { createAuditHeads } from '../../audit/records.ts'
import { parseSeal } from '../../audit/seal.ts'
import { listSegments } from '../../audit/segment.ts'
import { createAuditTrail } from '../../audit/trail-writer.ts'
import { systemClock } from '../../clock.ts'
import { keyId } from '../../hsm/audit-end.ts'
import type { TokenContext } from '../console-context.ts'
import { leaveToOwner } from '../file-owner.ts'

/**
 * Adds a record and its seal to each chain of this machine that an earlier key sealed last and that no process writes,
 * as of workers that there are no longer. Other machines, whose statement of that key's end does not name the chain,
 * would find its end unconfirmed for good. Chains that are written get such a seal with their next record.
 */
export async function continueChains({ config, store, token }: TokenContext): Promise<void> {
  const { directory } = config.audit
  const key = keyId((await token.hsm.auditKeys()).publicKey)
  const heads = createAuditHeads(store)
  const [kept, written] = [await heads.read(), await writtenChains(directory)]
  try {
    for (const chain of (await listSegments(directory)).keys()) {
      const sealedBy = parseSeal(kept.get(chain)?.line ?? '')?.statement.key
      if (sealedBy === undefined || sealedBy === key || written.includes(chain)) continue
      const options = { ...config.audit, chain, hsm: token.hsm, heads, clock: systemClock, lockWaitMs: 0 }
      const trail = await createAuditTrail(options)
      try {
        const at = systemClock.now()
        const target = `sealed by the key ${key} from here on`
        await trail.append({ at, operation: 'audit.continued', requestId: '', outcome: 'noted', target })
      } finally {
        await trail.close()
      }
    }
  } finally {
    // A process that takes one of them meanwhile makes this fail, and needs the files of the others.
    leaveToOwner(directory)
  }
}
