import { Option, type Command } from 'commander'
import { operatorId } from '../../access/confirmation.ts'
import { readUpload } from '../../features/certificates/uploaded-certificate.ts'
import { credentialRecord, onHoldSentence } from '../../features/services/routes/service-record.ts'
import { nameTypes, type AskedCredential } from '../../features/services/new-credential.ts'
import { jwkIn } from '../../features/services/public-key-text.ts'
import { withAppliance } from '../console-context.ts'
import { UsageError } from '../exit-code.ts'
import { answering, type Invocation } from '../invocation.ts'
import { endOf, endText } from './describe.ts'

const help = `
certificate: the TLS client certificate in FILE. ca: every certificate that the CA in FILE issues with a subject
alternative name that fits --san. jwt: a key by which the application signs assertions; FILE holds its public
half, PEM or JWK. federated: JWTs of an issuer of service.issuers, with claims that fit each --claim. static: a
key, shown once; service.allowStatic has to be on. FILE - is standard input. The earlier credentials go on until
they are taken away: the application can be moved to the new one.

The memberships of the account are on hold until an Admin of each vault confirms them, unless its owner adds the
credential.

Examples:
  strongroom service credential-add mail-form certificate mail-form.pem --name 2027
  strongroom service credential-add mail-form ca ca.pem --san dns:mail-*.example.org
  strongroom service credential-add mail-form jwt mail-form.pub --name 2027
  strongroom service credential-add mailer federated --issuer https://kubernetes.default.svc.cluster.local \\
    --claim sub=system:serviceaccount:shop:mailer
  strongroom service credential-add old-printer static`

interface Options {
  readonly name: string
  readonly san?: string
  readonly kid?: string
  readonly issuer?: string
  readonly claim?: readonly string[]
  readonly expires?: string
}

type Kind = AskedCredential['kind']

export function addServiceCredentialAdd(service: Command): void {
  service
    .command('credential-add')
    .description('add a credential that an application logs in with')
    .argument('<account>', 'name of the account')
    .argument('<kind>', 'certificate, ca, jwt, federated or static')
    .argument('[file]', 'file with the certificate, or with the public key')
    .option('--name <text>', 'name of the credential, 1 to 64 letters, digits, blanks and . _ -', 'first')
    .addOption(new Option('--san <type:pattern>', 'of a ca: dns, uri or email, and the name; * is any characters'))
    .option('--kid <text>', 'of a jwt: the key id that its assertions have to name; without it, any')
    .option('--issuer <name>', 'of a federated one: the issuer, as service.issuers names it')
    .option('--claim <name=pattern...>', 'of a federated one: what a claim has to be; * is any characters')
    .option('--expires <time>', 'from when it is refused: 2027-12-31, or never')
    .addHelpText('after', help)
    .action(
      answering(async (invocation, account: string, kind: string, file: string | undefined, options: Options) => {
        const asked = await askedFor(invocation, kindOf(kind), file, options)
        const { service, putsOnHold, credential, key } = await withAppliance(invocation, ({ change, services }) =>
          change('service.credential-add', `service ${account}: ${kind} ${options.name}`, async (commit) => {
            const { id } = await services.serviceAccounts.find(account)
            return services.serviceAccounts.addCredential(id, asked, operatorId, commit)
          }),
        )
        return {
          json: { ...credentialRecord(service, credential), ...(key !== undefined && { key }) },
          lines: [
            `Credential ${credential.id} of ${account} added; it ends ${endText(credential.expiresAt)}.`,
            ...(key === undefined ? [] : [`Key: ${key}`, 'It is shown this once: hand it to the application now.']),
            ...onHoldSentence(putsOnHold),
          ],
        }
      }),
    )
}

const kinds: readonly Kind[] = ['certificate', 'ca', 'jwt', 'federated', 'static']

function kindOf(text: string): Kind {
  const kind = kinds.find((one) => one === text)
  if (kind === undefined)
    throw new UsageError(`${text} is not a kind of credential: give certificate, ca, jwt, federated or static.`)
  return kind
}

async function askedFor(
  { terminal }: Invocation,
  kind: Kind,
  file: string | undefined,
  { name, san, expires, kid, issuer, claim = [] }: Options,
): Promise<AskedCredential> {
  const common = { name, expiresAt: endOf(expires) ?? null }
  if (kind === 'static') return { ...common, kind }
  if (kind === 'federated') {
    if (issuer === undefined || claim.length === 0)
      throw new UsageError('Name the issuer (--issuer), and what its JWTs have to claim (--claim sub=PATTERN).')
    return { ...common, kind, issuer, claims: Object.fromEntries(claim.map(claimIn)) }
  }
  if (file === undefined)
    throw new UsageError('Name the PEM file with the certificate or public key; - is standard input.')
  const content = await terminal.readInput(file)
  if (kind === 'jwt') return { ...common, kind, publicKey: jwkIn(content.toString()), kid: kid ?? null }
  const certificate = readUpload(content)
  if (kind === 'certificate') return { ...common, kind, certificate }
  const [, text = '', pattern = ''] = /^(\w+):(.+)$/.exec(san ?? '') ?? []
  const type = nameTypes.find((one) => one === text)
  if (type === undefined)
    throw new UsageError(
      'Say to whom the CA issues: --san dns:NAME, uri:NAME or email:NAME, in which * is any characters.',
    )
  return { ...common, kind, certificate, san: { type, pattern } }
}

function claimIn(text: string): [string, string] {
  const [, name, pattern] = /^([^=]+)=(.+)$/.exec(text) ?? []
  if (name === undefined || pattern === undefined) throw new UsageError(`${text} is not a claim: give NAME=PATTERN.`)
  return [name, pattern]
}
