import type { Command } from 'commander'
import { loadConfig } from '../../config/loader.ts'
import { devicesOf, provenDevices, unheldDevices, type OtpDevice } from '../../features/otp/records.ts'
import type { Store } from '../../store/store.ts'
import { userNamed } from '../../features/users/user.ts'
import { dateOf, table } from '../output/command-answer.ts'
import { withStore } from '../console-context.ts'
import { answering } from '../invocation.ts'

const help = `
Without a user: the hardware tokens that no user holds, which strongroom otp assign gives out.

Examples:
  strongroom otp list alice
  strongroom otp list`

export function addOtpList(otp: Command): void {
  otp
    .command('list')
    .description('list the second factors of a user')
    .argument('[user]', 'login name')
    .addHelpText('after', help)
    .action(
      answering(async ({ config }, username: string | undefined) => {
        const devices = await withStore(loadConfig(config), (store) => fetch(store, username))
        return {
          json: devices.map(({ id, kind, publicId, keyKind, digits, periodSeconds, createdAt, usedAt }) => ({
            id,
            kind,
            publicId,
            algorithm: digits === null ? null : keyKind.replace('otp-hmac-', ''),
            digits,
            periodSeconds,
            createdAt,
            usedAt,
          })),
          lines: table([['ID', 'KIND', 'WHAT', 'SINCE (UTC)', 'LAST USED (UTC)'], ...devices.map(rowOf)]),
        }
      }),
    )
}

async function fetch(store: Store, username: string | undefined): Promise<OtpDevice[]> {
  if (username === undefined) return unheldDevices(store.read)
  const user = await userNamed(store.read, username)
  return provenDevices(user, await devicesOf(store.read, user.id))
}

function rowOf({ id, kind, publicId, keyKind, digits, periodSeconds, createdAt, usedAt }: OtpDevice): string[] {
  const codes = `${keyKind.replace('otp-hmac-', '')}, ${digits} digits${periodSeconds === null ? '' : `, ${periodSeconds} s`}`
  return [String(id), kind, publicId ?? codes, dateOf(createdAt), usedAt === null ? 'never' : dateOf(usedAt)]
}
