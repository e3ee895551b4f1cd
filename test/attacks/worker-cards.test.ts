import { hashRaw } from '@node-rs/argon2'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { keeperOf } from '../../src/config/keeper-section.ts'
import { sealedApplicationKey } from '../../src/features/auth/application-key.ts'
import { certificateOf, sealedRecord } from '../../src/features/certificates/records.ts'
import { findUserById } from '../../src/features/users/records.ts'
import { sealedUser } from '../../src/features/users/user-seals.ts'
import type { Hsm, SealedRecord } from '../../src/hsm/hsm.ts'
import type { LoginRequest } from '../../src/hsm/login-request.ts'
import { composeRecord } from '../../src/hsm/record-layouts.ts'
import { CardAppliance } from '../api/certificates/card-kit.ts'
import type { TestUser } from '../support/appliance.ts'
import { ClientCa } from '../support/client-pki.ts'
import { askKeeper } from '../support/frame-caller.ts'
import { workerHsm } from '../support/worker-hsm.ts'

/**
 * The attacker runs code in a worker. He has captured a pass phrase, and claims to have seen the user's smartcard. He
 * has the workers' sockets and every record of the database.
 */
const ca = new ClientCa()
let cards: CardAppliance
let worker: Hsm

beforeAll(async () => {
  cards = await CardAppliance.start({ clientCa: ca.certificate })
  worker = workerHsm(cards.appliance)
})
afterAll(async () => {
  await worker.close()
  await cards.close()
})

/** The attacker's login request, without the second factor. */
async function captured({ id, passphrase }: TestUser): Promise<Omit<LoginRequest, 'factor'>> {
  const { store, services, applicationKey: text } = cards.appliance
  const row = await findUserById(store.read, id)
  const key = await services.applicationKeys.find(text)
  if (row === null || key === undefined) throw new Error('no user or no application key')
  const [memoryCost = 0, timeCost = 0] = row.passphraseCost.match(/\d+/g)?.map(Number) ?? []
  const cost = { memoryCost, timeCost, parallelism: 1, outputLen: 32, salt: row.passphraseSalt }
  return {
    applicationKey: sealedApplicationKey(key),
    applicationKeyText: Buffer.from(text),
    user: sealedUser(row),
    hash: await hashRaw(passphrase, cost),
  }
}

async function registered({ id }: TestUser): Promise<SealedRecord> {
  const row = await certificateOf(cards.appliance.store.read, id)
  if (row === null) throw new Error('no certificate')
  return sealedRecord(row)
}

const logIn = async (user: TestUser, certificate: SealedRecord) =>
  worker.login({ ...(await captured(user)), factor: { certificate } })

describe('a login with a smartcard', () => {
  it('is refused when the worker only claims to have seen a card', async () => {
    const victim = await cards.appliance.addUser()
    const { applicationKey, applicationKeyText, user, hash } = await captured(victim)
    if (applicationKey === undefined || user === undefined) throw new Error('no records')
    const shown = [applicationKey.record, applicationKey.seal, applicationKeyText, user.record, user.seal, hash]
    const { socket } = keeperOf(cards.appliance.config)
    for (const word of [['ab'.repeat(32)], ['ab'.repeat(32), '']])
      expect(await askKeeper(socket, 'login', [...shown, ...word.map((text) => Buffer.from(text))])).toHaveProperty(
        'fault',
      )
  })

  it('is refused with the card of another user, and with a forged one, for a user without a card', async () => {
    const [victim, other] = [await cards.appliance.addUser(), await cards.holder(ca.issue('/CN=Other'))]
    const theirs = await registered(other)
    await expect(logIn(victim, theirs)).rejects.toMatchObject({ code: 'login.refused' })
    const made = { userId: victim.id, fingerprint: 'ab'.repeat(32), der: Buffer.from('x') }
    for (const seal of [theirs.seal, Buffer.alloc(0)]) {
      const record = composeRecord('user certificate', made)
      await expect(logIn(victim, { record, seal })).rejects.toMatchObject({ code: 'hsm.seal_broken' })
    }
    const { user } = await captured(victim)
    if (user === undefined) throw new Error('no record')
    await expect(logIn(victim, user)).rejects.toMatchObject({ code: 'hsm.rejected' })
  })

  it('is refused without the pass phrase, and begins with it and the registered card', async () => {
    const holder = await cards.holder(ca.issue('/CN=Holder'))
    const certificate = await registered(holder)
    const wrong = { ...(await captured(holder)), hash: Buffer.alloc(32), factor: { certificate } }
    await expect(worker.login(wrong)).rejects.toMatchObject({ code: 'login.refused' })
    expect((await logIn(holder, certificate)).token).toMatch(/^[A-Za-z0-9]{42}$/)
  })
})
