import { operatorId } from '../../access/confirmation.ts'
import type { Command } from 'commander'
import { readUpload } from '../../features/certificates/uploaded-certificate.ts'
import { labelOf } from '../../features/certificates/user-certificates.ts'
import { onHoldNotice } from '../../features/users/recovery.ts'
import { withAppliance } from '../console-context.ts'
import { answering } from '../invocation.ts'
import { describeCertificate } from './show.ts'

const help = `
FILE is only the certificate, as PEM; - is standard input. It replaces the certificate that the user has, and
the user's sessions end. The daemon need not be restarted.

Examples:
  strongroom usercert add alice alice.pem
  pkcs15-tool --read-certificate 01 | strongroom usercert add alice -`

export function addUserCertificateAdd(usercert: Command): void {
  usercert
    .command('add')
    .description('register the certificate of a smartcard')
    .argument('<user>', 'login name')
    .argument('<file>', 'PEM file with the certificate')
    .addHelpText('after', help)
    .action(
      answering(async (invocation, username: string, file: string) => {
        const certificate = readUpload(await invocation.terminal.readInput(file))
        const subject = `user ${username}: ${labelOf(certificate.fingerprint)}`
        const notice = await withAppliance(invocation, ({ change, services }) =>
          change('usercert.add', subject, async (commit) => {
            const { id } = await services.users.find(username)
            await services.certificates.register(id, certificate, operatorId, commit)
            return onHoldNotice(services.recoveries, id)
          }),
        )
        const { json, lines } = describeCertificate(username, certificate)
        return { json, lines: [`User ${username} may now log in with this smartcard:`, ...lines, ...notice] }
      }),
    )
}
