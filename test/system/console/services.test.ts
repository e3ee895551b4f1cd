import { generateKeyPairSync } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ClientCa, pemOf } from '../../support/client-pki.ts'
import { addUser, makePremises, recorded, type Premises } from '../../support/console-kit.ts'

const ca = new ClientCa()
let premises: Premises
const issuers = [{ issuer: 'https://cluster.example', jwksFile: '/etc/strongroom/cluster.json' }]

beforeAll(async () => {
  premises = await makePremises()
  premises.configure({ smartcard: { clientCa: ca.certificate }, service: { allowStatic: true, issuers } })
  await premises.ask(['init'])
  await addUser(premises, 'alice')
  await addUser(premises, 'bobby')
})
afterAll(() => premises.cleanup())

it('makes a service account, gives it credentials, changes it and takes it away', async () => {
  const start = recorded(premises).length
  const soon = new Date(Date.now() + 10 * 86_400_000).toISOString().slice(0, 10)
  const made = await premises.ask([
    ...'service create mail-form --owner alice --address 192.0.2.0/24 2001:db8::7 --expires'.split(' '),
    soon,
    '--description',
    'Sends mail',
  ])
  expect(made).toMatchObject({
    name: 'mail-form',
    owner: { username: 'alice' },
    addresses: ['192.0.2.0/24', '2001:db8::7'],
    expires: `${soon}T00:00:00.000Z`,
    credentials: [],
  })
  const card = ca.issue('/CN=mail', { validForMs: 20 * 86_400_000 })
  const add = ['service', 'credential-add', 'mail-form']
  const first = await premises.ask([...add, 'certificate', card.certificate, '--name', '2026'])
  await premises.ask([...add, 'ca', '-', '--name', 'replicas', '--san', 'dns:mail-*.example.org'], pemOf(ca))
  const added = await premises.run([...add, 'static', '--name', 'old'])
  expect(added.stdout).toMatch(/^Key: [\w-]{43}$/m)
  // It is a member of no vault.
  expect(added.stdout).not.toMatch(/on hold/)
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const [pem, secret] = [
    publicKey.export({ type: 'spki', format: 'pem' }),
    privateKey.export({ type: 'pkcs8', format: 'pem' }),
  ]
  expect(await premises.ask([...add, 'jwt', '-', '--name', 'key', '--kid', 'k1'], String(pem))).toMatchObject({
    kid: 'k1',
  })
  expect((await premises.run([...add, 'jwt', '-'], String(secret))).stderr).toContain('This is a private key')
  const federated = [...add, 'federated', '--issuer', 'https://cluster.example', '--name', 'pods']
  expect((await premises.run(federated)).stderr).toContain('--claim sub=PATTERN')
  const claims = { sub: 'system:serviceaccount:shop:mailer' }
  expect(await premises.ask([...federated, '--claim', `sub=${claims.sub}`])).toMatchObject({ claims })
  expect(await premises.ask(['service', 'list'])).toMatchObject([{ name: 'mail-form', active: true }])
  expect((await premises.run(['service', 'show', 'mail-form'])).stdout).toMatch(
    /^[0-9a-f]{16} +ca +replicas +\d{4}.* +not used yet$/m,
  )

  const findings = (await premises.run(['--json', 'doctor', '--only', 'services'])).stdout
  expect(findings).toContain('the service account mail-form ends on')
  expect(findings).toContain('(2026) of the service account mail-form ends on')
  await premises.ask(['user', 'disable', 'alice'])
  expect((await premises.run(['doctor', '--only', 'services'])).stdout).toContain('(alice) cannot log in')
  await premises.ask(['service', 'edit', 'mail-form', '--owner', 'bobby', '--expires', 'never', '--address', 'any'])
  await premises.ask(['service', 'credential-remove', 'mail-form', first.id])
  expect((await premises.run(['doctor', '--only', 'services'])).stdout).toMatch(/1 service account.* none near its end/)

  expect(await premises.ask(['service', 'disable', 'mail-form'])).toMatchObject({ active: false })
  expect(await premises.ask(['service', 'enable', 'mail-form'])).toMatchObject({ active: true })
  await premises.ask(['service', 'remove', 'mail-form'])
  expect(await premises.ask(['service', 'show', 'mail-form'])).toMatchObject({
    active: false,
    expires: 'never',
    addresses: [],
    owner: { username: 'bobby' },
    credentials: [],
  })
  expect(recorded(premises).slice(start)).toEqual([
    ['console.service.create', 'allowed', 'service mail-form'],
    ['console.service.credential-add', 'allowed', 'service mail-form: certificate 2026'],
    ['console.service.credential-add', 'allowed', 'service mail-form: ca replicas'],
    ['console.service.credential-add', 'allowed', 'service mail-form: static old'],
    ['console.service.credential-add', 'allowed', 'service mail-form: jwt key'],
    ['console.service.credential-add', 'allowed', 'service mail-form: federated pods'],
    ['console.user.disable', 'allowed', 'user alice'],
    ['console.service.edit', 'allowed', 'service mail-form: owner, expires, address'],
    ['console.service.credential-remove', 'allowed', `service mail-form: credential ${first.id}`],
    ['console.service.disable', 'allowed', 'service mail-form'],
    ['console.service.enable', 'allowed', 'service mail-form'],
    ['console.service.remove', 'allowed', 'service mail-form'],
  ])
  // The trail agrees with the rows.
  expect((await premises.run(['audit', 'verify', '--database'])).stdout).toMatch(
    /^\d+ rows of the database are as the trail says\.$/m,
  )
})

