import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { AuditEvent, AuditTrail } from '../../src/audit/event.ts'
import type { FindingKind } from '../../src/audit/audit-report.ts'
import type { AuditHeads } from '../../src/audit/records.ts'
import type { SealedHead } from '../../src/audit/seal.ts'
import { createAuditTrail, type AuditTrailOptions } from '../../src/audit/trail-writer.ts'
import { verifyTrail } from '../../src/audit/trail-verification.ts'
import { eventOf } from './event-kit.ts'
import { createKeySigner, type KeySigner } from './key-signer.ts'

export function givenDirectory(folder = tmpdir()): string {
  const directory = mkdtempSync(join(folder, 'audit-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

export function givenSigner(now = Date.now): KeySigner {
  return createKeySigner(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey, undefined, undefined, now)
}

/** A registry of heads in memory. The one in the database has its own tests. */
export function givenHeads(): AuditHeads & { readonly kept: Map<string, SealedHead> } {
  const kept = new Map<string, SealedHead>()
  return {
    kept,
    read: async () => new Map(kept),
    async write(chain, head) {
      if ((kept.get(chain)?.seq ?? 0) < head.seq) kept.set(chain, head)
    },
  }
}

export interface Bench {
  readonly directory: string
  readonly signer: KeySigner
  readonly heads: ReturnType<typeof givenHeads>
  readonly open: (options?: Partial<AuditTrailOptions>) => Promise<AuditTrail>
  /** All findings in short, without and with the help of the registry. */
  readonly findings: (
    registry?: 'with registry',
    directory?: string,
  ) => Promise<[chain: string, kind: FindingKind, file: string, line: number][]>
  readonly lines: (file: string) => string[]
  readonly rewrite: (file: string, change: (lines: string[]) => string[]) => void
  readonly files: () => string[]
}

export function givenBench(): Bench {
  const directory = givenDirectory()
  const signer = givenSigner()
  const heads = givenHeads()
  const lines = (file: string) => readFileSync(join(directory, file), 'latin1').split('\n').slice(0, -1)
  return {
    directory,
    signer,
    heads,
    lines,
    async open(options) {
      const defaults = { sealIntervalMs: 3_600_000, sealRecords: 1_000_000, segmentBytes: 1_000_000, lockWaitMs: 0 }
      const clock = { now: () => 1_700_000_000_000 }
      const trail = await createAuditTrail({
        directory,
        chain: 'worker-1',
        hsm: signer,
        heads,
        clock,
        ...defaults,
        ...options,
      })
      onTestFinished(() => trail.close())
      return trail
    },
    async findings(registry, elsewhere = directory) {
      const known = registry === undefined ? {} : { heads: heads.kept }
      const report = await verifyTrail({ directory: elsewhere, publicKey: signer.publicKey, ...known })
      return report.chains.flatMap(({ chain, findings }) =>
        findings.map(({ kind, file, line }): [string, FindingKind, string, number] => [chain, kind, file, line]),
      )
    },
    rewrite(file, change) {
      writeFileSync(
        join(directory, file),
        change(lines(file))
          .map((line) => `${line}\n`)
          .join(''),
        'latin1',
      )
    },
    files: () =>
      readdirSync(directory)
        .filter((name) => name.endsWith('.jsonl'))
        .toSorted(),
  }
}

export const manyEvents = (count: number): AuditEvent[] =>
  Array.from({ length: count }, (_, number) => eventOf({ requestId: `request-${number}` }))

export async function appendAll(trail: AuditTrail, events: readonly AuditEvent[]): Promise<void> {
  await Promise.all(events.map((event) => trail.append(event)))
}
