import { execFileSync } from 'node:child_process'
import { createPrivateKey, randomUUID, X509Certificate } from 'node:crypto'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { TestAppliance } from '../../support/appliance.ts'
import { expectFault } from '../../support/client.ts'
import { strongroom } from '../../support/console-kit.ts'
import { freshLogin, ownChallenge } from '../../support/passkey-kit.ts'
import { SoftAuthenticator, withPasskeys, type SaidMake } from '../../support/soft-authenticator.ts'

const folder = mkdtempSync(join(tmpdir(), 'strongroom-makers-'))
const inFolder = (name: string): string => join(folder, name)
const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: 'pipe' })
const model = randomUUID()
const later = randomUUID()

let appliance: TestAppliance

beforeAll(async () => {
  for (const maker of ['taken', 'other']) makeMaker(maker)
  const attestation = { ca: inFolder('taken.pem'), aaguids: [model.toUpperCase(), later] }
  const { types, webauthn } = withPasskeys.login
  appliance = await TestAppliance.own({ login: { types, webauthn: { ...webauthn, attestation } } })
})
afterAll(() => appliance.close())

const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes']

function makeMaker(name: string): void {
  const files = ['-keyout', inFolder(`${name}.key`), '-out', inFolder(`${name}.pem`)]
  openssl('req', '-x509', ...newKey, ...files, '-days', '30', '-subj', `/CN=Maker ${name}`)
}

/** An attestation certificate by WebAuthn §8.2.1. */
function madeBy(maker: string, aaguid = model): Required<SaidMake> {
  const name = randomUUID()
  const [key, request, certificate, extensions] = ['key', 'csr', 'pem', 'ext'].map((end) => inFolder(`${name}.${end}`))
  if (!key || !request || !certificate || !extensions) throw new Error('four files')
  writeFileSync(extensions, 'basicConstraints=CA:FALSE\n')
  const subject = '/C=SE/O=Maker/OU=Authenticator Attestation/CN=Security key'
  openssl('req', ...newKey, '-keyout', key, '-out', request, '-subj', subject)
  const ca = ['-CA', inFolder(`${maker}.pem`), '-CAkey', inFolder(`${maker}.key`), '-CAcreateserial']
  openssl('x509', '-req', '-in', request, ...ca, '-days', '30', '-extfile', extensions, '-out', certificate)
  const { raw } = new X509Certificate(readFileSync(certificate))
  return { certificates: [raw], key: createPrivateKey(readFileSync(key)), aaguid }
}

async function registering(make?: SaidMake) {
  const user = await appliance.addUser()
  const session = await appliance.login(user)
  const authenticator = new SoftAuthenticator()
  const registration = authenticator.register(await ownChallenge(session), {}, make)
  const answer = await session.post('/me/passkeys', { name: 'Key', registration, otp: user.hardwareToken.press() })
  return { answer, user, session, authenticator }
}

it('is asked for of those who register, and taken from a maker that is named', async () => {
  const { answer, user, session, authenticator } = await registering(madeBy('taken'))
  expect(answer.status).toBe(201)
  expect((await session.must('POST', '/me/challenge')).CALLINFO['attestation']).toBe('direct')
  expect((await appliance.client().post('/auth', await freshLogin(appliance, user, authenticator))).status).toBe(200)
})

it.each<[string, number, () => SaidMake | undefined]>([
  ['says no make', 1774, () => undefined],
  ['signs for itself', 1774, () => ({ aaguid: model })],
  ['is of another maker', 1774, () => madeBy('other')],
  ['is of another model', 1774, () => madeBy('taken', randomUUID())],
  [
    'shows a certificate that is not its own',
    1770,
    () => ({ ...madeBy('other'), certificates: madeBy('taken').certificates }),
  ],
  ['brings the CA of its maker along', 1774, () => withCa(madeBy('other'))],
])('an authenticator that %s is not registered', async (_, code, make) => {
  const { answer, session, user } = await registering(make())
  expectFault(answer, 400, code)
  expect((await session.must('GET', `/user/${user.id}/passkeys`)).CALLINFO['passkeys']).toEqual([])
})

const withCa = (made: Required<SaidMake>): SaidMake => ({
  ...made,
  certificates: [...made.certificates, new X509Certificate(readFileSync(inFolder('other.pem'))).raw],
})

it('doctor says whose are taken, and that a file without a CA lets none be registered', async () => {
  const ca = inFolder('taken.pem')
  const whole = readFileSync(ca)
  const state = async () => {
    const { stdout } = await strongroom(appliance.configFile, ['--json', 'doctor', '--only', 'passkeys'])
    return (JSON.parse(stdout).findings as Record<string, string>[])
      .filter(({ subject }) => subject === 'passkeys')
      .map((found) => [found['state'], found['detail']])
  }
  expect(await state()).toEqual([['ok', expect.stringContaining('login.webauthn.attestation')]])
  writeFileSync(ca, '')
  expect(await state()).toEqual([['problem', expect.stringContaining(ca)]])
  writeFileSync(ca, whole)
})
