import { randomInt } from 'node:crypto'
import type { Clock } from '../clock.ts'
import { type ChainPoint, mostHeads, parseStatement, type SignedEnd } from '../hsm/audit-end.ts'
import type { Hsm } from '../hsm/hsm.ts'
import { leaveTrailKeys } from './trail-keys.ts'
import type { AuditHeads } from './records.ts'
import type { TrailState } from './trail-state.ts'
import { createSealVerifier, isGenuine, parseSeal, type Seal, sealBody, sealReach, type SealVerifier } from './seal.ts'

export interface AuditLog {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}

export type AuditSigner = Pick<Hsm, 'signAuditEnd' | 'lastAuditEnd' | 'auditKeys'>

/** Seals a chain at intervals. A failure of the token or the database only delays seals. */
export interface ChainSealer {
  /** Reports that `events` more events were written to the chain. */
  wrote(events: number): void
  /** Tries once to seal the unsealed records, and stops. Never rejects. */
  close(): Promise<void>
}

export interface ChainSealerOptions {
  readonly directory: string
  readonly chain: string
  readonly hsm: AuditSigner
  readonly heads: AuditHeads
  readonly clock: Clock
  readonly sealIntervalMs: number
  readonly sealRecords: number
  readonly log: AuditLog | undefined
  readonly state?: TrailState | undefined
  /** The last seal in the chain when it is opened. */
  readonly lastSeal: SignedEnd | undefined
  /** The last line on the disk. */
  readonly end: () => ChainPoint
  /** Appends the seal to the chain; resolves when it is on the disk. */
  readonly append: (body: string) => Promise<void>
}

export function createChainSealer(options: ChainSealerOptions): ChainSealer {
  const { chain, clock, log, sealIntervalMs, sealRecords, state } = options
  const sign = createSealing(options)
  let unsealed = 0
  let failing = false
  let timer: NodeJS.Timeout | undefined
  let underway: Promise<void> | undefined
  let closing = false

  async function seal(): Promise<void> {
    const covered = unsealed
    const began = clock.now()
    try {
      await sign()
      unsealed -= covered
      if (state) Object.assign(state, { unsealed, unsealedSince: unsealed === 0 ? undefined : began, sealedAt: began })
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
      if (state && events > 0) {
        state.unsealed = unsealed
        state.unsealedSince ??= clock.now()
      }
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

const coveredBy = (seal: SignedEnd | undefined): number =>
  seal === undefined ? 0 : (parseStatement(seal.text)?.covers.seq ?? 0)

function createSealing(options: ChainSealerOptions): () => Promise<void> {
  const { directory, chain, hsm, heads, end, append, log, clock, state } = options
  let verifier: SealVerifier | undefined
  const confirmed = new Map<string, string>()
  /** Chains whose heads in the registry no seal confirmed at the last look. */
  const unconfirmed = new Set<string>()
  /** The last seal in the chain. */
  let written = options.lastSeal
  /** Whether the keeper's last signature may be later than `written`. */
  let inDoubt = true
  const inTurn = createTurns()

  async function verifierOf(): Promise<SealVerifier> {
    verifier ??= createSealVerifier(await leaveTrailKeys(directory, hsm))
    return verifier
  }

  // If the seal names an unknown key, a succession has taken place: read the keys again.
  async function verifierFor(seal: Seal, known: SealVerifier): Promise<SealVerifier> {
    if (known.knows(seal.statement.key)) return known
    verifier = undefined
    return verifierOf()
  }

  // A seal names only heads of other chains that the token sealed. Each head is checked once.
  async function otherHeads(known: SealVerifier): Promise<Record<string, ChainPoint>> {
    const others: Record<string, ChainPoint> = {}
    for (const [name, head] of await heads.read()) {
      if (name === chain) continue
      const seal = parseSeal(head.line)
      // The new key may have signed the other chain first.
      if (
        confirmed.get(name) === head.line ||
        (seal !== undefined && isGenuine(name, head, await verifierFor(seal, known)))
      ) {
        confirmed.set(name, head.line)
        others[name] = { seq: head.seq, hash: head.hash }
        if (unconfirmed.delete(name)) log?.info({ chain: name }, 'a seal confirms the head of this audit chain again')
      } else if (!unconfirmed.has(name)) {
        // Once, since it may last for as long as another machine signs with another key: the primary warns daily.
        unconfirmed.add(name)
        log?.error(
          { chain: name, seq: head.seq },
          'the registry holds a head of this audit chain that no seal confirms',
        )
      }
    }
    if (state) Object.assign(state, { comparedAt: clock.now(), unconfirmed: [...unconfirmed] })
    return inTurn(others)
  }

  async function put(seal: SignedEnd, verifier: SealVerifier): Promise<void> {
    const body = sealBody(seal)
    const read = parseSeal(body)
    if (read === undefined || !(await verifierFor(read, verifier)).verifies(read))
      throw new Error('the token made a signature that does not verify')
    await append(body)
    written = seal
    await heads.write(chain, { ...read.statement.covers, line: body })
  }

  // A process may have ended after a signature and before it wrote its line. The keeper then has that signature and
  // continues only from it, so it is written now.
  async function lastSigned(verifier: SealVerifier): Promise<SignedEnd | undefined> {
    const last = await hsm.lastAuditEnd(chain)
    if (last !== undefined && coveredBy(last) > coveredBy(written)) await put(last, verifier)
    return last ?? adoptable(verifier)
  }

  // The last seal of a chain that the keeper does not know: an earlier release or another machine made it.
  const adoptable = (verifier: SealVerifier): SignedEnd | undefined => {
    const seal = written === undefined ? undefined : parseSeal(sealBody(written))
    return seal !== undefined && verifier.verifies(seal) ? seal : undefined
  }

  return async () => {
    const verifier = await verifierOf()
    const others = await otherHeads(verifier)
    const previous = inDoubt ? await lastSigned(verifier) : written
    const covers = end()
    inDoubt = true
    const signed = await hsm.signAuditEnd({ chain, covers, heads: others, previous })
    if (end().seq - covers.seq >= sealReach) throw new Error('the token took so long that the seal came too late')
    await put(signed, verifier)
    inDoubt = false
  }
}

/**
 * Chooses the chains that the next seal names: each time those that follow in the order of their names, whether or not
 * they go on. The first is drawn, so that those at the end have their turn although processes often restart.
 */
function createTurns() {
  let last: string | undefined
  return (heads: Readonly<Record<string, ChainPoint>>): Record<string, ChainPoint> => {
    const all = Object.entries(heads).toSorted(([a], [b]) => (a < b ? -1 : 1))
    if (all.length <= mostHeads) return heads
    const next = last === undefined ? randomInt(all.length) : all.findIndex(([name]) => name > (last ?? ''))
    const turn = [...all.slice(Math.max(next, 0)), ...all.slice(0, Math.max(next, 0))].slice(0, mostHeads)
    last = turn.at(-1)?.[0]
    return Object.fromEntries(turn)
  }
}
