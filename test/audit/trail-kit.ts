import { createECDH, createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { AuditEvent, AuditTrail } from '../../src/audit/event.ts'
import type { FindingKind } from '../../src/audit/finding.ts'
import type { AuditHeads, SealedHead } from '../../src/audit/heads.ts'
import type { AuditSigner } from '../../src/audit/sealer.ts'
import { createAuditTrail, type AuditTrailOptions } from '../../src/audit/trail.ts'
import { verifyTrail } from '../../src/audit/verify.ts'

export function givenDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'audit-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

/** The signing port over a P-256 key in this process: r ‖ s over a digest that is given, as the token does it. */
export interface KeySigner extends AuditSigner {
  readonly publicKey: Buffer
  /** While set, the token fails with it. */
  broken: Error | undefined
}

export function givenSigner(
  privateKey: KeyObject = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
): KeySigner {
  const publicKey = createPublicKey(privateKey).export({ type: 'spki', format: 'der' })
  const d = bigintOf(Buffer.from(String(privateKey.export({ format: 'jwk' }).d), 'base64url'))
  const signer: KeySigner = {
    publicKey,
    broken: undefined,
    async auditPublicKey() {
      if (signer.broken !== undefined) throw signer.broken
      return publicKey
    },
    async signAudit(digest) {
      if (signer.broken !== undefined) throw signer.broken
      return ecdsa(bigintOf(digest), d)
    },
  }
  return signer
}

// FIPS 186-5 §6.4.1; node:crypto signs messages, not digests. What judges the result is OpenSSL's verify.
const order = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n

function ecdsa(z: bigint, d: bigint): Buffer {
  const nonce = createECDH('prime256v1')
  const point = nonce.generateKeys()
  const r = bigintOf(point.subarray(1, 33)) % order
  const k = bigintOf(nonce.getPrivateKey())
  const s = (power(k, order - 2n) * (z + r * d)) % order
  return Buffer.from(r.toString(16).padStart(64, '0') + s.toString(16).padStart(64, '0'), 'hex')
}

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n
  for (const bit of exponent.toString(2)) result = (result * result * (bit === '1' ? base : 1n)) % order
  return result
}

const bigintOf = (bytes: Uint8Array): bigint => BigInt(`0x${Buffer.from(bytes).toString('hex')}`)

/** A registry that lives as long as the test. The one over the database has tests of its own. */
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
  /** Every finding in short, without and with the registry's help. */
  readonly findings: (
    registry?: 'with registry',
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
    async findings(registry) {
      const known = registry === undefined ? {} : { heads: heads.kept }
      const report = await verifyTrail({ directory, publicKey: signer.publicKey, ...known })
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

export function eventOf(change: Partial<AuditEvent> = {}): AuditEvent {
  return {
    at: 1_700_000_000_123,
    operation: 'transparent.encrypt',
    requestId: '0f2c1b0e-8a52-4f0b-9f57-6d3c2b1a0987',
    outcome: 'allowed',
    userId: 7,
    username: 'alice',
    sessionId: 1234,
    applicationKeyId: 3,
    address: '192.0.2.17',
    vault: '12',
    key: 'orders',
    keyVersion: 2,
    ms: 1.2346,
    ...change,
  }
}

export const manyEvents = (count: number): AuditEvent[] =>
  Array.from({ length: count }, (_, number) => eventOf({ requestId: `request-${number}` }))

export async function appendAll(trail: AuditTrail, events: readonly AuditEvent[]): Promise<void> {
  await Promise.all(events.map((event) => trail.append(event)))
}
