import { EntitySchema, LessThan } from 'typeorm'
import { integer, primary, text } from '../store/columns.ts'
import type { Store } from '../store/store.ts'
import type { SealedHead } from './seal.ts'

/** The last sealed record of a chain, which the seals of the other chains confirm. */
interface AuditHead extends SealedHead {
  readonly chain: string
}

export const AuditHeadTable = new EntitySchema<AuditHead>({
  name: 'AuditHead',
  tableName: 'audit_heads',
  columns: { chain: primary(text), seq: integer, hash: text, line: text },
})

/**
 * The registry in the database of each chain's last seal. With it, a missing chain or a chain that was cut is detected.
 * @throws Fault `store.unavailable` from both methods
 */
export interface AuditHeads {
  read(): Promise<Map<string, SealedHead>>
  /** Stores the chain's head; one that is behind the stored head is ignored. */
  write(chain: string, head: SealedHead): Promise<void>
}

export function createAuditHeads(store: Store): AuditHeads {
  return {
    async read() {
      const heads = await store.read.find(AuditHeadTable, { order: { chain: 'ASC' } })
      return new Map(heads.map(({ chain, ...head }) => [chain, head]))
    },
    async write(chain, head) {
      await store.transaction(async (tx) => {
        const moved = await tx.update(AuditHeadTable, { chain, seq: LessThan(head.seq) }, { ...head })
        if (moved.affected === 1 || (await tx.existsBy(AuditHeadTable, { chain }))) return
        await tx.insert(AuditHeadTable, { chain, ...head })
      })
    },
  }
}
