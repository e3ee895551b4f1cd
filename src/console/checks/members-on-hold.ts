import { confirmersOf } from '../../access/confirmation.ts'
import { findUserById } from '../../features/users/records.ts'
import { summariesOf } from '../../features/vaults/membership-records.ts'
import { activeAdmins, openRecoveries } from '../../features/vaults/on-hold-records.ts'
import type { Reader } from '../../store/store.ts'
import { withStore } from '../console-context.ts'
import { findingsOf, type Check, type Finding } from './findings.ts'
import { isMigrated } from './vaults.ts'

const topic = 'members'
const { ok, warning } = findingsOf(topic)

/** Finds members on hold whom no Admin of their vault can confirm. */
export const membersOnHoldCheck: Check = {
  topic,
  async run(config) {
    if (!(await isMigrated(config))) return []
    const findings = await withStore(config, async ({ read }) => {
      const vaults = await summariesOf(read)
      return (await Promise.all(vaults.map((vault) => stuckIn(read, vault)))).flat()
    })
    return findings.length > 0
      ? findings
      : [ok('every member on hold in a vault can be confirmed by one of its Admins')]
  },
}

async function stuckIn(
  reader: Reader,
  { id, name }: { readonly id: number; readonly name: string },
): Promise<Finding[]> {
  const open = await openRecoveries(reader, id)
  if (open.length === 0) return []
  const admins = await activeAdmins(reader, id)
  const users = [...new Set(open.map(({ userId }) => userId))]
  const stuck = users.filter(
    (user) =>
      confirmersOf(
        admins,
        open.filter(({ userId }) => userId === user),
      ).length === 0,
  )
  return Promise.all(
    stuck.map(async (userId) => {
      const username = (await findUserById(reader, userId))?.username ?? `user ${userId}`
      return warning(
        `${username} is on hold in vault ${id} (${name}), and no Admin of it can confirm the user`,
        `Make sure that the user, and no one else, has the new pass phrase and factor. Then: strongroom vault confirm ${id} ${username}`,
      )
    }),
  )
}
