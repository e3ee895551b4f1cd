import { operatorId } from '../../src/access/confirmation.ts'
import { recover } from './sealed-people.ts'
import { base32nopad } from '@scure/base'
import { randomBytes } from 'node:crypto'
import { historyCalls } from './history-calls.ts'
import { makeLink } from './link-kit.ts'
import { server, upload, formWith } from './object-kit.ts'
import type { TestUser } from './appliance.ts'
import { givenHolder, ownChallenge, register } from './passkey-kit.ts'
import { SoftAuthenticator } from './soft-authenticator.ts'
import { addCredential, addService, asked, certificateOf } from './service-kit.ts'
import type { CallOptions } from './client.ts'
import { pemOf } from './client-pki.ts'
import { hotpCodes, nextTotpCode } from './hardware-token.ts'
import { beginDevice, enrolDevice, stockToken } from './own-device-kit.ts'
import type { Ground, PeopleCall, ReadyCall } from './people-ground.ts'

export const secretValue = 'Plain-value.of-a-field'
export const secretFile = Buffer.alloc(300_000, 'Plain bytes of a file. ')
const newLink = { ciphertext: Buffer.alloc(45, 7).toString('base64') }
const passphrase = 'nine brown lanterns over water'

const json = (path: string, body: object): ReadyCall => ({ path, options: () => ({ body }) })
/** A call whose echo is not checked, because its body contains secrets. */
const unechoed = (path: string, body: object): ReadyCall => ({
  path,
  options: () => ({ raw: JSON.stringify(body) }),
})

async function objectIn({ chief, vaultId }: Ground): Promise<string> {
  const { CALLINFO } = await chief.client.must('POST', '/object', {
    ...server,
    groupid: vaultId,
    password: secretValue,
  })
  return String(CALLINFO['objectid'])
}
const fileIn = ({ chief, vaultId }: Ground): Promise<string> => upload(chief.client, { groupid: vaultId }, secretFile)

async function anotherVault({ chief, members = [] }: Ground): Promise<string> {
  const [{ id }] = (await chief.client.must('POST', '/vault', { vaultname: 'Another' }))['VAULT'] as [{ id: string }]
  for (const [userId, status] of members) await chief.client.must('POST', `/vault/${id}/member/${userId}`, { status })
  return id
}

const serviceOf = ({ appliance, chief }: Ground) => addService(appliance, chief.user)
const someone = ({ appliance }: Ground): Promise<TestUser> => appliance.addUser()

async function member(ground: Ground, status = 1): Promise<TestUser> {
  const user = await someone(ground)
  await ground.chief.client.must('POST', `/vault/${ground.vaultId}/member/${user.id}`, { status })
  return user
}

async function sessionOf(ground: Ground): Promise<{ user: TestUser; session: number }> {
  const user = await someone(ground)
  await ground.appliance.login(user)
  const [session] = await ground.appliance.services.sessions.list(user.id)
  return { user, session: session?.id ?? 0 }
}

const passkeyOf = async ({ appliance, chief: { client, user } }: Ground): Promise<string> =>
  (await register(appliance, client, user)).id

async function hotpOf({ appliance }: Ground, user: TestUser): Promise<{ device: number; seed: string }> {
  const seed = randomBytes(20)
  const text = base32nopad.encode(seed)
  const { device } = await appliance.services.enrolments.enrolCodes(
    user,
    { kind: 'hotp', seed },
    operatorId,
    appliance.commit,
  )
  return { device: device.id, seed: text }
}

const cardForm = ({ ca }: Ground): CallOptions =>
  formWith({}, Buffer.from(pemOf(ca.issue('/CN=Card'))), 'card.cer', 'file')

const newUser = (): object => {
  const username = `new-${randomBytes(4).toString('hex')}`
  return {
    username,
    fullname: 'Somebody New',
    email: `${username}@example.test`,
    status: [0, 7],
    passphrase,
    totp: true,
  }
}

