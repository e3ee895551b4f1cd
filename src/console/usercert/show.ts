import type { Command } from 'commander'
import type { Certificate } from '../../features/certificates/certificate.ts'
import { table, type Answer } from '../output/command-answer.ts'
import { withAppliance } from '../console-context.ts'
import { answering } from '../invocation.ts'

const help = `
Example:
  strongroom usercert show alice --json | jq -r .certificate.validTo`

export function addUserCertificateShow(usercert: Command): void {
  usercert
    .command('show')
    .description('show the certificate of a user')
    .argument('<user>', 'login name')
    .addHelpText('after', help)
    .action(
      answering(async (invocation, username: string) => {
        const certificate = await withAppliance(invocation, async ({ services }) =>
          services.certificates.of((await services.users.find(username)).id),
        )
        if (certificate === undefined)
          return { json: { username, certificate: null }, lines: [`User ${username} has no smartcard.`] }
        return describeCertificate(username, certificate)
      }),
    )
}

export function describeCertificate(username: string, certificate: Certificate): Answer {
  const { subject, fingerprint } = certificate
  const [validFrom, validTo] = [certificate.validFrom, certificate.validTo].map((ms) => new Date(ms).toISOString())
  const fields = Object.entries(subject).map(([name, value]) => [name, JSON.stringify(value)])
  return {
    json: { username, certificate: { subject, validFrom, validTo, fingerprint } },
    lines: table([...fields, ['valid', `${validFrom} to ${validTo}`], ['SHA-256', fingerprint]]),
  }
}
