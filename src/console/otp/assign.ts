import { operatorId } from '../../access/confirmation.ts'
import type { Command } from 'commander'
import { onHoldNotice } from '../../features/users/recovery.ts'
import { withAppliance } from '../console-context.ts'
import { answering } from '../invocation.ts'

const help = `
The token must be known: imported, or taken from another user before. strongroom otp list shows the tokens that
no user holds.

Example:
  strongroom otp assign alice vvccccdddfgh`

export function addOtpAssign(otp: Command): void {
  otp
    .command('assign')
    .description('give a user a hardware token that no user holds')
    .argument('<user>', 'login name')
    .argument('<publicid>', 'the 12 characters that its passwords begin with')
    .addHelpText('after', help)
    .action(
      answering(async (invocation, username: string, publicId: string) => {
        const notice = await withAppliance(invocation, ({ change, services: { users, devices, recoveries } }) =>
          change('otp.assign', `user ${username}: hardware token ${publicId}`, async (commit) => {
            const { id } = await users.find(username)
            await commit((tx) => devices.assign(tx, id, publicId, operatorId))
            return onHoldNotice(recoveries, id)
          }),
        )
        return {
          json: { username, kind: 'hwkey_otp', publicId },
          lines: [`User ${username} may now log in with the hardware token ${publicId}.`, ...notice],
        }
      }),
    )
}