/** All calls of the interface for people that need a session, by method and path of the contract. */
export const peopleCalls: Readonly<Record<string, PeopleCall>> = {
  'GET /auth/logout': { needs: 'session', prepare: () => ({ path: '/auth/logout' }) },
  'POST /auth/check': { needs: 'session', reads: true, prepare: () => ({ path: '/auth/check' }) },
  'GET /audit': { needs: 'audit', reads: true, usesToken: true, prepare: () => ({ path: '/audit' }) },
  'GET /auth/check': { needs: 'session', reads: true, prepare: () => ({ path: '/auth/check' }) },
  'PUT /auth/passphrase': {
    needs: 'session',
    usesToken: true,
    prepare: () => ({
      path: '/auth/passphrase',
      options: ({ user }) => ({
        body: { passphrase: user.passphrase, newpassphrase: passphrase, otp: user.hardwareToken.press() },
      }),
    }),
  },

  'GET /user/:userid/sessions': {
    needs: 'admin',
    reads: true,
    prepare: async (on) => ({ path: `/user/${(await someone(on)).id}/sessions` }),
  },
  'DELETE /user/:userid/sessions/:sessionid': {
    needs: 'admin',
    prepare: async (on) => {
      const { user, session } = await sessionOf(on)
      return { path: `/user/${user.id}/sessions/${session}` }
    },
  },
  'DELETE /user/:userid/sessions': {
    needs: 'admin',
    prepare: async (on) => ({ path: `/user/${(await sessionOf(on)).user.id}/sessions` }),
  },
  'PUT /user/:userid/passphrase': {
    needs: 'admin',
    usesToken: true,
    prepare: async (on) => json(`/user/${(await someone(on)).id}/passphrase`, { newpassphrase: passphrase }),
  },

  'GET /user/:userid/otp': {
    needs: 'admin',
    reads: true,
    prepare: async (on) => ({ path: `/user/${(await someone(on)).id}/otp` }),
  },
  'POST /user/:userid/otp': {
    needs: 'admin',
    usesToken: true,
    prepare: async (on) => json(`/user/${(await someone(on)).id}/otp`, { kind: 'totp' }),
  },
  'DELETE /user/:userid/otp/:deviceid': {
    needs: 'admin',
    prepare: async (on) => {
      const user = await someone(on)
      return { path: `/user/${user.id}/otp/${(await hotpOf(on, user)).device}` }
    },
  },
  'PUT /user/:userid/otp/:deviceid/resync': {
    needs: 'admin',
    usesToken: true,
    prepare: async (on) => {
      const user = await someone(on)
      const { device, seed } = await hotpOf(on, user)
      const [otp1, otp2] = hotpCodes(seed, 5, { count: 2 })
      return unechoed(`/user/${user.id}/otp/${device}/resync`, { otp1, otp2 })
    },
  },

  'GET /me': { needs: 'session', reads: true, prepare: () => ({ path: '/me' }) },
  'PUT /me/email': { needs: 'session', prepare: () => json('/me/email', { email: 'another@example.test' }) },
  'DELETE /me/sessions': {
    needs: 'session',
    prepare: async ({ appliance, chief }) => {
      // Another session, which the call ends.
      await appliance.login(chief.user)
      return { path: '/me/sessions' }
    },
  },

  'DELETE /me/otp/:deviceid': {
    needs: 'session',
    own: true,
    usesToken: true,
    prepare: async ({ chief }) => {
      const id = await enrolDevice(chief.client, chief.user)
      return {
        path: `/me/otp/${id}`,
        options: ({ user }) => ({ raw: JSON.stringify({ otp: user.hardwareToken.press() }) }),
      }
    },
  },
  // In this order, because a new enrolment replaces a begun one.
  'POST /me/otp/:deviceid/activate': {
    needs: 'session',
    own: true,
    usesToken: true,
    prepare: async ({ chief }) => {
      const { device, secret } = await beginDevice(chief.client)
      return {
        path: `/me/otp/${device.id}/activate`,
        // A refused call has used up its code.
        options: ({ user }) => ({
          raw: JSON.stringify({ code: nextTotpCode(secret), otp: user.hardwareToken.press() }),
        }),
      }
    },
  },
  'POST /me/otp': { needs: 'session', usesToken: true, prepare: () => ({ path: '/me/otp' }) },
  'POST /me/otp/adopt': {
    needs: 'session',
    usesToken: true,
    prepare: async ({ appliance }) => {
      const token = await stockToken(appliance)
      return {
        path: '/me/otp/adopt',
        options: ({ user }) => ({
          raw: JSON.stringify({ tokenotp: token.press(), otp: user.hardwareToken.press() }),
        }),
      }
    },
  },

  'POST /me/challenge': { needs: 'session', reads: true, usesToken: true, prepare: () => ({ path: '/me/challenge' }) },
  'POST /me/passkeys': {
    needs: 'session',
    own: true,
    usesToken: true,
    async prepare({ chief: { client } }) {
      const registration = new SoftAuthenticator().register(await ownChallenge(client))
      const body = { name: 'Key on my desk', registration }
      return {
        path: '/me/passkeys',
        options: ({ user }) => ({ body: { ...body, otp: user.hardwareToken.press() } }),
      }
    },
  },
  'PUT /me/passkeys/:passkeyid': {
    needs: 'session',
    own: true,
    prepare: async (on) => json(`/me/passkeys/${await passkeyOf(on)}`, { name: 'Another' }),
  },
  'DELETE /me/passkeys/:passkeyid': {
    needs: 'session',
    own: true,
    usesToken: true,
    prepare: async (on) => ({
      path: `/me/passkeys/${await passkeyOf(on)}`,
      options: ({ user }) => ({ body: { otp: user.hardwareToken.press() } }),
    }),
  },
  'GET /user/:userid/passkeys': {
    needs: 'admin',
    reads: true,
    prepare: async (on) => ({ path: `/user/${(await someone(on)).id}/passkeys` }),
  },
  'DELETE /user/:userid/passkeys/:passkeyid': {
    needs: 'admin',
    usesToken: true,
    prepare: async (on) => {
      const { user, id } = await givenHolder(on.appliance)
      return { path: `/user/${user.id}/passkeys/${id}` }
    },
  },

  'GET /user': { needs: 'admin or createVault', reads: true, prepare: () => ({ path: '/user' }) },
  'GET /user/:userid': {
    needs: 'admin or createVault',
    reads: true,
    prepare: ({ chief }) => ({ path: `/user/${chief.user.id}` }),
  },
  'POST /user': { needs: 'admin', usesToken: true, prepare: () => json('/user', newUser()) },
  'PUT /user/:userid': {
    needs: 'admin',
    prepare: async (on) => json(`/user/${(await someone(on)).id}`, { fullname: 'Another Name' }),
  },
  'POST /user/:userid': {
    needs: 'admin',
    prepare: async (on) => json(`/user/${(await someone(on)).id}`, { status: 129 }),
  },
  'DELETE /user/:userid': { needs: 'admin', prepare: async (on) => ({ path: `/user/${(await someone(on)).id}` }) },

  'GET /usercert': { needs: 'session', reads: true, prepare: () => ({ path: '/usercert' }) },
  'GET /usercert/:userid': {
    needs: 'session',
    reads: true,
    prepare: ({ chief }) => ({ path: `/usercert/${chief.user.id}` }),
  },
  'POST /usercert/:userid': {
    needs: 'admin',
    usesToken: true,
    prepare: async (on) => {
      const [{ id }, form] = [await someone(on), cardForm(on)]
      return { path: `/usercert/${id}`, options: () => form }
    },
  },
  'DELETE /usercert/:userid': {
    needs: 'admin',
    prepare: async (on) => {
      const path = `/usercert/${(await someone(on)).id}`
      await on.chief.client.call('POST', path, cardForm(on))
      return { path }
    },
  },

  'GET /service': { needs: 'session', reads: true, prepare: () => ({ path: '/service' }) },
  'GET /service/:serviceid': {
    needs: 'admin',
    reads: true,
    prepare: async (on) => ({ path: `/service/${(await serviceOf(on)).id}` }),
  },
  'POST /service': {
    needs: 'admin',
    usesToken: true,
    prepare: () => json('/service', { name: `new-${randomBytes(4).toString('hex')}` }),
  },
  'PUT /service/:serviceid': {
    needs: 'admin',
    prepare: async (on) => json(`/service/${(await serviceOf(on)).id}`, { description: 'Another' }),
  },
  'DELETE /service/:serviceid': {
    needs: 'admin',
    prepare: async (on) => ({ path: `/service/${(await serviceOf(on)).id}` }),
  },
  'POST /service/:serviceid/credential': {
    needs: 'admin',
    prepare: async (on) =>
      json(`/service/${(await serviceOf(on)).id}/credential`, {
        kind: 'certificate',
        name: 'first',
        certificate: pemOf(on.ca.issue('/CN=Service')),
      }),
  },
  'DELETE /service/:serviceid/credential/:credentialid': {
    needs: 'admin',
    prepare: async (on) => {
      const service = await serviceOf(on)
      const certificate = certificateOf(on.ca.issue('/CN=Service'))
      const { id } = await addCredential(on.appliance, service, { ...asked, kind: 'certificate', certificate })
      return { path: `/service/${service.id}/credential/${id}` }
    },
  },

  'GET /link': { needs: 'session', reads: true, prepare: () => ({ path: '/link' }) },
  'POST /link': { needs: 'session', usesToken: true, prepare: () => unechoed('/link', newLink) },
  'DELETE /link/:linkid': {
    needs: 'maker',
    usesToken: true,
    prepare: async ({ chief }) => ({ path: `/link/${(await makeLink(chief.client)).id}` }),
  },

  'POST /vault': { needs: 'createVault', usesToken: true, prepare: () => json('/vault', { vaultname: 'New' }) },
  'GET /vault': { needs: 'session', reads: true, prepare: () => ({ path: '/vault' }) },
  'GET /vault/:vaultid': { needs: 'Read', reads: true, prepare: ({ vaultId }) => ({ path: `/vault/${vaultId}` }) },
  'PUT /vault/:vaultid': {
    needs: 'Admin',
    prepare: ({ vaultId }) => json(`/vault/${vaultId}`, { description: randomBytes(4).toString('hex') }),
  },
  'DELETE /vault/:vaultid': {
    needs: 'Admin and createVault',
    prepare: async (on) => ({ path: `/vault/${await anotherVault(on)}` }),
  },
  'GET /vault/:vaultid/members': {
    needs: 'Read',
    reads: true,
    prepare: ({ vaultId }) => ({ path: `/vault/${vaultId}/members` }),
  },
  'POST /vault/:vaultid/member/:userid': {
    needs: 'Admin',
    prepare: async (on) => json(`/vault/${on.vaultId}/member/${(await someone(on)).id}`, { status: 1 }),
  },
  'PUT /vault/:vaultid/member/:userid': {
    needs: 'Admin',
    prepare: async (on) => json(`/vault/${on.vaultId}/member/${(await member(on)).id}`, { status: 2 }),
  },
  'DELETE /vault/:vaultid/member/:userid': {
    needs: 'Admin',
    prepare: async (on) => ({ path: `/vault/${on.vaultId}/member/${(await member(on)).id}` }),
  },

  'POST /vault/:vaultid/member/:userid/confirm': {
    needs: 'Admin',
    prepare: async (on) => {
      const { id } = await member(on)
      await recover(on.appliance, id)
      return { path: `/vault/${on.vaultId}/member/${id}/confirm` }
    },
  },

  'GET /utils/policies': { needs: 'session', reads: true, prepare: () => ({ path: '/utils/policies' }) },
  'GET /utils/pwgen': { needs: 'session', reads: true, usesToken: true, prepare: () => ({ path: '/utils/pwgen' }) },
  'GET /utils/statusvalues': { needs: 'session', reads: true, prepare: () => ({ path: '/utils/statusvalues' }) },
  'GET /utils/version': { needs: 'session', reads: true, prepare: () => ({ path: '/utils/version' }) },
  'GET /utils/state': { needs: 'admin', reads: true, prepare: () => ({ path: '/utils/state' }) },
  'POST /utils/get_mime_type': {
    needs: 'session',
    reads: true,
    prepare: () => json('/utils/get_mime_type', { data: 'iVBORw0KGgo=', extension: 'png' }),
  },
  'GET /template': { needs: 'session', reads: true, prepare: () => ({ path: '/template' }) },
  'GET /template/:templateid': { needs: 'session', reads: true, prepare: () => ({ path: '/template/1' }) },
  'POST /filecollect': {
    needs: 'session',
    reads: true,
    prepare: () => ({ path: '/filecollect', options: () => formWith({}, secretFile) }),
  },

  'POST /object': {
    needs: 'Write',
    usesToken: true,
    prepare: ({ vaultId }) => json('/object', { ...server, groupid: vaultId, password: secretValue }),
  },
  'POST /object (a file)': {
    needs: 'Write',
    usesToken: true,
    prepare: ({ vaultId }) => ({ path: '/object', options: () => formWith({ groupid: vaultId }, secretFile) }),
  },
  'GET /object/:objectid': {
    needs: 'Read',
    reads: true,
    prepare: async (on) => ({ path: `/object/${await objectIn(on)}` }),
  },
  'GET /object/:objectid (its secrets)': {
    needs: 'Read',
    reads: true,
    usesToken: true,
    prepare: async (on) => ({ path: `/object/${await objectIn(on)}?decrypt=true` }),
  },
  'GET /object/:objectid (its file)': {
    needs: 'Read',
    reads: true,
    usesToken: true,
    prepare: async (on) => ({ path: `/object/${await fileIn(on)}?filedata=true` }),
  },
  'PUT /object/:objectid': {
    needs: 'Write',
    usesToken: true,
    prepare: async (on) => json(`/object/${await objectIn(on)}`, { password: 'another value' }),
  },
  'PUT /object/:objectid (a file)': {
    needs: 'Write',
    usesToken: true,
    prepare: async (on) => ({ path: `/object/${await fileIn(on)}`, options: () => formWith({}, secretFile) }),
  },
  ...historyCalls(objectIn),
  'PUT /object/:objectid/alarm': {
    needs: 'Admin',
    prepare: async (on) => json(`/object/${await objectIn(on)}/alarm`, { alarm: true }),
  },
  'POST /object/:objectid/undelete': {
    needs: 'Write',
    prepare: async (on) => {
      const id = await objectIn(on)
      await on.chief.client.must('DELETE', `/object/${id}`)
      return { path: `/object/${id}/undelete` }
    },
  },
  'GET /vault/:vaultid/trash': {
    needs: 'Write',
    reads: true,
    prepare: ({ vaultId }) => ({ path: `/vault/${vaultId}/trash` }),
  },
  'PUT /object/:objectid/favourite': {
    needs: 'Read',
    prepare: async (on) => json(`/object/${await objectIn(on)}/favourite`, { favourite: true }),
  },
  'GET /favourites': { needs: 'session', reads: true, prepare: () => ({ path: '/favourites' }) },
  'DELETE /object/:objectid/favourite': {
    needs: 'maker',
    prepare: async (on) => {
      const path = `/object/${await objectIn(on)}/favourite`
      await on.chief.client.must('PUT', path, { favourite: true })
      return { path }
    },
  },
  'PUT /object/:objectid/tags': {
    needs: 'Read',
    prepare: async (on) => json(`/object/${await objectIn(on)}/tags`, { tags: ['network'] }),
  },
  'GET /tags': { needs: 'session', reads: true, prepare: () => ({ path: '/tags' }) },
  'DELETE /object/:objectid/tags': {
    needs: 'maker',
    prepare: async (on) => {
      const path = `/object/${await objectIn(on)}/tags`
      await on.chief.client.must('PUT', path, { tags: ['network'] })
      return { path }
    },
  },
  'POST /object/:objectid/move': {
    needs: 'Write',
    prepare: async (on) => json(`/object/${await objectIn(on)}/move`, { parentid: 0 }),
  },
  'POST /object/:objectid/move (into another vault)': {
    needs: 'Write',
    usesToken: true,
    prepare: async (on) => json(`/object/${await fileIn(on)}/move`, { groupid: await anotherVault(on), parentid: 0 }),
  },
  'POST /object/:objectid/copy': {
    needs: 'Write',
    usesToken: true,
    prepare: async (on) => json(`/object/${await objectIn(on)}/copy`, { parentid: 0 }),
  },
  'DELETE /object/:objectid': { needs: 'Write', prepare: async (on) => ({ path: `/object/${await objectIn(on)}` }) },
  'GET /find': { needs: 'session', reads: true, prepare: () => ({ path: '/find?needle=core1' }) },
  'GET /find/:needle': { needs: 'session', reads: true, prepare: () => ({ path: '/find/core1' }) },
}

export const methodOf = (name: string): string => name.split(' ')[0] ?? ''
