import { LRUCache } from 'lru-cache'
import type { SealedGrant } from '../../access/transaction-grant.ts'
import { longestGrantMs } from '../../access/decision.ts'
import type { Clock } from '../../clock.ts'
import { Fault, isFault } from '../../fault.ts'
import type { GrantRequest, Hsm, SealedRecord } from '../../hsm/hsm.ts'
import { type FieldsOf, openRecord } from '../../hsm/record-layouts.ts'
import { retryOvertaken } from '../../store/overtaken.ts'
import type { Reader, Store } from '../../store/store.ts'
import type { User } from '../users/records.ts'
import { sealedUser } from '../users/user-seals.ts'
import { sealedApplicationKey } from './application-key.ts'
import { findSealedSession, type FoundToken } from './session-seals.ts'
import type { SessionToken } from './session-token.ts'

/** The session, and perhaps the membership, for which the keeper is asked for a grant. */
export interface GrantSubject {
  /**
   * Key of the cache. It changes with each change of the user or the membership, so no older grant is used afterwards.
   */
  readonly name: string
  readonly token: string
  readonly hash: string
  /** The vault of the call and the generation of the caller's membership there; undefined where no vault is named. */
  readonly member: { readonly vaultId: number; readonly generation: number } | undefined
}

export interface KeptGrant {
  readonly sealed: SealedGrant
  readonly fields: FieldsOf<'grant'>
}

/** The keeper's grants to the callers of this worker, cached. */
export interface CallerGrants {
  /**
   * A grant with enough time left: from memory, or from the keeper. `anew` skips the memory.
   * @throws Fault `session.invalid`, `vault.not_found`, `access.resting`, `hsm.seal_broken`, `hsm.outdated`,
   * `hsm.unavailable`
   */
  of(subject: GrantSubject, anew?: 'anew'): Promise<KeptGrant>
}

/** Number of grants kept; beyond it the least recently used one is dropped. */
const maxGrants = 10_000
/** A grant is renewed in the background when this much of its time is left. */
const renewBeforeMs = 20_000
/**
 * The least remaining time of a grant that is used: longer than a request can wait for a token host, so that no grant
 * expires in the queue.
 */
const usableForMs = 10_000

export interface CallerGrantsDependencies {
  readonly store: Pick<Store, 'read'>
  readonly hsm: Pick<Hsm, 'grant'>
  readonly clock: Clock
  /** The sealed record of a user's membership in a vault; undefined where the user is not a member. */
  readonly membershipOf: (user: User, vaultId: number) => Promise<SealedRecord | undefined>
}

export function createCallerGrants(on: CallerGrantsDependencies): CallerGrants {
  const { clock } = on
  const kept = new LRUCache<string, KeptGrant>({ max: maxGrants })
  const asked = new Map<string, Promise<KeptGrant>>()

  /** Concurrent calls for the same grant share one request to the keeper. */
  function ask(name: string, subject: GrantSubject): Promise<KeptGrant> {
    const already = asked.get(name)
    if (already !== undefined) return already
    const asking = askKeeper(on, subject)
      .then((grant) => {
        kept.set(name, grant)
        return grant
      })
      .finally(() => asked.delete(name))
    asked.set(name, asking)
    return asking
  }

  return {
    of(subject, anew) {
      const { name } = subject
      const known = anew === undefined ? kept.get(name) : undefined
      const leftMs = known === undefined ? 0 : known.fields.expiresAt - clock.now()
      // A grant with more time left than the keeper gives: the clock was set back, and token hosts refuse it.
      if (known !== undefined && leftMs > usableForMs && leftMs <= longestGrantMs) {
        // A failure here is ignored: the next call that needs the grant asks again and reports it.
        if (leftMs < renewBeforeMs) ask(name, subject).catch(() => undefined)
        return Promise.resolve(known)
      }
      return ask(name, subject)
    },
  }
}

async function askKeeper(on: CallerGrantsDependencies, subject: GrantSubject): Promise<KeptGrant> {
  try {
    // The two rows are read one after the other. A change in between makes the older one look like a replayed row.
    return await retryOvertaken(() => grantOf(on, subject))
  } catch (error) {
    throw reported(error)
  }
}

async function grantOf(
  { store, hsm, membershipOf }: CallerGrantsDependencies,
  subject: GrantSubject,
): Promise<KeptGrant> {
  const { member } = subject
  const sealed = await sessionGrant(hsm, store.read, subject, async (user) => {
    if (member === undefined) return {}
    const membership = await membershipOf(user, member.vaultId)
    if (membership === undefined) throw new Fault('vault.not_found')
    return { membership, vaultNumber: member.vaultId }
  })
  const grant = openRecord(sealed.record)
  if (grant.type !== 'grant') throw new TypeError('the keeper gave no grant')
  return { sealed, fields: grant.fields }
}

/** A membership and the number by which the caller named its vault; empty for a grant without a vault. */
type ShownMember = Pick<GrantRequest, 'membership' | 'vaultNumber'>

/**
 * Asks the keeper for a grant, showing the present rows.
 * @throws Fault `session.invalid` where no session has this token
 */
export async function sessionGrant(
  hsm: Pick<Hsm, 'grant'>,
  reader: Reader,
  { token, hash }: SessionToken,
  memberOf: (user: User) => Promise<ShownMember>,
): Promise<SealedGrant> {
  const session = await findSealedSession(reader, hash)
  if (session === undefined) throw new Fault('session.invalid')
  return foundGrant(hsm, token, session, await memberOf(session.user))
}

/** Asks for a grant for a session with this token and membership. The rows must be committed: the keeper takes them as such. */
export function foundGrant(
  hsm: Pick<Hsm, 'grant'>,
  token: string,
  { user: person, applicationKey: key, sealed: session }: Pick<FoundToken, 'user' | 'applicationKey' | 'sealed'>,
  member: ShownMember,
): Promise<SealedGrant> {
  const [user, applicationKey] = [sealedUser(person), key && sealedApplicationKey(key)]
  return hsm.grant({ token, session, user, applicationKey, ...member })
}

/** Adds a cause to what an operator has to know: a fault with a cause is written to the journal. */
function reported(error: unknown): unknown {
  if (isFault(error, 'hsm.seal_broken'))
    return new Fault(
      error.code,
      'The rows of this session, its user, application key or membership were altered outside Strongroom.',
      { cause: error },
    )
  return isFault(error, 'hsm.outdated') ? new Fault(error.code, error.detail, { cause: error }) : error
}
