import { randomBytes } from 'node:crypto'
import type { Hsm } from '../../hsm/hsm.ts'
import type { PasswordPolicy } from '../passwords/policies.ts'
import { createLoginQueue, type LoginQueue } from './login-queue.ts'
import type { PassphraseHash } from './passphrase-hash.ts'
import { judge } from './passphrase-policy.ts'

/** What is stored of a pass phrase: an attacker with the database alone cannot test guesses against it. */
export interface PassphraseRecord {
  /** 16 bytes. */
  readonly salt: Buffer
  /** By the keeper, of the argon2id hash; see `newPassphraseCheck`. */
  readonly check: Buffer
  /** Cost parameters, so that old records stay readable when the configured cost grows. */
  readonly cost: string
}

export interface PassphraseCost {
  readonly memoryKiB: number
  readonly passes: number
  /**
   * Logins, and so hashes, at once: more would exhaust memory and slow other calls down when many users log in
   * together.
   */
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
   * The record of a pass phrase that was right, made anew where it was made at another cost than is configured now
   * (unknown users are checked at that cost, and the duration would tell them from known ones), or by an earlier
   * release or pepper. Within `loginQueue.run` only.
   */
  renew(passphrase: string, record: PassphraseRecord, isCheckCurrent: boolean): Promise<PassphraseRecord | undefined>
  /** @throws Fault `passphrase.refused` when it is not good enough for the user */
  judge(passphrase: string, username: string): void
  /** Runs logins in their turn, each as a whole. */
  readonly loginQueue: LoginQueue
  /**
   * The hash of a pass phrase by the salt and the cost of a record, for the keeper; by random ones without a record, so
   * that it takes the same time. Within `loginQueue.run` only.
   */
  hash(passphrase: string, record: PassphraseRecord | undefined): Promise<Buffer>
  /** Whether the pass phrase is the one of the record, with the same work without one. Within `loginQueue.run` only. */
  check(passphrase: string, record: PassphraseRecord | undefined): Promise<boolean>
}

const saltBytes = 16

export function createPassphrases({
  hsm,
  cost,
  policy,
  hashPassphrase,
}: {
  readonly hsm: Pick<Hsm, 'newPassphraseCheck' | 'matchesPassphrase'>
  readonly cost: PassphraseCost
  readonly hashPassphrase: PassphraseHash
  /** For new ones. */
  readonly policy: PasswordPolicy
}): Passphrases {
  const currentCost = `m=${cost.memoryKiB},t=${cost.passes}`
  const unknownUser = { salt: randomBytes(saltBytes), cost: currentCost }
  const loginQueue = createLoginQueue(cost)

  function hash(
    passphrase: string,
    { salt, cost }: Pick<PassphraseRecord, 'salt' | 'cost'> = unknownUser,
  ): Promise<Buffer> {
    const [memoryKiB, passes] = parseCost(cost)
    // The same characters typed on another keyboard may arrive composed differently (RFC 8265 §4.2).
    return hashPassphrase({ passphrase: passphrase.normalize('NFC'), salt, memoryKiB, passes })
  }

  async function recordOf(passphrase: string): Promise<PassphraseRecord> {
    const salt = randomBytes(saltBytes)
    const check = await hsm.newPassphraseCheck(await hash(passphrase, { salt, cost: currentCost }))
    return { salt, check, cost: currentCost }
  }

  return {
    async create(passphrase, username) {
      const strength = judge(passphrase, username, policy)
      return { ...(await loginQueue.run(() => recordOf(passphrase))), strength }
    },
    async renew(passphrase, { cost: recordCost }, isCheckCurrent) {
      return recordCost === currentCost && isCheckCurrent ? undefined : recordOf(passphrase)
    },
    judge: (passphrase, username) => void judge(passphrase, username, policy),
    loginQueue,
    hash,
    check: async (passphrase, record) => hsm.matchesPassphrase(record?.check, await hash(passphrase, record)),
  }
}

function parseCost(text: string): [memoryKiB: number, passes: number] {
  const match = /^m=(\d+),t=(\d+)$/.exec(text)
  if (match === null) throw new TypeError(`unreadable pass-phrase cost ${text}`)
  return [Number(match[1]), Number(match[2])]
}
