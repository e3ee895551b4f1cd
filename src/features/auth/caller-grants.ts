import { LRUCache } from 'lru-cache'
import type { SealedGrant } from '../../access/acting.ts'
import { longestGrantMs } from '../../access/decision.ts'
import type { Clock } from '../../clock.ts'
import { Fault, isFault } from '../../fault.ts'
import type { GrantRequest, Hsm, SealedRecord } from '../../hsm/hsm.ts'
import { type FieldsOf, openRecord } from '../../hsm/record-layouts.ts'
import type { Reader, Store } from '../../store/store.ts'
import type { User } from '../users/records.ts'
import { sealedUser } from '../users/user-seals.ts'
import { sealedApplicationKey } from './application-key.ts'
import { findSealedSession, type FoundToken } from './session-seals.ts'
import type { SessionToken } from './session-token.ts'

/** What a call asks a grant for, as the statement that authenticates it found it. */
export interface GrantSubject {
  /** What tells it from all others; a change of user or membership makes another: what was granted before it is forgotten. */
  readonly name: string
  readonly token: string
  readonly hash: string
  /** The vault of the call with the caller's membership. */
  readonly member: { readonly vaultId: number; readonly generation: number } | undefined
}

export interface KeptGrant {
  readonly sealed: SealedGrant
  readonly fields: FieldsOf<'grant'>
}

/** What the keeper granted the callers of this worker. */
export interface CallerGrants {
  /**
   * One that is good for some time still: out of memory, or from the keeper. `anew`: not out of memory.
   * @throws Fault `session.invalid`, `vault.not_found`, `access.resting`, `hsm.seal_broken`, `hsm.outdated`,
   * `hsm.unavailable`
   */
  of(subject: GrantSubject, anew?: 'anew'): Promise<KeptGrant>
}

/** Callers in their vaults; beyond that, the grant used longest ago is asked for again. */
const maxGrants = 10_000
/** Renewed so long before it expires, while the present one is used on. */
const renewBeforeMs = 20_000
/** Longer than what waits for a token host: what is sent with less to go could come too late. */
const usableForMs = 10_000

export interface CallerGrantsDependencies {
  readonly store: Pick<Store, 'read'>
  readonly hsm: Pick<Hsm, 'grant'>
  readonly clock: Clock
  /** The sealed record of a user's membership of a vault; undefined for no member. */
  readonly membershipOf: (user: User, vaultId: number) => Promise<SealedRecord | undefined>
}

export function createCallerGrants(on: CallerGrantsDependencies): CallerGrants {
  const { clock } = on
  const kept = new LRUCache<string, KeptGrant>({ max: maxGrants })
  const asked = new Map<string, Promise<KeptGrant>>()

  /** Calls that come while the keeper is asked wait for the same answer. */
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
      // More than it was granted for: the clock was put back, and hosts take it no more.
      if (known !== undefined && leftMs > usableForMs && leftMs <= longestGrantMs) {
        // One that is refused is asked for again by the call that needs it.
        if (leftMs < renewBeforeMs) ask(name, subject).catch(() => undefined)
        return Promise.resolve(known)
      }
      return ask(name, subject)
    },
  }
}

async function askKeeper(on: CallerGrantsDependencies, subject: GrantSubject): Promise<KeptGrant> {
  try {
    return await grantOf(on, subject)
  } catch (error) {
    // A change between the reading of two rows looks like a row that was put back.
    if (!isFault(error, 'hsm.outdated')) throw reported(error)
    return grantOf(on, subject).catch((again: unknown) => {
      throw reported(again)
    })
  }
}

async function grantOf(
  { store, hsm, membershipOf }: CallerGrantsDependencies,
  subject: GrantSubject,
): Promise<KeptGrant> {
  const { member } = subject
  const sealed = await sessionGrant(hsm, store.read, subject, async (user) => {
    const membership = member && (await membershipOf(user, member.vaultId))
    if (member !== undefined && membership === undefined) throw new Fault('vault.not_found')
    return membership
  })
  const grant = openRecord(sealed.record)
  if (grant.type !== 'grant') throw new TypeError('the keeper gave no grant')
  return { sealed, fields: grant.fields }
}

/**
 * Asks the keeper by the rows as they are.
 * @throws Fault `session.invalid` where there is no such token
 */
export async function sessionGrant(
  hsm: Pick<Hsm, 'grant'>,
  reader: Reader,
  { token, hash }: SessionToken,
  memberOf: (user: User) => Promise<GrantRequest['membership']>,
): Promise<SealedGrant> {
  const session = await findSealedSession(reader, hash)
  if (session === undefined) throw new Fault('session.invalid')
  return foundGrant(hsm, token, session, await memberOf(session.user))
}

/** For a session by one of its tokens, in the vault of this membership; by rows that were committed, as the keeper takes them. */
export function foundGrant(
  hsm: Pick<Hsm, 'grant'>,
  token: string,
  { user: person, applicationKey: key, sealed: session }: Pick<FoundToken, 'user' | 'applicationKey' | 'sealed'>,
  membership: GrantRequest['membership'],
): Promise<SealedGrant> {
  const [user, applicationKey] = [sealedUser(person), key && sealedApplicationKey(key)]
  return hsm.grant({ token, session, user, applicationKey, membership })
}

/** The cause makes the operator hear of it. */
function reported(error: unknown): unknown {
  if (isFault(error, 'hsm.seal_broken'))
    return new Fault(
      error.code,
      'The rows of this session, its user, application key or membership were altered outside Strongroom.',
      { cause: error },
    )
  return isFault(error, 'hsm.outdated') ? new Fault(error.code, error.detail, { cause: error }) : error
}
