import { storePlace } from '../../daemon/appliance.ts'
import { inspectStore } from '../../store/inspection.ts'
import { summariesOf } from '../../features/vaults/membership-records.ts'
import { withStore } from '../console-context.ts'
import { findingsOf, type Check } from '../output/finding.ts'

const subject = 'vault admins'
const { ok, warning } = findingsOf(subject)

/** Looks for vaults whose members nobody can change any more. */
export const vaultAdminsCheck: Check = {
  subject,
  async run(config) {
    const { exists, pending } = await inspectStore(storePlace(config))
    if (!exists || pending.length > 0) return []
    const orphaned = (await withStore(config, summariesOf)).filter(({ activeAdmins }) => activeAdmins === 0)
    if (orphaned.length === 0) return [ok('every vault has an Admin who can log in')]
    return orphaned.map(({ id, name }) =>
      warning(
        `vault ${id} (${name}) has no Admin who can log in`,
        `Give it one: strongroom vault adopt ${id} <user>. Until then nobody can change its members.`,
      ),
    )
  },
}
