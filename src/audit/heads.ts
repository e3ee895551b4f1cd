import { LessThan } from 'typeorm'
import type { Store } from '../store/store.ts'
import type { ChainPoint } from './line.ts'
import { AuditHeadTable, type AuditHead } from './records.ts'
import { parseSeal, type SealVerifier } from './seal.ts'

/** A point of a chain that the token sealed, and the seal itself. */
export interface SealedHead extends ChainPoint {
  readonly line: string
}

/**
 * Where every chain's last seal is kept apart from its files: a chain that was cut short, or is gone, is noticed.
 * Both methods reject with `store.unavailable`.
 */
export interface AuditHeads {
  read(): Promise<Map<string, SealedHead>>
  /** Moves the chain's head forward; a head that lies behind the one kept is ignored. */
  write(chain: string, head: SealedHead): Promise<void>
}

// PostgreSQL hands out 64-bit integers as text.
type HeadRow = Omit<AuditHead, 'seq'> & { readonly seq: number | string }

export function createAuditHeads(store: Store): AuditHeads {
  return {
    async read() {
      const rows = await store.query<HeadRow>('SELECT chain, seq, hash, line FROM audit_heads ORDER BY chain', [])
      return new Map(rows.map(({ chain, seq, hash, line }) => [chain, { seq: Number(seq), hash, line }]))
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

/** True when the token sealed this head: whoever edits the registry cannot make one up. */
export function isGenuine(chain: string, head: SealedHead, verifier: SealVerifier): boolean {
  const seal = parseSeal(head.line)
  if (seal === undefined || seal.statement.chain !== chain) return false
  const { covers } = seal.statement
  return covers.seq === head.seq && covers.hash === head.hash && verifier.confirms(seal)
}
