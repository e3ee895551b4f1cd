import { createHash, randomBytes } from 'node:crypto'
import { join, resolve } from 'node:path'
import { expect } from 'vitest'
import type { TestAppliance, TestUser } from './appliance.ts'
import type { TestClient } from './client.ts'
import { strongroom } from './console-kit.ts'
import { totpCode } from './hardware-token.ts'
import { makeLink } from './link-kit.ts'
import { createObject, objectsIn, readObject, server, upload } from './object-kit.ts'
import { makeVault, type TestVault } from './vault.ts'

/** An appliance with rows of every kind, and the data to check it after a move. */
export interface FullAppliance {
  readonly vault: TestVault
  readonly owner: TestUser
  readonly member: TestUser
  readonly memberSession: TestClient
  /** Session of a member who may only encrypt with one key, a limited number of items a day. */
  readonly narrowSession: TestClient
  /** A user who has logged in by code once, and never by the hardware token. */
  readonly byCode: TestUser
  readonly spentOtp: Record<string, string>
  readonly ciphertexts: Readonly<Record<string, readonly string[]>>
  readonly signatures: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly backup: string
  readonly object: string
  readonly file: string
}

const base64 = (text: string) => Buffer.from(text).toString('base64')
const content = randomBytes(500_000)
const template = resolve(import.meta.dirname, '../../config/template.example.json')

/** Keys that encrypt, each with another policy and two versions. */
const encryptors = {
  strict: { type: 'aes256-gcm96', allow_backup: false },
  backed: { type: 'aes256-gcm96' },
  open: { type: 'aes256-gcm96', allow_export: true, allow_plaintext_export: true },
  stays: { type: 'aes256-gcm96', residency: 'token', allow_backup: false },
} as const

/** Keys that sign, and the members of calls with them. */
const signers = {
  signer: { body: { type: 'ecdsa-p256' }, verb: 'sign', member: 'signature' },
  mac: { body: { type: 'hmac-sha256', allow_backup: false }, verb: 'hmac', member: 'hmac' },
} as const

const message = { input: base64('a message') }

export async function fillAppliance(appliance: TestAppliance): Promise<FullAppliance> {
  const [owner, member, byCode, removed, narrow] = [
    await appliance.addUser(),
    await appliance.addUser(),
    await appliance.addUser(),
    await appliance.addUser(),
    await appliance.addUser(),
  ]
  const spentOtp = appliance.credentials(owner)
  const admin = appliance.client()
  admin.token = (await admin.must('POST', '/auth', spentOtp)).CALLINFO.token
  // A gap in the numbers of rows.
  const gone = await makeVault(appliance, 'Gone', admin)
  await admin.must('DELETE', `/vault/${gone.id}`)
  const vault = await makeVault(appliance, 'Everything', admin)
  await admin.must('DELETE', `/object/${await createObject(admin, vault.id)}`)
  await vault.share(String(member.id), 'Write')
  await vault.share(String(removed.id), 'Read')
  await vault.share(String(removed.id), undefined)
  const memberSession = await appliance.login(member)
  await appliance.client().must('POST', '/auth', codeOf(appliance, byCode))
  expect((await appliance.client().post('/auth', { ...codeOf(appliance, byCode), passphrase: 'wrong' })).status).toBe(
    403,
  )
  await makeLink(admin)
  const keys = await makeKeys(vault)
  const grants = [{ keys: 'stri*', operations: ['encrypt'], daily: 1_000 }]
  await admin.must('POST', `/vault/${vault.id}/member/${narrow.id}`, { status: 1, grants })
  const narrowSession = await appliance.login(narrow)
  await narrowSession.must('POST', `/transparent/${vault.id}/encrypt/strict`, { plaintext: 'AAAA' })
  const object = await createObject(admin, vault.id, { password: earlierPassword })
  await admin.must('PUT', `/object/${object}`, { password: server.password })
  await admin.must('PUT', `/object/${object}/favourite`, { favourite: true })
  await admin.must('PUT', `/object/${object}/tags`, { tags: ['network', 'Örebro'] })
  const fields = { templateid: '3', groupid: vault.id }
  const file = await upload(admin, fields, content, 'everything.bin')
  for (const command of [
    ['validator', 'client-add', 'vpn.example.org'],
    ['template', 'add', template],
    ['apikey', 'create', 'payroll'],
  ])
    expect(await strongroom(appliance.configFile, command)).toMatchObject({ status: 0 })
  return { vault, owner, member, memberSession, narrowSession, byCode, spentOtp, ...keys, object, file }
}

const earlierPassword = 'S3cret-pass.before'

const codeOf = (appliance: TestAppliance, user: TestUser) => ({
  ...appliance.credentials(user),
  otp: totpCode(user.totpSecret),
  logintype: 'totp',
})

