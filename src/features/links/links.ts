import { randomBytes } from 'node:crypto'
import { mayLogIn } from '../../access/capabilities.ts'
import type { Clock } from '../../clock.ts'
import { Fault } from '../../fault.ts'
import { nextGeneration } from '../../hsm/record-generation.ts'
import type { Commit, Store, Tx } from '../../store/store.ts'
import { findUserById, isPerson, lockedRow, type User } from '../users/records.ts'
import { sealChange, sealFirst, type Sealer } from '../users/sealed-change.ts'
import {
  closeLink,
  countWaiting,
  findOwn,
  findWaiting,
  insertLink,
  listLinks,
  lockWaiting,
  sweepLinks,
  type Link,
  type LinkPage,
  type LinkState,
  type ListedLink,
  type ListedLinks,
} from './records.ts'
import { digestOf, linkRecord } from './link-seals.ts'

/** Section `links` of the configuration. */
export interface LinkRules {
  readonly enabled: boolean
  readonly maxBytes: number
  readonly perUser: number
  readonly longestMs: number
}

export interface NewLink {
  /** Id of the creator. */
  readonly userId: number
  readonly label: string
  readonly ciphertext: Buffer
  /** Undefined: a day, or the configured maximum if that is shorter. */
  readonly lifetimeMs: number | undefined
}

/** A new link for its creator. `opener` is the text that opens it, shown only here. */
export interface MadeLink extends ListedLink {
  readonly opener: string
}

/** Told the id of the link before the change is recorded. */
export type NoteLink = (linkId: number) => void

/**
 * One-time links: data that a user has encrypted under a key unknown to the appliance, for the holder of the link. Every
 * operation throws `link.disabled` where the configuration turns links off.
 */
export interface Links {
  readonly rules: LinkRules
  /** @throws Fault `link.invalid`, `link.limit` */
  create(link: NewLink, commit: Commit, note: NoteLink): Promise<MadeLink>
  /** A page of the links of one creator, and whether there are more. */
  list(page: LinkPage): Promise<ListedLinks>
  /**
   * The content of the link, which is deleted from the database when this resolves. Of parallel calls, on any machine,
   * one gets it.
   * @throws Fault `link.not_found` for all other calls, and for a link whose creator may not log in any more
   */
  open(opener: string, commit: Commit, note: NoteLink): Promise<Buffer>
  /** @throws Fault `link.not_found` also for a link that has ended, or belongs to another user */
  revoke(userId: number, linkId: number, commit: Commit): Promise<void>
  /** Deletes expired content and old links; resolves to the number of links. */
  sweep(): Promise<number>
}

const openerBytes = 16
/** How long lists show a link after its end. */
const keptMs = 2_592_000_000

export function createLinks(on: {
  readonly store: Pick<Store, 'read' | 'transaction'>
  readonly hsm: Sealer
  readonly clock: Clock
  readonly rules: LinkRules
}): Links {
  const { store, hsm, clock, rules } = on

  /** Ends a link: seals its last record and deletes its content. */
  async function end(tx: Tx, link: Link, creator: Buffer, state: LinkState): Promise<void> {
    // Checked before the keeper is asked, since a parallel call may have ended the link.
    if (!(await lockWaiting(tx, link))) throw new Fault('link.not_found')
    const closed = { ...link, state, closedAt: clock.now(), generation: nextGeneration(link.generation) }
    const previous = { record: linkRecord(link, creator), seal: link.seal }
    const seal = await sealChange(hsm, tx, linkRecord(closed, creator), { previous })
    if (!(await closeLink(tx, link, { ...closed, seal }))) throw new Fault('link.not_found')
  }

  return {
    rules,

    async create({ userId, label, ciphertext, lifetimeMs = usualLifetimeMs(rules) }, commit, note) {
      checkOn(rules)
      checkFits(rules, ciphertext, lifetimeMs)
      const opener = randomBytes(openerBytes).toString('base64url')
      const now = clock.now()
      const waiting = {
        opener: digestOf(Buffer.from(opener)),
        digest: digestOf(ciphertext),
        state: 'waiting',
        createdAt: now,
        expiresAt: now + lifetimeMs,
        closedAt: null,
        generation: 1,
      } as const
      const id = await commit(async (tx) => {
        // Locks the user, so that links created in parallel are counted one by one.
        const { identity: creator } = personIn(await lockedRow(tx, userId))
        if ((await countWaiting(tx, userId, now)) >= rules.perUser) throw tooMany(rules)
        const sealed = await sealFirst(hsm, tx, (identity) => linkRecord({ ...waiting, identity }, creator))
        const inserted = await insertLink(tx, { ...waiting, ...sealed, userId, label, ciphertext })
        note(inserted)
        return inserted
      })
      return { ...waiting, id, label, opener }
    },

    async list(page) {
      checkOn(rules)
      return listLinks(store.read, page)
    },

    async open(opener, commit, note) {
      checkOn(rules)
      // Read outside the transaction, so that guessed openers block no writer.
      const link = await findWaiting(store.read, digestOf(Buffer.from(opener)), clock.now())
      const maker = link && (await findUserById(store.read, link.userId))
      if (link === null || link.ciphertext === null || maker === null || !mayLogIn(maker.capabilities))
        throw new Fault('link.not_found')
      if (!digestOf(link.ciphertext).equals(link.digest)) throw new Fault('hsm.seal_broken')
      await commit(async (tx) => {
        await end(tx, link, maker.identity, 'opened')
        note(link.id)
      })
      return link.ciphertext
    },

    revoke: (userId, linkId, commit) =>
      commit(async (tx) => {
        checkOn(rules)
        const link = await findOwn(tx, userId, linkId)
        if (link === null || link.state !== 'waiting') throw new Fault('link.not_found')
        const { identity } = personIn(await lockedRow(tx, userId))
        await end(tx, link, identity, 'revoked')
      }),

    sweep: () => store.transaction((tx) => sweepLinks(tx, clock.now(), clock.now() - keptMs)),
  }
}

function checkOn({ enabled }: LinkRules): void {
  if (!enabled) throw new Fault('link.disabled')
}

/** @throws Fault `link.invalid` */
function personIn(maker: User | null): User {
  if (maker === null || !isPerson(maker))
    throw new Fault('link.invalid', 'One-time links are for people: a service account makes none.')
  return maker
}

const tooMany = ({ perUser }: LinkRules): Fault =>
  new Fault('link.limit', `You have ${perUser} links that wait to be opened, which is all that one user may have.`)

/** Length in bytes of nonce, tag and the shortest content of AES-GCM. */
const leastBytes = 29
const leastLifetimeMs = 60_000
const usualLifetimeMs = ({ longestMs }: LinkRules): number => Math.min(86_400_000, longestMs)

function checkFits({ maxBytes, longestMs }: LinkRules, { length }: Buffer, lifetimeMs: number): void {
  if (length < leastBytes || length > maxBytes)
    throw new Fault('link.invalid', `ciphertext must have ${leastBytes} to ${maxBytes} bytes.`)
  if (lifetimeMs < leastLifetimeMs || lifetimeMs > longestMs)
    throw new Fault('link.invalid', `lifetime must be ${leastLifetimeMs / 1_000} to ${longestMs / 1_000} seconds.`)
}
