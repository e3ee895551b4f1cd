import { capabilitiesOf, mayLogIn } from '../../access/capabilities.ts'
import { longestGrantMs } from '../../access/decision.ts'
import { Fault } from '../../fault.ts'
import { createRecentMap } from '../../recent-map.ts'
import { accountSubject, generationOf, isSubjectOfPeople, membershipSubject } from '../record-generation.ts'
import type { FieldsOf, OpenedRecord } from '../record-layouts.ts'
import type { KeptRights } from './kept-rights.ts'

/**
 * The rights of users by the newest records that were shown, in memory, and the latest changes of them in the keeper's
 * file. An older grant stays valid for its minute, but what is sealed under it would outlast that.
 */
export interface ShownRights {
  /** `before`: the floor of its subject until now. */
  note(record: OpenedRecord, before: number | undefined): void
  /**
   * What is left of the rights of a grant: the same object where nothing was taken away.
   * @throws Fault `access.permission` for a user who may not log in any more, and for a member who was removed
   */
  leftOf<Grant extends GrantedRights>(grant: Grant): Grant
  /**
   * Another keeper reported a newer record of this subject, whose rights are not known here until the record is shown.
   * Subjects other than users and memberships do not matter.
   */
  noteTold(subject: Buffer, number: number): void
  /**
   * Whether such a report came since the grant was sealed, or a newer record was dropped, so that its rights may have been
   * taken away.
   */
  isOvertaken(grant: GrantedRights & Pick<FieldsOf<'grant'>, 'expiresAt'>): boolean
  /** Forgets all rights: the operator has accepted older records. */
  forget(): void
}

type GrantedRights = Pick<FieldsOf<'grant'>, 'user' | 'capabilities' | 'vault' | 'permission'>

interface Right {
  readonly number: number
  /** The capabilities of a user, or the permission of a member. */
  readonly bits: number
  /**
   * When the keeper learned of it, at the latest. Not when it was shown once more, as all records are at each start of
   * the daemon: a large appliance has more of them than there is room for.
   */
  readonly at: number
}

interface Told {
  readonly number: number
  /** When the report came. */
  readonly at: number
}

/** Gives no rights: a user who has changed the pass phrase as requested has not lost any. */
const asked = capabilitiesOf(['changePassphrase'])

/**
 * Number of entries; the least recently used are dropped. More than there are changes at a time, other than those of an
 * attacker who has a right forgotten that he lost a moment ago.
 */
const limit = 100_000

export function createShownRights(kept: KeptRights, now: () => number): ShownRights {
  const [newest, told, startedAt] = [createNoting<Right>(), createNoting<Told>(), now()]
  const bitsOf = (subject: Buffer): number | undefined => newest.get(subject.toString('latin1'))?.bits
  for (const { subject, number, bits, at } of kept.all()) {
    const name = subject.toString('latin1')
    if (bits === null) told.set(name, { number, at })
    else newest.set(name, { number, bits, at })
  }

  return {
    note(record, before = 0) {
      const [bits, generation] = [rightsIn(record), generationOf(record)]
      if (bits === undefined || generation === undefined) return
      const { subject, number } = generation
      const name = subject.toString('latin1')
      const known = newest.get(name)
      if (number < (known?.number ?? 0)) return
      newest.set(name, { number, bits, at: number > before ? now() : (known?.at ?? startedAt) })
      // A new account or member has lost no rights.
      const isChange = before > 0 && number > before
      const isReported = (known?.number ?? 0) < (told.get(name)?.number ?? 0)
      if (isChange || isReported) kept.keep({ subject, number, bits, at: now() })
    },
    leftOf(grant) {
      const { user, capabilities, vault, permission } = grant
      const own = bitsOf(accountSubject(user)) ?? capabilities
      const member = (vault === null ? undefined : bitsOf(membershipSubject(vault, user))) ?? permission
      if ((capabilities & ~asked & ~own) === 0 && permission <= member) return grant
      // A grant for no vault has no permission that could be taken away.
      if (!mayLogIn(own) || (member === 0 && permission !== 0)) throw takenAway()
      return { ...grant, capabilities: capabilities & (own | asked), permission: Math.min(permission, member) }
    },
    noteTold(subject, number) {
      if (!isSubjectOfPeople(subject)) return
      told.set(subject.toString('latin1'), { number, at: now() })
      kept.keep({ subject, number, bits: null, at: now() })
    },
    isOvertaken({ user, vault, expiresAt }) {
      const sealedAt = expiresAt - longestGrantMs
      if (sealedAt <= Math.max(newest.droppedAt(), told.droppedAt())) return true
      const subjects = [accountSubject(user), ...(vault === null ? [] : [membershipSubject(vault, user)])]
      return subjects.some((subject) => {
        const name = subject.toString('latin1')
        const report = told.get(name)
        const isKnown = report === undefined || (newest.get(name)?.number ?? 0) >= report.number
        return !isKnown && sealedAt <= report.at
      })
    },
    forget() {
      newest.dropWhere(() => true)
      told.dropWhere(() => true)
      kept.forget()
    },
  }
}

/** Notes by name, which remember how new those are that had to be dropped. */
function createNoting<Note extends { readonly at: number }>() {
  let droppedAt = -Infinity
  const notes = createRecentMap<Note>({ limit, evicted: ({ at }) => (droppedAt = Math.max(droppedAt, at)) })
  return { ...notes, droppedAt: () => droppedAt }
}

export const takenAway = (): Fault =>
  new Fault('access.permission', 'The right that this call needs was taken away from you while it was under way.')

function rightsIn({ type, fields }: OpenedRecord): number | undefined {
  if (type === 'user' || type === 'service account') return fields.capabilities
  return type === 'membership' || type === 'scoped membership' ? fields.permission : undefined
}
