import type { FindingKind, LinePosition } from '../audit-report.ts'
import type { Seal } from '../seal.ts'
import type { WitnessedHead } from './witness-file.ts'

/** The end of a chain; undefined if the chain has no files. */
export type ChainEndOf = (
  chain: string,
) => { readonly sealedSeq: number; readonly startSeq: number; readonly position: LinePosition } | undefined

export type AddFinding = (chain: string, kind: FindingKind, position: LinePosition, detail: string) => void

/**
 * Compares the seals of a trail with the heads that a witness knows: the trail must contain each head as it was signed.
 */
export interface WitnessComparison {
  /** Takes a genuine seal whose covered record is in its chain. */
  readonly seal: (seal: Seal) => void
  /** Reports each head for which the trail has no seal. */
  conclude(endOf: ChainEndOf, add: AddFinding): void
}

export function createWitnessComparison(witnessed: readonly WitnessedHead[]): WitnessComparison {
  const open = new Map(witnessed.map((head) => [`${head.chain} ${head.seq} ${head.hash} ${head.signature}`, head]))
  return {
    seal({ statement: { chain, covers }, signature }) {
      open.delete(`${chain} ${covers.seq} ${covers.hash} ${signature.toString('base64')}`)
    },
    conclude(endOf, add) {
      for (const { chain, seq, position } of [...open.values()].toSorted((a, b) => a.seq - b.seq)) {
        const end = endOf(chain)
        // The record is in an archive. The chain continues from the end of the archive.
        if (end !== undefined && seq <= end.startSeq) continue
        const by = `The witness (line ${position.line} of ${position.file}) knows a signed head at record ${seq}`
        if (end === undefined) add(chain, 'missing chain', position, `${by}; no file of this chain is left.`)
        else if (end.sealedSeq < seq)
          add(chain, 'truncated', end.position, `${by}; the sealed records of this chain end with ${end.sealedSeq}.`)
        else add(chain, 'changed', end.position, `${by}; this chain has another one there, or none.`)
      }
    },
  }
}
