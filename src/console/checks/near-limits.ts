import { lastUseCounter } from '../../features/otp/yubico-otp.ts'
import { findUserById } from '../../features/users/records.ts'
import { mostInvocations } from '../../hsm/rotation-due.ts'
import type { Reader } from '../../store/store.ts'
import { withStore } from '../console-context.ts'
import { findingsOf, type Check, type Finding } from './findings.ts'
import { usedUpKeys, wornDevices } from './near-limit-records.ts'
import { isMigrated } from './vaults.ts'

const topic = 'limits'
const { warning } = findingsOf(topic)
const mostNamed = 20
const mostRead = 1_000

/** Names the hardware tokens and keys near a limit, which the metrics only count. */
export const limitsCheck: Check = {
  topic,
  async run(config) {
    if (!(await isMigrated(config))) return []
    return withStore(config, async ({ read }) => [...(await tokenFindings(read)), ...(await keyFindings(read))])
  },
}

async function tokenFindings(reader: Reader): Promise<Finding[]> {
  const worn = await wornDevices(reader, mostNamed)
  return Promise.all(
    worn.map(async ({ publicId, counter, userId }) => {
      const username = (await findUserById(reader, userId ?? 0))?.username ?? `user ${userId}`
      return warning(
        `the hardware token ${publicId} of ${username} can be plugged in ${lastUseCounter - (counter >> 8)} times more`,
        `Give ${username} another one: strongroom otp assign, or strongroom otp enroll.`,
      )
    }),
  )
}

async function keyFindings(reader: Reader): Promise<Finding[]> {
  return (await usedUpKeys(reader, mostRead))
    .slice(0, mostNamed)
    .map(({ name, vaultId, invocations }) =>
      warning(
        `the key ${name} of vault ${vaultId} has used up ${Math.floor((invocations / mostInvocations) * 100)} % of its encryptions`,
        'Have it rotated by a member with Write; from 90 % on its next encryption does that.',
      ),
    )
}
