import { operatorId } from '../../../src/access/confirmation.ts'
import { randomBytes } from 'node:crypto'
import type { TestAppliance } from '../../support/appliance.ts'
import type { TestClient } from '../../support/client.ts'
import { ClientCa, pemOf } from '../../support/client-pki.ts'
import { HardwareToken, hotpCodes } from '../../support/hardware-token.ts'
import { CardAppliance } from '../certificates/card-kit.ts'
import { createObject } from '../../support/object-kit.ts'
import { withPasskeys } from '../../support/soft-authenticator.ts'
import { recover } from '../../support/sealed-people.ts'
import { releaseToken } from '../users/release-token.ts'

export type Premises = Awaited<ReturnType<typeof makePremises>>

/** An appliance with users, vaults, objects and keys, where every call of the interface can succeed. */
export async function makePremises() {
  const ca = new ClientCa()
  const card = ca.issue('/CN=Card of the user/O=Example')
  const cards = await CardAppliance.start(
    { clientCa: ca.certificate },
    {
      service: { allowStatic: true },
      login: { ...withPasskeys.login, freeAttempts: 100, argon2: { memoryKiB: 8192, passes: 1 } },
      quotas: { rsaKeysPerMinute: 1_000, linksPerMinute: 10_000 },
      links: { enabled: true, perUser: 10_000 },
    },
  )
  const { appliance } = cards
  const user = await appliance.addUser(['read', 'createVault', 'admin', 'active'])
  const cardHolder = await cards.holder(card)
  const admin = await appliance.login(user)
  const vaultId = await newVault(admin)
  const known = { vaultid: vaultId, name: 'known' }
  await admin.must('POST', `/transparent/${vaultId}/keys/known`, { allow_export: true, allow_plaintext_export: true })

  const newUserId = async () => String((await appliance.addUser()).id)
  const freeName = () => ({ vaultid: vaultId, name: `key-${randomBytes(6).toString('hex')}` })
  /** CALLINFO of a call that must succeed. */
  const told = async (method: string, path: string, body: object = {}): Promise<Record<string, unknown>> =>
    (await admin.must(method, path, body)).CALLINFO

  return {
    appliance,
    /**
     * Client of a user who creates vaults, administers users, and is Admin of a vault with an object and the key
     * `known`.
     */
    admin,
    user,
    vaultId,
    known,
    objectId: await createObject(admin, vaultId),
    /** A user with a smartcard, the certificate, and a client that presents it. */
    cardHolder,
    certificate: pemOf(card),
    caCertificate: pemOf(ca),
    cardReader: cards.holding(card),
    /** Ids of things of another user, by the names of fields that could contain them. */
    foreign: await thingsOfAStranger(appliance),
    told,
    newUserId,
    async tokenlessUserId() {
      const { id, hardwareToken } = await appliance.addUser()
      await releaseToken(admin, id, hardwareToken.publicId)
      return String(id)
    },
    freeName,
    newSession: () => appliance.login(),
    newVault: () => newVault(admin),
    newObject: () => createObject(admin, vaultId),
    /** An object with an earlier version. */
    async editedObject() {
      const id = await createObject(admin, vaultId)
      await admin.must('PUT', `/object/${id}`, { password: 'changed' })
      return id
    },
    /** A vault, and a user who is or could become a member. */
    async newMember(isMember = true) {
      const place = { vaultid: await newVault(admin), userid: await newUserId() }
      if (isMember) await told('POST', `/vault/${place.vaultid}/member/${place.userid}`, { status: 1 })
      return place
    },
    /** A member of a vault whose pass phrase the operator has replaced. */
    async memberOnHold() {
      const place = { vaultid: await newVault(admin), userid: await newUserId() }
      await told('POST', `/vault/${place.vaultid}/member/${place.userid}`, { status: 1 })
      await recover(appliance, Number(place.userid))
      return place
    },
    async newKey(members: object = {}) {
      const place = freeName()
      await told('POST', `/transparent/${place.vaultid}/keys/${place.name}`, members)
      return place
    },
    /** The public id of an unassigned hardware token. */
    async newToken() {
      const token = new HardwareToken()
      await appliance.services.enrolments.enrolHardwareToken(null, token.secrets(), operatorId, appliance.commit)
      return token.publicId
    },
    /** A HOTP token of a new user, and its next two codes. */
    async newCodes() {
      const userid = await newUserId()
      const { json } = await admin.call('POST', `/user/${userid}/otp`, { raw: '{"kind":"hotp"}' })
      const { secret, otpdevice } = json.CALLINFO as unknown as { secret: string; otpdevice: { id: string } }
      const [otp1, otp2] = hotpCodes(secret, 0, { count: 2 })
      return { params: { userid, deviceid: otpdevice.id }, members: { otp1, otp2 } }
    },
    close: () => cards.close(),
  }
}

async function newVault(client: TestClient): Promise<string> {
  const [{ id }] = (await client.must('POST', '/vault', { vaultname: 'Fields' }))['VAULT'] as [{ id: string }]
  return id
}

async function thingsOfAStranger(appliance: TestAppliance): Promise<Readonly<Record<string, string>>> {
  const user = await appliance.addUser()
  const client = await appliance.login(user)
  const vaultid = await newVault(client)
  const objectid = await createObject(client, vaultid)
  const [session] = (await client.must('GET', `/user/${user.id}/sessions`)).CALLINFO['sessions'] as [{ id: string }]
  const [device] = await appliance.services.devices.list(user.id)
  return {
    vaultid,
    groupid: vaultid,
    objectid,
    parentid: objectid,
    sessionid: session.id,
    deviceid: String(device?.id),
  }
}
