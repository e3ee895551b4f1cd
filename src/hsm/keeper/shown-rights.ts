import { capabilitiesOf } from '../../access/capabilities.ts'
import { Fault } from '../../fault.ts'
import { createRecentMap } from '../../recent-map.ts'
import { encodeRecord } from '../key-record.ts'
import { generationOf } from '../record-generation.ts'
import type { FieldsOf, OpenedRecord } from '../record-layouts.ts'

/**
 * What users may do by the newest records that the keeper was shown, forgotten with the process: a grant of before serves its minute, and what
 * is sealed by it would outlast that.
 */
export interface ShownRights {
  note(record: OpenedRecord): void
  /** @throws Fault `access.permission` for a grant of more */
  check(grant: Pick<FieldsOf<'grant'>, 'user' | 'capabilities' | 'vault' | 'permission'>): void
  /** The operator has accepted older records. */
  forget(): void
}

interface Right {
  readonly number: number
  /** The capabilities of a user, or the permission of a member. */
  readonly bits: number
}

/** It gives nothing: a user who has done as asked has no less than before. */
const asked = capabilitiesOf(['changePassphrase'])

/** More users and members than change at once; of more, those are forgotten that were not asked for longest. */
const limit = 100_000

export function createShownRights(): ShownRights {
  const newest = createRecentMap<Right>({ limit })
  const bitsOf = (subject: Buffer): number | undefined => newest.get(subject.toString('latin1'))?.bits

  return {
    note(record) {
      const [bits, generation] = [rightsIn(record), generationOf(record)]
      if (bits === undefined || generation === undefined) return
      const { subject, number } = generation
      const name = subject.toString('latin1')
      if (number >= (newest.get(name)?.number ?? 0)) newest.set(name, { number, bits })
    },
    check({ user, capabilities, vault, permission }) {
      const own = bitsOf(encodeRecord(['user', user]))
      const member = vault === null ? undefined : bitsOf(encodeRecord(['membership', vault, user]))
      if ((capabilities & ~asked & ~(own ?? capabilities)) !== 0 || permission > (member ?? permission))
        throw new Fault('access.permission', 'What the grant of this caller says was taken away since.')
    },
    forget: () => newest.dropWhere(() => true),
  }
}

function rightsIn({ type, fields }: OpenedRecord): number | undefined {
  if (type === 'user' || type === 'service account') return fields.capabilities
  return type === 'membership' || type === 'scoped membership' ? fields.permission : undefined
}
