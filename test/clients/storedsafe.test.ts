import { StoredSafe } from 'storedsafe'
import { beforeAll, expect, it } from 'vitest'
import type { TestUser } from '../support/appliance.ts'
import { applianceForTests } from '../support/for-tests.ts'
import { totpCode } from '../support/hardware-token.ts'
import { curl } from '../support/wire.ts'
import { accepted, npmClient, startForClients } from './client-kit.ts'

/** What the client's own methods are made of. */
const inner = ['assertApikeyExists', 'assertTokenExists', 'parseResponse', 'parseQueryParams', 'request']
const verbs = ['get', 'post', 'put', 'delete']
const methods = Object.getOwnPropertyNames(StoredSafe.prototype).filter(
  (name) => ![...inner, ...verbs, 'constructor'].includes(name),
)
const called = new Set<string>()

const appliance = applianceForTests(startForClients)
let user: TestUser
let client: StoredSafe
let vaultId: string

/** The same client, which notes what is called. */
function noting(driven: StoredSafe): StoredSafe {
  return new Proxy(driven, {
    get(target, name: string) {
      called.add(name)
      return Reflect.get(target, name, target) as unknown
    },
  })
}

const freshClient = (): StoredSafe =>
  noting(
    new StoredSafe({
      host: new URL(appliance.url).host,
      apikey: appliance.applicationKey,
      options: { ca: appliance.ca },
    }),
  )

beforeAll(async () => {
  user = await appliance.addUser(['read', 'createVault', 'admin', 'active'])
  client = noting(await npmClient(appliance, user))
  vaultId =
    accepted(await client.createVault({ groupname: 'Client', policy: '7', description: 'x' })).data?.VAULT[0]?.id ?? ''
})

it('logs in with a hardware token or TOTP, checks, logs out, and knows when it is not logged in', async () => {
  const one = freshClient()
  const login = accepted(await one.loginYubikey(user.username, user.passphrase, user.hardwareToken.press()))
  expect(login.data?.CALLINFO).toMatchObject({
    userid: String(user.id),
    username: user.username,
    audit: { violations: [], warnings: expect.anything() },
    token: expect.stringMatching(/^[A-Za-z0-9]{42}$/),
  })
  expect(login.status).toBe(200)
  expect(accepted(await one.check()).status).toBe(200)
  const { token = '' } = one
  expect(accepted(await one.logout()).data?.CALLINFO.logout).toEqual(expect.any(String))
  one.token = token
  expect(await one.check()).toMatchObject({
    success: false,
    unauthorized: true,
    errorcodes: { 1200: expect.any(String) },
  })
  accepted(await one.loginTotp(user.username, user.passphrase, totpCode(user.totpSecret)))
  expect(await one.loginTotp(user.username, 'not the pass phrase', '000000')).toMatchObject({
    status: 403,
    success: false,
    unauthorized: true,
  })
})

it('is told that smartcards are not enabled where they are not', async () => {
  const { hostname, port } = new URL(appliance.url)
  const options = { ca: appliance.ca, port }
  const card = noting(new StoredSafe({ host: hostname, apikey: appliance.applicationKey, options }))
  // The client appends a port of its own to the host; the option leads it to the only listener there is.
  expect(await card.loginSmartCard(user.username, user.passphrase)).toMatchObject({ success: false, hasErrors: true })
})

it('creates, lists, reads, edits and deletes vaults', async () => {
  const created = accepted(await client.createVault({ groupname: 'Short-lived', policy: '8', description: 'd' }))
  const [vault] = created.data?.VAULT ?? []
  expect([created.status, created.data?.CALLINFO.message, vault]).toEqual([
    200,
    'Vault created',
    {
      id: expect.any(String),
      groupname: 'Short-lived',
      policy: '8',
      description: 'd',
      status: '4',
      statustext: 'Admin',
    },
  ])
  const id = vault?.id ?? ''
  expect(accepted(await client.listVaults()).data?.VAULTS).toContainEqual(vault)
  const edited = accepted(await client.editVault(id, { description: 'changed' }))
  expect([edited.data?.CALLINFO.message, edited.data?.VAULT]).toEqual([
    'Vault updated',
    [{ ...vault, description: 'changed' }],
  ])
  expect(accepted(await client.vaultObjects(id)).data).toMatchObject({ VAULT: [{ id }], OBJECTS: [], TEMPLATES: [] })
  expect(accepted(await client.deleteVault(id)).data?.CALLINFO.message).toBe('Vault deleted')
  expect(await client.vaultObjects(id)).toMatchObject({ status: 404, success: false, unauthorized: false })
})

it('adds, changes, lists and removes members', async () => {
  const member = await appliance.addUser()
  const id = String(member.id)
  expect(accepted(await client.addVaultMember(vaultId, id, 1)).data?.CALLINFO.message).toBe('User added')
  expect(accepted(await client.editVaultMember(vaultId, id, 4)).data?.CALLINFO.message).toBe('User updated')
  expect(accepted(await client.vaultMembers(vaultId)).data?.CALLINFO.vaultmembers).toContainEqual({
    id,
    username: member.username,
    fullname: expect.any(String),
    email: `${member.username}@example.test`,
    groupstatus: '4',
    status: '131',
  })
  const removed = accepted(await client.removeVaultMember(vaultId, id))
  expect([removed.data?.CALLINFO.message, removed.data?.DATA]).toEqual([
    'User removed from vault',
    { userid: member.id, token: client.token },
  ])
})

