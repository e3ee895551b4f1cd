import type { ArchiveStatement } from './archive/archive-manifest.ts'
import type { AbsentMachine } from './chain-machine.ts'

/**
 * The kinds of faults in a trail. `changed`: bytes differ from what was written; `removed`: records between others are
 * missing; `added`: a line is out of place; `torn`: the last line is unfinished; `truncated`: the end of a chain is
 * missing; `bad signature`: the key did not make this seal; `missing chain`: the chain has no files.
 */
export type FindingKind = 'changed' | 'removed' | 'added' | 'torn' | 'truncated' | 'bad signature' | 'missing chain'

export interface LinePosition {
  /** The file's name in the directory; `audit_heads` for a head in the registry. */
  readonly file: string
  /** 1 for the first line; 0 for the whole file. */
  readonly line: number
}

export interface Finding extends LinePosition {
  readonly kind: FindingKind
  /** One sentence. */
  readonly detail: string
}

export interface RowFinding {
  readonly row: string
  /**
   * `older`: by the trail, the row had this state earlier; `removed`: the trail records its removal, but the row
   * exists; `missing`: the row is gone without a recorded removal; `unknown`: no record tells of its creation;
   * `changed`: no record tells of this state.
   */
  readonly kind: 'older' | 'removed' | 'missing' | 'unknown' | 'changed'
  readonly detail: string
}

export interface ChainReport {
  readonly chain: string
  /** Number of events, without seals. */
  readonly records: number
  readonly seals: number
  /** The last record that a seal covers; 0 if there is none. */
  readonly sealedSeq: number
  /** Number of events after that record. A change or removal among them may go undetected. */
  readonly unsealed: number
  readonly findings: readonly Finding[]
  /** Number of findings that were not kept. */
  readonly moreFindings: number
}

export interface AuditReport {
  /** True if no chain has a finding. */
  readonly sound: boolean
  readonly chains: readonly ChainReport[]
  /** Machines that the registry or a seal names and whose trail was not read, so that their chains are unverified. */
  readonly absent: readonly AbsentMachine[]
  /** The latest archive of each chain; see `strongroom audit archive`. */
  readonly archived: readonly ArchiveStatement[]
}

/** Keeps the first 100 findings of a chain and counts the rest, which limits the memory for a badly damaged trail. */
export function createFindings() {
  const kept: Finding[] = []
  let more = 0
  return {
    kept,
    get more() {
      return more
    },
    add(kind: FindingKind, { file, line }: LinePosition, detail: string) {
      if (kept.length < 100) kept.push({ file, line, kind, detail })
      else more += 1
    },
  }
}

export type Findings = ReturnType<typeof createFindings>
