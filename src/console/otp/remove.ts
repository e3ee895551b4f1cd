import type { Command } from 'commander'
import { decimalId } from '../../access/resource.ts'
import { Fault } from '../../fault.ts'
import { withAppliance } from '../console-context.ts'
import { answering } from '../invocation.ts'

const help = `
Logins with it are refused from now on. A hardware token stays known, with its counters, and can be given to
another user; the seed of any other device is destroyed. Ids are those of strongroom otp list.

Example:
  strongroom otp remove alice 17`

export function addOtpRemove(otp: Command): void {
  otp
    .command('remove')
    .description('take a second factor from a user')
    .argument('<user>', 'login name')
    .argument('<id>', 'of the device')
    .addHelpText('after', help)
    .action(
      answering(async (invocation, username: string, id: string) => {
        const { kind } = await withAppliance(invocation, ({ change, services: { users, devices } }) =>
          change('otp.remove', `user ${username}: OTP device ${id}`, async (commit) => {
            const user = await users.find(username)
            const deviceId = decimalId(id)
            if (deviceId === undefined) throw new Fault('otp.device_not_found')
            return commit((tx) => devices.release(tx, user.id, deviceId))
          }),
        )
        return { json: { username, id: Number(id), kind }, lines: [`Device ${id} of ${username} is removed.`] }
      }),
    )
}
