import type { Command } from 'commander'
import { decimalId } from '../../access/resource.ts'
import { Fault } from '../../fault.ts'
import { codeForm } from '../../features/otp/codes.ts'
import type { OtpDevice } from '../../features/otp/records.ts'
import { withAppliance } from '../console-context.ts'
import { UsageError } from '../exit-code.ts'
import { answering } from '../invocation.ts'
import type { Terminal } from '../output/terminal.ts'

const help = `
For a HOTP token that was pressed too often. It asks for two codes that the token gives one after the other, or
reads them from standard input with a blank or a line end between them; both are used up. The id is needed where
the user has several.

Examples:
  strongroom otp resync alice
  echo 755224 287082 | strongroom otp resync alice 17`

export function addOtpResync(otp: Command): void {
  otp
    .command('resync')
    .description('resynchronise a HOTP token by two codes')
    .argument('<user>', 'login name')
    .argument('[id]', 'of the device, as strongroom otp list shows it')
    .addHelpText('after', help)
    .action(
      answering(async (invocation, username: string, id: string | undefined) => {
        const codes = await readCodes(invocation.terminal)
        const deviceId = await withAppliance(invocation, ({ change, services: { users, devices, resync } }) =>
          change('otp.resync', `user ${username}${id === undefined ? '' : `: OTP device ${id}`}`, async (commit) => {
            const user = await users.find(username)
            const device = chosen(await devices.list(user.id), id)
            const request = { userId: user.id, deviceId: device, codes, address: 'console' }
            await resync.resynchronise(request, commit)
            return device
          }),
        )
        return { json: { username, id: deviceId }, lines: [`Device ${deviceId} of ${username} is in step again.`] }
      }),
    )
}

async function readCodes(terminal: Terminal): Promise<readonly [string, string]> {
  const typed = terminal.isInteractive
    ? [await terminal.askSecret('A code: '), await terminal.askSecret('The next code: ')]
    : (await terminal.standardInput()).trim().split(/\s+/)
  const [first, second, ...more] = typed.map((code) => code.trim())
  if (first === undefined || second === undefined || more.length > 0 || ![first, second].every((c) => codeForm.test(c)))
    throw new UsageError('Two codes of 6 to 8 digits are expected.')
  return [first, second]
}

function chosen(devices: readonly OtpDevice[], id: string | undefined): number {
  const hotp = devices.filter(({ kind }) => kind === 'hotp')
  const [only] = hotp
  const deviceId = id === undefined && hotp.length === 1 ? only?.id : id && decimalId(id)
  if (id === undefined && hotp.length > 1) throw new UsageError('The user has several HOTP tokens: name one by its id.')
  if (typeof deviceId !== 'number') throw new Fault('otp.device_not_found', 'The user has no such HOTP token.')
  return deviceId
}
