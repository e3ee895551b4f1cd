import type { Clock } from '../clock.ts'
import type { Hsm } from '../hsm/hsm.ts'
import { sha256, type ChainPoint } from './line.ts'
import { leavePublicKey } from './public-key.ts'
import type { AuditHeads } from './records.ts'
import {
  createSealVerifier,
  isGenuine,
  parseSeal,
  sealBody,
  sealReach,
  statementText,
  type SealVerifier,
} from './seal.ts'

export interface AuditLog {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

export type AuditSigner = Pick<Hsm, 'signAudit' | 'auditPublicKey'>

/** Seals a chain at intervals. A token or a database that fails delays seals, and nothing else. */
export interface Sealer {
  /** Tells that `events` more stand in the chain. */
  wrote(events: number): void
  /** Seals what is not sealed, once, and stops. Never rejects. */
  close(): Promise<void>
}

export interface SealerOptions {
  readonly directory: string
  readonly chain: string
  readonly hsm: AuditSigner
  readonly heads: AuditHeads
  readonly clock: Clock
  readonly sealIntervalMs: number
  readonly sealRecords: number
  readonly log: AuditLog | undefined
  /** The last line on the disk. */
  readonly end: () => ChainPoint
  /** Puts the seal into the chain; resolves when it is on the disk. */
  readonly append: (body: string) => Promise<void>
}

export function createSealer(options: SealerOptions): Sealer {
  const { chain, log, sealIntervalMs, sealRecords } = options
  const sign = createSealing(options)
  let unsealed = 0
  let failing = false
  let timer: NodeJS.Timeout | undefined
  let underway: Promise<void> | undefined
  let closing = false

  async function seal(): Promise<void> {
    const covered = unsealed
    try {
      await sign()
      unsealed -= covered
      if (failing) log?.info({ chain }, 'the audit chain is sealed again')
      failing = false
    } catch (error) {
      if (!failing) log?.warn({ chain, err: error }, 'the audit chain cannot be sealed; records go on, unsealed')
      failing = true
    }
  }

  function start(): void {
    clearTimeout(timer)
    timer = undefined
    underway ??= seal().finally(() => {
      underway = undefined
      schedule()
    })
  }

  function schedule(): void {
    if (unsealed === 0 || underway !== undefined || closing) return
    if (unsealed >= sealRecords && !failing) start()
    else timer ??= setTimeout(start, sealIntervalMs).unref()
  }

  return {
    wrote(events) {
      unsealed += events
      schedule()
    },
    async close() {
      closing = true
      clearTimeout(timer)
      await underway
      if (unsealed > 0) await seal()
    },
  }
}

function createSealing(options: SealerOptions): () => Promise<void> {
  const { directory, chain, hsm, heads, clock, end, append, log } = options
  let verifier: SealVerifier | undefined
  const confirmed = new Map<string, string>()

  async function verifierOf(): Promise<SealVerifier> {
    if (verifier !== undefined) return verifier
    const publicKey = await hsm.auditPublicKey()
    await leavePublicKey(directory, publicKey)
    verifier = createSealVerifier(publicKey)
    return verifier
  }

  // Only what the token sealed is witnessed; a head that was checked once is not checked again.
  async function otherHeads(verifier: SealVerifier): Promise<Record<string, ChainPoint>> {
    const others: Record<string, ChainPoint> = {}
    for (const [name, head] of await heads.read()) {
      if (name === chain) continue
      if (confirmed.get(name) === head.line || isGenuine(name, head, verifier)) {
        confirmed.set(name, head.line)
        others[name] = { seq: head.seq, hash: head.hash }
      } else {
        log?.error(
          { chain: name, seq: head.seq },
          'the registry holds a head of this audit chain that no seal confirms',
        )
      }
    }
    return others
  }

  return async () => {
    const verifier = await verifierOf()
    const witnessed = await otherHeads(verifier)
    const covers = end()
    const text = statementText({ chain, at: clock.now(), covers, heads: witnessed, key: verifier.keyId })
    const body = sealBody(text, await hsm.signAudit(Buffer.from(sha256(text), 'hex')))
    const seal = parseSeal(body)
    if (seal === undefined || !verifier.verifies(seal))
      throw new Error('the token made a signature that does not verify')
    if (end().seq - covers.seq >= sealReach) throw new Error('the token took so long that the seal came too late')
    await append(body)
    await heads.write(chain, { ...covers, line: body })
  }
}
