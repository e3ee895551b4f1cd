import { createClient } from '@strongroom/client'
import { nodeTransport } from '@strongroom/client/node'
import { Option, type Command } from 'commander'
import { resolve } from 'node:path'
import { authorityOf, contentOf, targetOf, type Target } from '../connection.ts'
import { Refusal, sentenceOf, UsageError } from '../exit-code.ts'
import { answering, type Invocation } from '../invocation.ts'
import { keepSession, placeOf, storeOf } from '../secret-store.ts'
import { saveAppliance } from '../settings.ts'
import type { Terminal } from '../terminal.ts'

interface LoginOptions {
  readonly username?: string
  readonly ca?: string
  readonly factor: 'otp' | 'totp' | 'hwkey_otp' | 'smartcard'
  readonly certificateFile?: string
  readonly keyFile?: string
  readonly pkcs12File?: string
  readonly smartcardPort: string
  readonly applicationKeyFile?: string
  readonly keep?: 'keyring' | 'file'
}

export function addLogin(program: Command): void {
  program
    .command('login')
    .description('log in, and keep the session for later commands')
    .option('--username <name>', 'login name; the last one when absent')
    .option('--ca <file>', "the appliance's CA, PEM; the last one, or those that the system trusts, when absent")
    .addOption(
      new Option(
        '--factor <kind>',
        'second factor: otp takes what an authenticator app shows or a hardware token types',
      )
        .choices(['otp', 'totp', 'hwkey_otp', 'smartcard'])
        .default('otp'),
    )
    .option('--certificate-file <file>', 'of a smartcard: its certificate, PEM')
    .option('--key-file <file>', 'of a smartcard: its private key, PEM')
    .option('--pkcs12-file <file>', 'of a smartcard: certificate and private key')
    .option('--smartcard-port <port>', 'port of the logins by smartcard', '8443')
    .option('--application-key-file <file>', 'the application key; it is kept, so that later logins need not name it')
    .addOption(
      new Option('--keep <place>', 'where the session is kept; the keyring when absent, where one works').choices([
        'keyring',
        'file',
      ]),
    )
    .addHelpText(
      'after',
      `
Asks for the application key (the first time), the pass phrase and the one-time password. Without a terminal it takes
them from standard input, a line each, in this order. None of them can stand on the command line, where other users of
the machine would see them.

Example:
  strongroom-cli login --url https://vault.example.com --username alice`,
    )
    .action(answering(logIn))
}

interface Form {
  readonly username: string
  readonly passphrase: string
  readonly apikey: string
  readonly otp?: string
  readonly logintype?: 'totp' | 'hwkey_otp' | 'smartcard'
}

async function logIn({ terminal, url: option }: Invocation, options: LoginOptions) {
  const target = targetOf(option)
  const { url, known } = target
  const ca = options.ca === undefined ? known.ca : resolve(options.ca)
  const identity = await identityOf(terminal, options)
  const transport = nodeTransport({ ...authorityOf(ca), ...identity })
  const form = await ask(terminal, target, options)
  const client = createClient({
    url: options.factor === 'smartcard' ? onPort(url, options.smartcardPort) : url,
    transport,
  })
  try {
    const { CALLINFO } = await client.call('auth.login', { body: form })
    if (CALLINFO?.token === undefined) throw new Refusal('The login gave no session token.')
    const { fullname, username, audit, token } = CALLINFO
    // Before its session, which runs of another user would take for a newer one of theirs.
    if (username !== known.username) saveAppliance(url, { ...known, username })
    const { kept, store, problem } = keepSession(url, token, options.keep)
    store.write('application-key', form.apikey)
    saveAppliance(url, { username, ...(ca === undefined ? {} : { ca }), kept })
    removeElsewhere({ url, known }, kept, terminal)
    if (problem !== undefined) terminal.remark(`No keyring works here: ${problem}`)
    const advice = [audit.violations, audit.warnings].flatMap((one) => Object.values(one))
    for (const sentence of advice) terminal.complain(sentence)
    return {
      json: { url, username, fullname, kept, advice },
      text: `Logged in at ${url} as ${username}. The session is kept in ${placeOf(kept)}.\n`,
    }
  } finally {
    client.close()
  }
}

/** Removes what the last login kept in the other place: the new session is the only one. */
function removeElsewhere({ url, known }: Target, kept: 'keyring' | 'file', terminal: Terminal): void {
  if (known.kept === undefined || known.kept === kept) return
  const earlier = storeOf(url, known.kept)
  try {
    earlier.remove('session')
    earlier.remove('application-key')
  } catch (error) {
    terminal.complain(`The session of the last login stays in ${placeOf(known.kept)}. ${sentenceOf(error)}`)
  }
}

async function ask(terminal: Terminal, { url, known }: Target, options: LoginOptions): Promise<Form> {
  const username =
    options.username ?? known.username ?? (terminal.isInteractive ? await terminal.ask('User: ') : undefined)
  if (username === undefined) throw new UsageError('Give --username NAME.')
  const apikey = await applicationKeyOf(terminal, { url, known }, options)
  const passphrase = await terminal.askSecret('Pass phrase: ')
  if (options.factor === 'smartcard') return { username, passphrase, apikey, logintype: 'smartcard' }
  const otp = (await terminal.askSecret('One-time password: ')).trim()
  return { username, passphrase, apikey, otp, ...(options.factor === 'otp' ? {} : { logintype: options.factor }) }
}

async function applicationKeyOf(terminal: Terminal, { url, known }: Target, options: LoginOptions): Promise<string> {
  const { applicationKeyFile } = options
  if (applicationKeyFile !== undefined) {
    const [key = ''] = contentOf(applicationKeyFile).toString().split(/\r?\n/)
    if (key === '') throw new UsageError(`${applicationKeyFile} begins with an empty line: write the application key.`)
    return key
  }
  return keptKey(terminal, { url, known }, options) ?? (await terminal.askSecret('Application key: ')).trim()
}

/** The application key of an earlier login. A keyring that is out of reach, for example over SSH, prevents no login. */
function keptKey(terminal: Terminal, { url, known }: Target, { keep }: LoginOptions): string | undefined {
  if (known.kept === undefined) return undefined
  try {
    return storeOf(url, known.kept).read('application-key')
  } catch (error) {
    if (known.kept === 'file' || keep === 'keyring') throw error
    terminal.complain(sentenceOf(error))
    return undefined
  }
}

/** The TLS options with the certificate of a smartcard. */
async function identityOf(terminal: Terminal, { factor, certificateFile, keyFile, pkcs12File }: LoginOptions) {
  if (factor !== 'smartcard') return {}
  if (pkcs12File !== undefined) {
    const passphrase = await terminal.askSecret('Pass phrase of the PKCS#12 file: ')
    return { pfx: contentOf(pkcs12File), passphrase }
  }
  if (certificateFile === undefined || keyFile === undefined)
    throw new UsageError('A smartcard needs --certificate-file and --key-file, or --pkcs12-file.')
  return { cert: contentOf(certificateFile), key: contentOf(keyFile) }
}

function onPort(url: string, port: string): string {
  if (!/^\d{1,5}$/.test(port)) throw new UsageError(`${port} is not a port.`)
  const address = new URL(url)
  address.port = port
  return address.href
}
