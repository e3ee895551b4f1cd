import { createHash } from 'node:crypto'
import { mayLogIn } from '../../access/capabilities.ts'
import { longestGrantMs } from '../../access/decision.ts'
import { Fault, isFault } from '../../fault.ts'
import type { SealedRecord } from '../hsm.ts'
import { seal } from '../pkcs11/seal-operations.ts'
import type { Token } from '../pkcs11/token-link.ts'
import { type KeeperOperation } from '../protocol/frame.ts'
import { generationOf, vaultGenerationOf } from '../record-generation.ts'
import { composeRecord, type FieldsOf, type OpenedRecord } from '../record-layouts.ts'
import type { RequestFields } from '../server/request-fields.ts'
import type { EndedSessions } from './ended-sessions.ts'
import type { WritableFloors } from './floors.ts'
import { shown } from './shown-record.ts'

export interface GrantDependencies {
  readonly token: Token
  readonly floors: WritableFloors
  readonly endedSessions: EndedSessions
  readonly now: () => number
}

/** Which sealed records a request shows; the membership of a vault last, and only where it is for one. */
interface Shown {
  readonly session: FieldsOf<'session'>
  readonly user: FieldsOf<'user'>
  readonly applicationKey: FieldsOf<'application key'>
  readonly membership: FieldsOf<'membership'> | undefined
}

/**
 * Says under a seal what a session may do for the next minute. It takes the session's token, and its records as the
 * keeper sealed them last: what a worker says besides does not count.
 */
export function createGrantHandlers(on: GrantDependencies) {
  const { token, now } = on
  return {
    grant(fields) {
      const text = fields.text()
      const records = readShown(on, fields)
      checkSession(on, text, records)
      const { session, user, membership } = records
      const expiresAt = Math.min(now() + longestGrantMs, session.expiresAt)
      const record = composeRecord('grant', {
        session: session.identity,
        user: user.identity,
        userId: user.id,
        capabilities: user.capabilities,
        vault: membership?.vault ?? null,
        permission: membership?.permission ?? 0,
        expiresAt,
      })
      return [record, seal(token, record)]
    },

    endSessions(fields) {
      const sessions: SealedRecord[] = []
      for (let left = fields.integer(); left > 0; left--) sessions.push(fields.sealed())
      endAll(on, sessions)
      return []
    },
  } satisfies Partial<Record<KeeperOperation, (fields: RequestFields) => Uint8Array[]>>
}

/** A record that was edited is refused, and keeps no other from being ended. */
function endAll({ token, endedSessions }: GrantDependencies, sessions: readonly SealedRecord[]): void {
  const broken: Fault[] = []
  for (const sealed of sessions) {
    try {
      endedSessions.add(shown(token, 'session', sealed).fields)
    } catch (error) {
      if (!isFault(error, 'hsm.seal_broken')) throw error
      broken.push(error)
    }
  }
  if (broken[0] !== undefined) throw broken[0]
}

/** @throws Fault `hsm.seal_broken`, `hsm.outdated` for a record of before, `hsm.rejected` for what does not belong together */
function readShown({ token, floors }: GrantDependencies, fields: RequestFields): Shown {
  const session = shown(token, 'session', fields.sealed())
  const user = shown(token, 'user', fields.sealed())
  const applicationKey = shown(token, 'application key', fields.sealed())
  const member = fields.optionalSealed()
  const membership = member && shown(token, 'membership', member)
  const newest: readonly (OpenedRecord | undefined)[] = [user, applicationKey, membership]
  for (const record of newest) {
    const generation = record && generationOf(record)
    const ofVault = record && vaultGenerationOf(record)
    if (ofVault !== undefined) floors.check(ofVault)
    if (generation === undefined) continue
    floors.check(generation)
    // Of a commit that was not shown, this is how the keeper learns.
    floors.raise(generation)
  }
  const belongs =
    session.fields.user.equals(user.fields.identity) &&
    session.fields.applicationKey.equals(applicationKey.fields.identity) &&
    membership?.fields.user.equals(user.fields.identity) !== false
  if (!belongs) throw new Fault('hsm.rejected', 'These records are not of one session.')
  return {
    session: session.fields,
    user: user.fields,
    applicationKey: applicationKey.fields,
    membership: membership?.fields,
  }
}

/** @throws Fault `session.invalid`, `vault.not_found`, `access.resting` */
function checkSession(
  { endedSessions, now }: GrantDependencies,
  token: string,
  { session, user, applicationKey, membership }: Shown,
): void {
  const isOver = session.expiresAt < now() || endedSessions.has(session.identity)
  const isTheirs = createHash('sha256').update(token).digest('base64') === session.tokenHash
  if (isOver || !isTheirs || !mayLogIn(user.capabilities) || applicationKey.revokedAt !== null)
    throw new Fault('session.invalid')
  if (membership === undefined) return
  // The first login ends that the maker gives what he likes: a worker must have noted it before a vault is used.
  if (user.madeBy !== null) throw new Fault('session.invalid')
  if (membership.permission === 0) throw new Fault('vault.not_found')
  // Changed hands, and not confirmed in this vault: neither before the session began nor since.
  if (membership.recoveries < Math.max(user.recoveries, session.recoveries)) throw new Fault('access.resting')
}
