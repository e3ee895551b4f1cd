import { randomBytes } from 'node:crypto'
import type { Hsm } from '../../hsm/hsm.ts'
import type { PasswordPolicy } from '../passwords/policies.ts'
import { createLoginQueue, type LoginQueue } from './login-queue.ts'
import type { PassphraseHash } from './passphrase-hash.ts'
import { judge } from './passphrase-policy.ts'

/** The stored record of a pass phrase. With the database alone, an attacker cannot test guesses against it. */
export interface PassphraseRecord {
  /** 16 bytes. */
  readonly salt: Buffer
  /** Check value of the argon2id hash, made by the keeper; see `newPassphraseCheck`. */
  readonly check: Buffer
  /** Cost parameters, so that old records stay readable when the configured cost grows. */
  readonly cost: string
}

export interface PassphraseCost {
  readonly memoryKiB: number
  readonly passes: number
  /** Logins, and therefore hashes, that run at once: more would exhaust memory and slow down other calls. */
  readonly concurrency: number
  /** Logins that may wait. */
  readonly queue: number
}

/** The record of a new pass phrase that is good enough for its user. */
export interface JudgedPassphrase extends PassphraseRecord {
  /** See `strengthOf`. */
  readonly strength: number
}

export interface Passphrases {
  /** @throws Fault `passphrase.refused` when it is too weak; `login.busy` */
  create(passphrase: string, username: string): Promise<JudgedPassphrase>
  /**
   * A new record for a pass phrase that was right, or undefined where none is needed. It is needed where the old one
   * was made at another cost than configured (unknown users are checked at the configured cost, and the duration would
   * reveal which users exist), or by an earlier release or pepper. Within `loginQueue.run` only.
   */
  renew(passphrase: string, record: PassphraseRecord, isCheckCurrent: boolean): Promise<PassphraseRecord | undefined>
  /** @throws Fault `passphrase.refused` when it is too weak for the user */
  judge(passphrase: string, username: string): void
  /** The queue in which logins, and other work with `check` or `hash`, have to run. */
  readonly loginQueue: LoginQueue
  /**
   * The argon2id hash for the keeper, by the salt and the cost of the record. Without a record, by random salt and the
   * configured cost, so that it takes the same time. Within `loginQueue.run` only.
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
  /** The policy for new pass phrases. */
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
