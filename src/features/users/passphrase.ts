import { randomBytes, timingSafeEqual } from 'node:crypto'
import { hashRaw } from '@node-rs/argon2'
import { Fault } from '../../fault.ts'
import type { Hsm } from '../../hsm/hsm.ts'
import type { PasswordPolicy } from '../passwords/policies.ts'
import { judge } from './passphrase-rules.ts'

/** What is kept of a pass phrase: nothing that can be guessed at without the token. */
export interface PassphraseRecord {
  /** 16 bytes. */
  readonly salt: Buffer
  /** HMAC-SHA-256 by the token's pepper over the argon2id hash: 32 bytes. */
  readonly check: Buffer
  /** Cost parameters, so that old records stay readable when the configured cost grows. */
  readonly cost: string
}

export interface PassphraseCost {
  readonly memoryKiB: number
  readonly passes: number
  /** Logins, and so hashes, at once; more would exhaust memory and starve other calls when many log in together. */
  readonly concurrency: number
  /** Logins that may wait. */
  readonly queue: number
}

/** A pass phrase that was found good enough for its user. */
export interface JudgedPassphrase extends PassphraseRecord {
  /** See `strengthOf`. */
  readonly strength: number
}

export interface Passphrases {
  /** @throws Fault `passphrase.refused` when it is not good enough; `login.busy` */
  create(passphrase: string, username: string): Promise<JudgedPassphrase>
  /**
   * The record of a pass phrase that was found right, made anew where it was made at another cost than is configured now: else strangers,
   * who are checked at that, could be told from users by the time. Within `inTurn` only.
   */
  renew(passphrase: string, record: PassphraseRecord): Promise<PassphraseRecord | undefined>
  /** @throws Fault `passphrase.refused` when it is not good enough for the user */
  judge(passphrase: string, username: string): void
  /**
   * Does work of which a `check` is a part, when its turn comes: the whole of it, because all that a login does costs the
   * calls beside it, and so that nobody is turned away half-way, with the OTP used up. Not to be nested. `place`: where it comes from.
   * @throws Fault `login.busy` when too many are waiting already, most of them from the same place
   */
  inTurn<T>(work: () => Promise<T>, place?: string): Promise<T>
  /** Takes the same time whether or not there is a record: without one it works for nobody and answers false. Within `inTurn` only. */
  check(passphrase: string, record: PassphraseRecord | undefined): Promise<boolean>
}

const saltBytes = 16
const hashBytes = 32

export interface PassphraseDependencies {
  readonly hsm: Pick<Hsm, 'pepper'>
  readonly cost: PassphraseCost
  /** For new ones. */
  readonly policy: PasswordPolicy
}

export function createPassphrases({ hsm, cost, policy }: PassphraseDependencies): Passphrases {
  const currentCost = `m=${cost.memoryKiB},t=${cost.passes}`
  const nobody: PassphraseRecord = { salt: randomBytes(saltBytes), check: randomBytes(32), cost: currentCost }
  const inTurn = createTurns(cost.concurrency, cost.queue)

  async function derive(passphrase: string, salt: Buffer, costText: string): Promise<Buffer> {
    const [memoryCost, timeCost] = parseCost(costText)
    // Argon2id is the library's default. The same characters typed on another keyboard may arrive composed differently (RFC 8265 §4.2).
    const hash = await hashRaw(passphrase.normalize('NFC'), {
      salt,
      memoryCost,
      timeCost,
      parallelism: 1,
      outputLen: hashBytes,
    })
    return hsm.pepper(Buffer.concat([Buffer.from('passphrase\0'), hash]))
  }

  async function recordOf(passphrase: string): Promise<PassphraseRecord> {
    const salt = randomBytes(saltBytes)
    return { salt, check: await derive(passphrase, salt, currentCost), cost: currentCost }
  }

  return {
    async create(passphrase, username) {
      const strength = judge(passphrase, username, policy)
      return { ...(await inTurn(() => recordOf(passphrase))), strength }
    },
    renew: async (passphrase, { cost: recordCost }) => (recordCost === currentCost ? undefined : recordOf(passphrase)),
    judge: (passphrase, username) => void judge(passphrase, username, policy),
    inTurn,
    async check(passphrase, record) {
      const { salt, check, cost } = record ?? nobody
      const derived = await derive(passphrase, salt, cost)
      return timingSafeEqual(derived, check) && record !== undefined
    },
  }
}

function parseCost(text: string): [memoryKiB: number, passes: number] {
  const match = /^m=(\d+),t=(\d+)$/.exec(text)
  if (match === null) throw new TypeError(`unreadable pass-phrase cost ${text}`)
  return [Number(match[1]), Number(match[2])]
}

interface Waiting {
  readonly place: string
  readonly begin: () => void
  readonly giveUp: (fault: Fault) => void
}

/**
 * Lets `concurrency` pieces of work run at once and `queue` more wait, in the order in which they came. When no more may wait, the place
 * from which most do gives one up: a stranger who sends many at once keeps nobody else out.
 */
function createTurns(concurrency: number, queue: number): Passphrases['inTurn'] {
  const waiting: Waiting[] = []
  let running = 0

  function makeRoom(place: string): void {
    if (waiting.length < queue) return
    const counts = new Map<string, number>()
    for (const one of waiting) counts.set(one.place, (counts.get(one.place) ?? 0) + 1)
    const most = Math.max(...counts.values())
    if ((counts.get(place) ?? 0) + 1 >= most) throw busy()
    const last = waiting.findLastIndex((one) => counts.get(one.place) === most)
    for (const one of waiting.splice(last, 1)) one.giveUp(busy())
  }

  return async (work, place = '') => {
    if (running >= concurrency) {
      makeRoom(place)
      await new Promise<void>((begin, giveUp) => waiting.push({ place, begin, giveUp }))
    } else running += 1
    try {
      return await work()
    } finally {
      // The turn is handed on rather than given back, so that nobody overtakes.
      const next = waiting.shift()
      if (next) next.begin()
      else running -= 1
    }
  }
}

const busy = (): Fault => new Fault('login.busy', undefined, { retryAfterMs: 1_000 })