it('creates, reads, decrypts, finds, edits and deletes objects', async () => {
  const fields = { host: 'core1.example.test', username: 'netops', password: 'seven-Wooden-lanterns-7' }
  const created = accepted(
    await client.createObject({ templateid: '4', groupid: vaultId, parentid: '0', objectname: 'core1', ...fields }),
  )
  const id = created.data?.CALLINFO.objectid ?? ''
  expect([created.status, created.data?.CALLINFO.message]).toEqual([200, 'Object successfully saved'])
  const [read] = accepted(await client.getObject(id)).data?.OBJECT ?? []
  expect(read).toMatchObject({
    id,
    groupid: vaultId,
    templateid: '4',
    parentid: '0',
    objectname: 'core1',
    children: '0',
  })
  expect(read?.public).toEqual({ host: fields.host, username: fields.username })
  expect(read).not.toHaveProperty('crypted')
  expect(accepted(await client.getObject(id, true)).data?.OBJECT).toEqual([read])
  expect(accepted(await client.decryptObject(id)).data?.OBJECT[0]?.crypted).toEqual({ password: fields.password })
  const found = accepted(await client.find('CORE1.example'))
  expect([found.data?.OBJECT, found.data?.TEMPLATES.map((template) => template.id)]).toEqual([[read], ['4']])
  accepted(await client.editObject(id, { ...fields, username: 'changed' }))
  expect(accepted(await client.vaultObjects(vaultId)).data).toMatchObject({
    OBJECTS: [{ id, public: { username: 'changed' } }],
    TEMPLATES: [{ id: '4' }],
  })
  expect(accepted(await client.deleteObject(id)).data?.CALLINFO.message).toBe('DELETED')
  expect(accepted(await client.find('core1')).data?.OBJECT).toEqual([])
})

it('reads a file that another client has uploaded', async () => {
  const form = { templateid: '3', groupid: vaultId, parentid: '0', token: client.token ?? '' }
  const fields = Object.entries(form).flatMap(([name, value]) => ['-F', `${name}=${value}`])
  const answer = await curl(
    appliance,
    '/object',
    '--http1.1',
    '-F',
    `upload=@${appliance.configFile};type=text/plain`,
    ...fields,
  )
  const { CALLINFO } = JSON.parse(answer.slice(answer.lastIndexOf('\r\n\r\n'))) as { CALLINFO: { objectid: string } }
  const { data } = accepted(await client.getFile(CALLINFO.objectid))
  const { FILEDATA } = data as unknown as { FILEDATA: string }
  expect(JSON.parse(Buffer.from(FILEDATA, 'base64').toString())).toHaveProperty('store')
  expect(data?.OBJECT[0]?.fileinfo).toMatchObject({ name: 'strongroom.json', ext: 'json' })
})

it('lists and reads templates', async () => {
  const entries = accepted(await client.listTemplates()).data?.TEMPLATE ?? []
  expect(entries.map(({ INFO }) => INFO.id)).toEqual(expect.arrayContaining(['1', '2', '3', '4', '20']))
  expect(accepted(await client.getTemplate('4')).data?.TEMPLATE).toEqual(entries.find(({ INFO }) => INFO.id === '4'))
})

it('manages users, and reads policies, bits, the version and a password', async () => {
  const fields = { username: 'driven', fullname: 'Driven User', email: 'driven@example.test', status: [0, 7] }
  const created = accepted(
    await client.createUser({ ...fields, passphrase: 'seven wooden lanterns on the quay', totp: true }),
  )
  expect(created.data?.CALLINFO).toMatchObject({ calculated_status: 129, user_created: 'Driven User' })
  const listed = accepted(await client.listUsers()).data?.CALLINFO.users ?? []
  const id = listed.find(({ username }) => username === 'driven')?.id ?? ''
  accepted(await client.editUser(id, { fullname: 'Driven Again' }))
  expect(accepted(await client.getUser(id)).data?.CALLINFO.users).toMatchObject([{ id, fullname: 'Driven Again' }])
  accepted(await client.deleteUser(id))
  expect(accepted(await client.passwordPolicies()).data?.CALLINFO.policies.map((policy) => policy.id)).toContain(16)
  expect(accepted(await client.statusValues()).data?.CALLINFO.statusbits?.vaultbits).toEqual({
    Admin: 2,
    Read: 0,
    Write: 1,
  })
  expect(accepted(await client.version()).data?.CALLINFO.version).toMatch(/^\d+\.\d+\.\d+/)
  expect(accepted(await client.generatePassword()).data?.CALLINFO.passphrase).toHaveLength(40)
})

it('was driven through every method that it has', () => {
  expect(methods).toHaveLength(32)
  expect(methods.filter((name) => !called.has(name))).toEqual([])
})
