import { randomBytes } from 'node:crypto'
import type { TestClient } from '../../support/client.ts'
import { HardwareToken, totpCode } from '../../support/hardware-token.ts'
import { beginDevice, stockToken } from '../../support/own-device-kit.ts'
import { freshLogin, givenHolder, ownChallenge } from '../../support/passkey-kit.ts'
import { SoftAuthenticator } from '../../support/soft-authenticator.ts'
import { addCredential, addService, asked, byKey } from '../../support/service-kit.ts'
import { makeLink } from '../../support/link-kit.ts'
import { formWith, server } from '../../support/object-kit.ts'
import { importBody } from '../transparent/key-kit.ts'
import { goodCallsOfMarks } from './good-calls-of-marks.ts'
import type { Premises } from './premises.ts'

/** A call that succeeds unchanged. */
export interface GoodCall {
  /** Default: the administrator. */
  readonly client?: TestClient
  readonly params?: Readonly<Record<string, string>>
  /** Members of the body, or of the query of a GET. */
  readonly members?: Readonly<Record<string, unknown>>
  /** A file, sent as multipart/form-data. */
  readonly file?: string
  /** The call uses up what it needs, so that it succeeds once. */
  readonly once?: true
  /** Members for each try, such as one-time passwords, which a try uses up. Wrong ones would be counted. */
  readonly oneTime?: () => Readonly<Record<string, unknown>>
}

export type Arrange = (at: Premises) => GoodCall | Promise<GoodCall>

const plaintext = 'AAAA'
const aNewPassphrase = 'seven wooden lanterns on the quay'
const once =
  (arrange: Arrange): Arrange =>
  async (at) => ({ ...(await arrange(at)), once: true })

const nothing: Arrange = () => ({})

const newKey = {
  type: 'aes256-gcm96',
  info: 'About it',
  residency: 'database',
  allow_export: 'false',
  allow_plaintext_export: false,
  allow_backup: true,
  allow_delete: 'true',
  auto_rotate_period: 3600,
}
const newLink = { ciphertext: Buffer.alloc(45, 7).toString('base64') }
const ofService = async (at: Premises): Promise<GoodCall> => ({
  params: { serviceid: String((await addService(at.appliance, at.user)).id) },
})
const ofUser: Arrange = async (at) => ({ params: { userid: await at.newUserId() } })
const ofCardHolder: Arrange = ({ cardHolder }) => ({ params: { userid: String(cardHolder.id) } })
const ofVault: Arrange = async (at) => ({ params: { vaultid: await at.newVault() } })
const ofKey: Arrange = async (at) => ({ params: await at.newKey() })
const ofKnownKey: Arrange = ({ known }) => ({ params: known })

const grants = [
  { keys: 'mail-*', operations: ['encrypt', 'read'], aad: 'AAAA', daily: 10, strict: true },
  { objects: ['list', 'read'] },
]

const editUser: Arrange = once(async (at) => ({
  params: { userid: await at.tokenlessUserId() },
  members: {
    username: at.freeName().name,
    fullname: 'Ed Ited',
    email: 'edited@example.test',
    status: 129,
    otpprefix: await at.newToken(),
  },
}))

