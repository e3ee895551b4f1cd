import type { ArchiveStatement } from './archive/archive-manifest.ts'
import type { AbsentMachine } from './chain-machine.ts'

/**
 * What is wrong with a trail. `changed`: bytes are not those that were written; `removed`: records are missing between
 * others; `added`: a line stands where none belongs; `torn`: an unfinished line at the end; `truncated`: the end of a
 * chain is missing; `bad signature`: a seal that the key did not make; `missing chain`: no file of it is left.
 */
export type FindingKind = 'changed' | 'removed' | 'added' | 'torn' | 'truncated' | 'bad signature' | 'missing chain'

export interface LinePosition {
  /** The file's name inside the directory, or `audit_heads` for the registry. */
  readonly file: string
  /** 1 for the first; 0 when the whole file is meant. */
  readonly line: number
}

export interface Finding extends LinePosition {
  readonly kind: FindingKind
  /** One sentence. */
  readonly detail: string
}

export interface ChainReport {
  readonly chain: string
  /** Events, without seals. */
  readonly records: number
  readonly seals: number
  /** The last record that a seal covers; 0 when none is. */
  readonly sealedSeq: number
  /** Events after it: a changed or missing one among them may not be found. */
  readonly unsealed: number
  readonly findings: readonly Finding[]
  /** Further findings, only counted. */
  readonly moreFindings: number
}

export interface AuditReport {
  /** True when nothing was found in any chain. */
  readonly sound: boolean
  readonly chains: readonly ChainReport[]
  /** Machines that the registry or a seal names, and whose trail was not read: nothing is known of theirs. */
  readonly absent: readonly AbsentMachine[]
  /** Of each chain what was archived furthest; see `strongroom audit archive`. */
  readonly archived: readonly ArchiveStatement[]
}

/** Keeps the first findings of a chain and counts the rest, so that a ruined trail does not fill the memory. */
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
