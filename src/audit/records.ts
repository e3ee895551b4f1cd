import { EntitySchema, LessThan } from 'typeorm'
import { integer, primary, text } from '../store/columns.ts'
import type { Store } from '../store/store.ts'
import type { SealedHead } from './seal.ts'

/** The last sealed point of a chain, as the other chains witness it. */
interface AuditHead extends SealedHead {
  readonly chain: string
}

export const AuditHeadTable = new EntitySchema<AuditHead>({
  name: 'AuditHead',
  tableName: 'audit_heads',
  columns: { chain: primary(text), seq: integer, hash: text, line: text },
})

/**
 * Where every chain's last seal is kept apart from its files: a chain that was cut short, or is gone, is noticed.
 * Both methods reject with `store.unavailable`.
 */
export interface AuditHeads {
  read(): Promise<Map<string, SealedHead>>
  /** Moves the chain's head forward; a head that lies behind the one kept is ignored. */
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