/** A new seed (base32). */
const newSeed = () => Array.from(randomBytes(32), (byte) => 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'[byte & 31]).join('')

async function ciphertextOf(at: Premises): Promise<string> {
  return String((await at.told('POST', `/transparent/${at.vaultId}/encrypt/known`, { plaintext }))['ciphertext'])
}

async function signed(at: Premises, verb: 'sign' | 'hmac', type: string) {
  const params = await at.newKey({ type })
  const made = await at.told('POST', `/transparent/${at.vaultId}/${verb}/${params.name}`, { input: plaintext })
  return { params, made }
}

/**
 * Every call of the interface in a form that succeeds, by method and path, with several where a call has several forms.
 * A test fails where a contract has none.
 */
export const goodCalls: Readonly<Record<string, Arrange | readonly Arrange[]>> = {
  'POST /auth': [
    async ({ appliance }) => {
      const user = await appliance.addUser()
      return { client: appliance.client(), oneTime: () => appliance.credentials(user) }
    },
    async ({ appliance }) => {
      const user = await appliance.addUser()
      const keys = ({ passphrase = '', apikey = '', otp = '' }) => ({ keys: passphrase + apikey + otp })
      return {
        client: appliance.client(),
        members: { username: user.username },
        oneTime: () => keys(appliance.credentials(user)),
      }
    },
    async ({ appliance }) => {
      const { user, authenticator } = await givenHolder(appliance)
      const { challenges } = appliance.services
      // An assertion to each challenge is valid once.
      const issued = await Promise.all(Array.from({ length: 500 }, () => challenges.forLogin()))
      const { passkey: _, ...members } = await freshLogin(appliance, user, authenticator)
      const oneTime = () => ({ passkey: authenticator.answer(issued.pop()?.toString('base64url') ?? '') })
      return { client: appliance.client(), members, oneTime }
    },
    async ({ appliance, user }) => {
      const service = await addService(appliance, user)
      const { key } = await addCredential(appliance, service, { ...asked, kind: 'static' })
      return { client: appliance.client(), members: byKey(service.name, key) }
    },
  ],
  'POST /auth/challenge': ({ appliance }) => ({ client: appliance.client() }),
  'GET /auth/logout': once(async (at) => ({ client: await at.newSession() })),
  'POST /auth/check': nothing,
  'GET /auth/check': nothing,
  'GET /authinfo/logintypes': ({ appliance }) => ({ client: appliance.client() }),
  'GET /authinfo/smcuser': ({ cardReader }) => ({ client: cardReader }),
  'PUT /auth/passphrase': once(async ({ appliance }) => {
    const user = await appliance.addUser()
    const { passphrase } = user
    return {
      client: await appliance.login(user),
      members: { passphrase, newpassphrase: aNewPassphrase, logintype: 'hwkey_otp' },
      oneTime: () => ({ otp: user.hardwareToken.press() }),
    }
  }),

  'GET /audit': async ({ appliance }) => {
    const client = await appliance.login(await appliance.addUser(['read', 'createVault', 'audit', 'active']))
    const { VAULT } = await client.must('POST', '/vault', { vaultname: 'Audited' })
    const [{ id }] = VAULT as [{ id: string }]
    const times = { since: '2026-10-01T00:00:00Z', until: '2100-01-01T00:00:00.000Z' }
    const what = { user: 'alice', vaultid: id, key: 'orders', operation: 'transparent.*', outcome: 'refused' }
    return { client, members: { ...times, ...what, limit: '10', next: 'W10' } }
  },
  'GET /user/:userid/sessions': ({ user }) => ({ params: { userid: String(user.id) } }),
  'DELETE /user/:userid/sessions/:sessionid': once(async (at) => {
    const user = await at.appliance.addUser()
    await at.appliance.login(user)
    const sessions = (await at.told('GET', `/user/${user.id}/sessions`))['sessions'] as { id: string }[]
    return { params: { userid: String(user.id), sessionid: sessions[0]?.id ?? '' } }
  }),
  'DELETE /user/:userid/sessions': ofUser,
  'PUT /user/:userid/passphrase': async (at) => ({
    params: { userid: await at.newUserId() },
    members: { newpassphrase: aNewPassphrase },
  }),

  'GET /user/:userid/otp': ofUser,
  'POST /user/:userid/otp': [
    once(async (at) => ({
      params: { userid: await at.newUserId() },
      members: { kind: 'totp', algorithm: 'sha256', digits: 6, period: 30, secret: newSeed() },
    })),
    async (at) => ({ params: { userid: await at.newUserId() }, members: { kind: 'hotp', digits: '8', counter: 5 } }),
    once(async (at) => {
      const { publicId, privateId, key } = new HardwareToken()
      const members = { kind: 'hwkey_otp', public_id: publicId, private_id: privateId, secret: key }
      return { params: { userid: await at.newUserId() }, members }
    }),
  ],
  'DELETE /user/:userid/otp/:deviceid': once(async (at) => ({ params: (await at.newCodes()).params })),
  'PUT /user/:userid/otp/:deviceid/resync': once((at) => at.newCodes()),

  'GET /me': nothing,
  'PUT /me/email': async ({ appliance }) => ({
    client: await appliance.login(await appliance.addUser()),
    members: { email: 'another@example.test' },
  }),
  'DELETE /me/sessions': async ({ appliance }) => ({ client: await appliance.login(await appliance.addUser()) }),

  'POST /me/otp': async ({ appliance }) => ({ client: await appliance.login(await appliance.addUser()) }),
  'POST /me/otp/:deviceid/activate': once(async ({ appliance }) => {
    const user = await appliance.addUser()
    const client = await appliance.login(user)
    const { device, secret } = await beginDevice(client)
    return {
      client,
      params: { deviceid: device.id },
      members: { logintype: 'hwkey_otp' },
      oneTime: () => ({ code: totpCode(secret), otp: user.hardwareToken.press() }),
    }
  }),
  'POST /me/otp/adopt': once(async (at) => {
    const user = await at.appliance.addUser()
    const token = await stockToken(at.appliance)
    return {
      client: await at.appliance.login(user),
      members: { logintype: 'yubikey_otp' },
      oneTime: () => ({ tokenotp: token.press(), otp: user.hardwareToken.press() }),
    }
  }),
  'DELETE /me/otp/:deviceid': once(async ({ appliance }) => {
    const user = await appliance.addUser()
    const devices = await appliance.services.devices.list(user.id)
    return {
      client: await appliance.login(user),
      params: { deviceid: String(devices.find(({ kind }) => kind === 'totp')?.id) },
      members: { logintype: 'hwkey_otp' },
      oneTime: () => ({ otp: user.hardwareToken.press() }),
    }
  }),

  'POST /me/challenge': nothing,
  'POST /me/passkeys': once(async ({ appliance }) => {
    const user = await appliance.addUser()
    const client = await appliance.login(user)
    const registration = new SoftAuthenticator().register(await ownChallenge(client))
    const members = { name: 'Key on my desk', registration, logintype: 'hwkey_otp' }
    return { client, members, oneTime: () => ({ otp: user.hardwareToken.press() }) }
  }),
  'PUT /me/passkeys/:passkeyid': async ({ appliance }) => {
    const { session: client, id } = await givenHolder(appliance)
    return { client, params: { passkeyid: id }, members: { name: 'Telephone' } }
  },
  'DELETE /me/passkeys/:passkeyid': once(async ({ appliance }) => {
    const { session: client, user, id } = await givenHolder(appliance)
    const oneTime = () => ({ otp: user.hardwareToken.press() })
    return { client, params: { passkeyid: id }, members: { logintype: 'hwkey_otp' }, oneTime }
  }),
  'GET /user/:userid/passkeys': async ({ appliance }) => ({
    params: { userid: String((await givenHolder(appliance)).user.id) },
  }),
  'DELETE /user/:userid/passkeys/:passkeyid': once(async ({ appliance }) => {
    const { user, id } = await givenHolder(appliance)
    return { params: { userid: String(user.id), passkeyid: id } }
  }),

  'GET /user': () => ({ members: { searchstring: 'user', limit: '10', next: '1' } }),
  'GET /user/:userid': ofUser,
  'POST /user': once((at) => ({
    members: {
      username: at.freeName().name,
      fullname: 'New User',
      email: 'new@example.test',
      status: 131,
      passphrase: aNewPassphrase,
      totp: true,
    },
  })),
  'PUT /user/:userid': [
    editUser,
    async (at) => ({ params: { userid: await at.newUserId() }, members: { status: [0, 7] } }),
  ],
  'POST /user/:userid': editUser,
  'DELETE /user/:userid': ofUser,

  'GET /usercert': nothing,
  'GET /usercert/:userid': ofCardHolder,
  'POST /usercert/:userid': ({ cardHolder, certificate }) => ({
    params: { userid: String(cardHolder.id) },
    file: certificate,
  }),
  'DELETE /usercert/:userid': once(async ({ cardHolder, admin, certificate }) => {
    // Made each time, because a success removes it.
    await admin.call('POST', `/usercert/${cardHolder.id}`, formWith({}, Buffer.from(certificate)))
    return { params: { userid: String(cardHolder.id) } }
  }),

  'GET /service': nothing,
  'GET /service/:serviceid': ofService,
  'POST /service': once((at) => ({
    members: {
      name: at.freeName().name,
      description: 'A service',
      owner: String(at.user.id),
      addresses: ['2001:db8::/32'],
      expires: '2100-01-01T00:00:00Z',
    },
  })),
  'PUT /service/:serviceid': async (at) => ({
    ...(await ofService(at)),
    members: {
      description: 'Another',
      owner: at.user.id,
      addresses: ['2001:db8::7'],
      expires: '2100-01-01T00:00:00Z',
      active: true,
    },
  }),
  'DELETE /service/:serviceid': ofService,
  'POST /service/:serviceid/credential': [
    once(async (at) => ({
      ...(await ofService(at)),
      members: { kind: 'certificate', name: 'first', expires: '2100-01-01T00:00:00Z', certificate: at.certificate },
    })),
    once(async (at) => ({
      ...(await ofService(at)),
      members: { kind: 'ca', name: 'first', certificate: at.caCertificate, san: { type: 'dns', pattern: '*.example' } },
    })),
  ],
  'DELETE /service/:serviceid/credential/:credentialid': once(async (at) => {
    const { params } = await ofService(at)
    const members = { kind: 'certificate', name: 'first', certificate: at.certificate }
    const { credential } = await at.told('POST', `/service/${params?.['serviceid']}/credential`, members)
    return { params: { ...params, credentialid: (credential as { id: string }).id } }
  }),

  'GET /link': () => ({ members: { limit: '10', next: '999999999' } }),
  'POST /link': () => ({ members: { ...newLink, lifetime: 3600, label: 'For Kim' } }),
  'POST /link/open': once(async (at) => {
    const { opener } = await makeLink(at.admin)
    return { client: at.appliance.client(), members: { opener } }
  }),
  'DELETE /link/:linkid': once(async (at) => {
    return { params: { linkid: (await makeLink(at.admin)).id } }
  }),

  'POST /vault': () => ({ members: { vaultname: 'New', policy: '7', description: 'About it', history: '5' } }),
  'GET /vault': nothing,
  'GET /vault/:vaultid': ({ vaultId }) => ({ params: { vaultid: vaultId } }),
  'PUT /vault/:vaultid': async (at) => ({
    params: { vaultid: await at.newVault() },
    members: { groupname: 'Renamed', policy: 7, description: 'About it', history: 0 },
  }),
  'DELETE /vault/:vaultid': once(ofVault),
  'GET /vault/:vaultid/members': ({ vaultId }) => ({ params: { vaultid: vaultId } }),
  'POST /vault/:vaultid/member/:userid': [
    once(async (at) => ({ params: await at.newMember(false), members: { status: '2' } })),
    once(async (at) => ({ params: await at.newMember(false), members: { status: 1, grants } })),
  ],
  'PUT /vault/:vaultid/member/:userid': [
    async (at) => ({ params: await at.newMember(), members: { status: 2, grants: null } }),
    async (at) => ({ params: await at.newMember(), members: { status: 1, grants } }),
  ],
  'DELETE /vault/:vaultid/member/:userid': once(async (at) => ({ params: await at.newMember() })),
  'POST /vault/:vaultid/member/:userid/confirm': once(async (at) => ({
    params: await at.memberOnHold(),
    members: { recovery: '1' },
  })),

  'GET /utils/policies': nothing,
  'GET /utils/pwgen': [
    () => ({ members: { type: 'secure', length: '20' } }),
    () => ({
      members: { type: 'diceword', words: '5', language: 'en_US', delimiter: 'dash', min_char: '3', max_char: '9' },
    }),
    () => ({ members: { policyid: '7', length: '' } }),
  ],
  'GET /utils/statusvalues': nothing,
  'GET /utils/state': nothing,
  'GET /utils/version': nothing,
  'POST /utils/get_mime_type': () => ({ members: { data: 'JVBERi0xLjcK', extension: 'pdf', size: 1000 } }),

  'GET /template': nothing,
  'GET /template/:templateid': () => ({ params: { templateid: '1' } }),
  'POST /filecollect': ({ certificate }) => ({ file: certificate, members: { file1: 'card.pem' } }),

  'POST /object': [
    ({ vaultId }) => ({
      members: { ...server, groupid: vaultId, parentid: '0', objectname: 'Named', info: 'More', cryptedinfo: 'Secret' },
    }),
    ({ vaultId }) => ({
      members: { groupid: vaultId, templateid: '3', parentid: '0', description: 'A file' },
      file: 'content',
    }),
  ],
  'GET /object/:objectid': [
    ({ objectId }) => ({
      params: { objectid: objectId },
      members: { decrypt: 'true', children: 'false', filedata: 'false' },
    }),
    ({ objectId }) => ({ params: { objectid: objectId } }),
  ],
  'PUT /object/:objectid': async (at) => ({
    params: { objectid: await at.newObject() },
    members: { ...server, groupid: at.vaultId, parentid: 0, objectname: 'Renamed', password: 'changed' },
  }),
  'GET /object/:objectid/history': async (at) => ({ params: { objectid: await at.editedObject() } }),
  'GET /object/:objectid/history/:version': async (at) => ({
    params: { objectid: await at.editedObject(), version: '1' },
    members: { decrypt: 'true' },
  }),
  'PUT /object/:objectid/alarm': ({ objectId }) => ({ params: { objectid: objectId }, members: { alarm: true } }),
  'DELETE /object/:objectid': once(async (at) => ({
    params: { objectid: await at.newObject() },
    members: { children: false },
  })),
  'POST /object/:objectid/undelete': once(async (at) => {
    const objectid = await at.newObject()
    await at.told('DELETE', `/object/${objectid}`)
    return { params: { objectid } }
  }),
  'GET /vault/:vaultid/trash': ({ vaultId }) => ({ params: { vaultid: vaultId } }),
  ...goodCallsOfMarks,
  'POST /object/:objectid/move': async (at) => ({
    params: { objectid: await at.newObject() },
    members: { groupid: at.vaultId, parentid: 0 },
  }),
  'POST /object/:objectid/copy': async (at) => ({
    params: { objectid: await at.newObject() },
    members: { groupid: at.vaultId, parentid: 0 },
  }),
  'GET /find': () => ({ members: { needle: 'example' } }),
  'GET /find/:needle': () => ({ params: { needle: 'example' } }),

  'GET /transparent/types': nothing,
  'GET /transparent/:vaultid/keys': ({ vaultId }) => ({ params: { vaultid: vaultId }, members: { after: 'a' } }),
  'POST /transparent/:vaultid/keys/:name': once((at) => ({
    params: at.freeName(),
    members: newKey,
  })),
  'GET /transparent/:vaultid/keys/:name': ofKnownKey,
  'PUT /transparent/:vaultid/keys/:name': async (at) => ({
    params: await at.newKey(),
    members: { info: 'Changed', allow_delete: false, auto_rotate_period: '0', min_encryption_version: 1 },
  }),
  'DELETE /transparent/:vaultid/keys/:name': once(ofKey),
  'POST /transparent/:vaultid/keys/:name/undelete': once(async (at) => {
    const params = await at.newKey()
    await at.told('DELETE', `/transparent/${params.vaultid}/keys/${params.name}`)
    return { params }
  }),
  'POST /transparent/:vaultid/keys/:name/rotate': ofKey,
  'POST /transparent/:vaultid/keys/:name/trim': async (at) => ({
    params: await at.newKey(),
    members: { min_available_version: '1' },
  }),
  'PUT /transparent/:vaultid/keys/:name/versions/:version': async (at) => ({
    params: { ...(await at.newKey()), version: '1' },
    members: { enabled: false },
  }),
  'PUT /transparent/:vaultid/settings': async (at) => ({
    params: { vaultid: await at.newVault() },
    members: { create_on_encrypt: false, signing_permission: 'Admin', strict: false },
  }),

  'POST /transparent/:vaultid/encrypt/:name': [
    ({ known }) => ({ params: known, members: { plaintext, aad: 'AAAA', key_version: '1', type: 'aes128-gcm96' } }),
    ({ known }) => ({
      params: known,
      members: { batch_input: [{ plaintext, aad: 'AAAA', key_version: 1, reference: 'first' }] },
    }),
  ],
  'POST /transparent/:vaultid/decrypt/:name': [
    async (at) => ({ params: at.known, members: { ciphertext: await ciphertextOf(at), aad: '' } }),
    async (at) => ({
      params: at.known,
      members: { batch_input: [{ ciphertext: await ciphertextOf(at), reference: 'first' }] },
    }),
  ],
  'POST /transparent/rewrap/:vaultid/:name': [
    async (at) => ({ params: at.known, members: { ciphertext: await ciphertextOf(at), to_version: 1 } }),
    async (at) => ({ params: at.known, members: { batch_input: [{ ciphertext: await ciphertextOf(at) }] } }),
  ],
  'POST /transparent/:vaultid/datakey/:type/:name': ({ known }) => ({
    params: { ...known, type: 'plaintext' },
    members: { bits: '256', key_version: 1, aad: 'AAAA' },
  }),
  'POST /transparent/:vaultid/sign/:name': async (at) => ({
    params: await at.newKey({ type: 'ecdsa-p256' }),
    members: { input: plaintext, prehashed: 'false', marshaling_algorithm: 'jws', key_version: 1 },
  }),
  'POST /transparent/:vaultid/verify/:name': [
    async (at) => {
      const { params, made } = await signed(at, 'sign', 'ecdsa-p256')
      return { params, members: { input: plaintext, signature: made['signature'] } }
    },
    async (at) => {
      const { params, made } = await signed(at, 'hmac', 'hmac-sha256')
      return { params, members: { input: plaintext, hmac: made['hmac'] } }
    },
  ],
  'POST /transparent/:vaultid/hmac/:name': async (at) => ({
    params: await at.newKey({ type: 'hmac-sha256' }),
    members: { input: plaintext, key_version: '1' },
  }),
  'POST /transparent/random': () => ({ members: { bytes: '16', format: 'hex' } }),
  'POST /transparent/hash': () => ({ members: { input: plaintext, algorithm: 'sha2-384', format: 'hex' } }),

  'GET /transparent/backup/:vaultid/:name': ofKnownKey,
  'POST /transparent/restore/:vaultid/:name': once(async (at) => {
    const { KEYS } = await at.admin.must('GET', `/transparent/backup/${at.vaultId}/known`)
    return { params: at.freeName(), members: { backup: (KEYS as { backup: string }).backup, force: 'false' } }
  }),
  'GET /transparent/export/:vaultid/:name': ofKnownKey,
  'GET /transparent/export/:vaultid/:name/:version': ({ known }) => ({ params: { ...known, version: '1' } }),
  'POST /transparent/import_job/:vaultid/:name': (at) => ({
    params: at.freeName(),
    members: newKey,
  }),
  'POST /transparent/import/:vaultid/:name': once(async (at) => {
    const params = at.freeName()
    const members = await importBody(at.admin, at.vaultId, params.name, Buffer.alloc(32, 7), { type: 'aes256-gcm96' })
    return { params, members }
  }),
}