async function makeKeys(vault: TestVault): Promise<Pick<FullAppliance, 'ciphertexts' | 'signatures' | 'backup'>> {
  const path = (name: string, more = '') => `/transparent/${vault.id}/keys/${name}${more}`
  const must = (method: string, at: string, body?: object) => vault.admin.must(method, at, body)
  const ciphertexts: Record<string, string[]> = {}
  for (const [name, body] of Object.entries(encryptors)) {
    await must('POST', path(name), body)
    const first = await vault.encrypt(name, base64(`${name} 1`))
    await must('POST', path(name, '/rotate'))
    ciphertexts[name] = [first, await vault.encrypt(name, base64(`${name} 2`))]
  }
  await must('PUT', path('backed', '/versions/1'), { enabled: false })
  const signatures: Record<string, Record<string, unknown>> = {}
  for (const [name, { body, verb, member }] of Object.entries(signers)) {
    await must('POST', path(name), body)
    const { CALLINFO } = await must('POST', `/transparent/${vault.id}/${verb}/${name}`, message)
    signatures[name] = { ...message, [member]: CALLINFO[member] }
  }
  await must('POST', path('gone'), { type: 'aes256-gcm96' })
  await must('DELETE', path('gone'))
  const { KEYS } = await must('GET', `/transparent/backup/${vault.id}/backed`)
  await must('POST', `/transparent/restore/${vault.id}/restored`, KEYS as object)
  const job = { type: 'aes256-gcm96' }
  await must('POST', `/transparent/import_job/${vault.id}/imported`, job)
  return { ciphertexts, signatures, backup: (KEYS as { backup: string }).backup }
}

/** Checks that earlier sessions continue, with all rights of their callers. */
export async function serves(
  { vault, memberSession, narrowSession, object, file, ...made }: FullAppliance,
  without: readonly string[] = [],
): Promise<void> {
  const { admin } = vault
  expect(await vault.decrypt('strict', made.ciphertexts['strict']?.[0] ?? '')).toBe(base64('strict 1'))
  const disabled = { ciphertext: made.ciphertexts['backed']?.[0] }
  const refused = await admin.post(`/transparent/${vault.id}/decrypt/backed`, disabled)
  expect(refused.json.CALLINFO.status).toBe('FAIL')
  for (const name of ['strict', 'backed', 'open', 'stays', 'restored'].filter((one) => !without.includes(one))) {
    const ciphertext = made.ciphertexts[name === 'restored' ? 'backed' : name]?.[1] ?? ''
    expect(await vault.decrypt(name, ciphertext)).toBe(base64(`${name === 'restored' ? 'backed' : name} 2`))
    await memberSession.must('POST', `/transparent/${vault.id}/decrypt/${name}`, { ciphertext })
    expect(await vault.decrypt(name, await vault.encrypt(name, base64('now')))).toBe(base64('now'))
  }
  const encrypted = await narrowSession.must('POST', `/transparent/${vault.id}/encrypt/strict`, { plaintext: 'AAAA' })
  const body = { ciphertext: encrypted.CALLINFO['ciphertext'] }
  expect((await narrowSession.post(`/transparent/${vault.id}/decrypt/strict`, body)).status).toBe(403)
  for (const [name, body] of Object.entries(made.signatures))
    expect((await admin.must('POST', `/transparent/${vault.id}/verify/${name}`, body)).CALLINFO['valid']).toBe(true)
  expect((await readObject(admin, object, '?decrypt=true')).crypted).toMatchObject({ password: server.password })
  const { HISTORY } = await admin.must('GET', `/object/${object}/history/1?decrypt=true`)
  expect(HISTORY).toMatchObject([{ crypted: { password: earlierPassword } }])
  const { FILEDATA } = await admin.must('GET', `/object/${file}?filedata=true`)
  expect(digestOf(Buffer.from(String(FILEDATA), 'base64'))).toBe(digestOf(content))
  expect(objectsIn(await admin.must('GET', '/find?needle=core1')).map(({ id }) => id)).toContain(object)
  await admin.must('GET', `/transparent/export/${vault.id}/open`)
}

const digestOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

/** Checks that new rows, logins and earlier sessions work, and that used codes stay used. */
export async function goesOn(
  appliance: TestAppliance,
  full: FullAppliance,
  without: readonly string[] = [],
): Promise<void> {
  const { vault, owner, spentOtp } = full
  const { admin } = vault
  expect((await appliance.client().post('/auth', spentOtp)).status).toBe(403)
  const again = await appliance.login(owner)
  await appliance.login(full.byCode)
  const next = await makeVault(appliance, 'Next', again)
  expect(Number(next.id)).toBeGreaterThan(Number(vault.id))
  const object = await createObject(admin, vault.id, { host: 'core2.example.test' })
  expect(Number(object)).toBeGreaterThan(Number(full.file))
  const key = (name: string, more: string) => `/transparent/${vault.id}/keys/${name}${more}`
  for (const name of ['strict', 'backed', 'open', 'stays'].filter((one) => !without.includes(one)))
    await admin.must('POST', key(name, '/rotate'))
  await admin.must('POST', key('gone', '/undelete'))
  const backup = (await admin.must('GET', `/transparent/backup/${vault.id}/backed`))['KEYS'] as object
  await admin.must('POST', `/transparent/restore/${vault.id}/again-${object}`, backup)
  await admin.must('POST', `/transparent/restore/${vault.id}/of-before-${object}`, { backup: full.backup })
  const { status } = await strongroom(appliance.configFile, ['audit', 'verify'])
  expect(status).toBe(0)
}

/** Path of a file in the folder of the appliance. */
export const besides = (appliance: TestAppliance, name: string): string => join(appliance.directory, name)