it('says what is wrong, and changes nothing', async () => {
  await premises.ask(['service', 'create', 'printer', '--owner', 'bobby'])
  const cases: readonly (readonly [args: string[], status: number, says: RegExp])[] = [
    [['create', 'x', '--owner', 'bobby'], 1, /3 to 64 letters/],
    [['create', 'bobby', '--owner', 'bobby'], 1, /taken.*interrupted run.*service show bobby/],
    [['create', 'scanner', '--owner', 'nobody'], 1, /no user nobody/],
    [['create', 'scanner', '--owner', 'printer'], 1, /is a service account/],
    [['create', 'scanner', '--owner', 'bobby', '--address', 'example.org'], 2, /is not an address/],
    [['create', 'scanner', '--owner', 'bobby', '--expires', 'soon'], 2, /is not a time/],
    [['create', 'scanner', '--owner', 'bobby', '--expires', '2020-01-01'], 1, /would have ended already/],
    [['edit', 'printer'], 2, /Say what to change/],
    [['show', 'scanner'], 1, /no service account scanner/],
    [['show', 'bobby'], 1, /no service account bobby/],
    [['credential-add', 'printer', 'password'], 2, /not a kind of credential/],
    [['credential-add', 'printer', 'certificate'], 2, /PEM file/],
    [['credential-add', 'printer', 'ca', ca.certificate], 2, /--san dns/],
    [['credential-add', 'printer', 'certificate', ca.certificate], 1, /of a CA/],
    [['credential-remove', 'printer', '0011223344556677'], 1, /no such credential/],
  ]
  await premises.ask(['service', 'edit', 'printer', '--expires', '2020-01-01'])
  expect((await premises.run(['service', 'show', 'printer'])).stdout).toMatch(/^may log in +no: it has ended$/m)
  for (const [args, status, says] of cases)
    expect(await premises.run(['service', ...args]), args.join(' ')).toMatchObject({
      status,
      stderr: expect.stringMatching(says),
    })
  for (const args of [
    ['user', 'passphrase', 'printer'],
    ['user', 'disable', 'printer'],
  ])
    expect((await premises.run(args, 'nine brown lanterns over water\n')).status, args.join(' ')).not.toBe(0)
})
