import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { applianceForTests } from '../support/for-tests.ts'
import { capabilitiesOf } from '../../src/access/capabilities.ts'
import { invocationsRecord, sealedCount } from '../../src/features/transparent/sealing.ts'
import type { SealedRecord } from '../../src/hsm/hsm.ts'
import { grantIn, newIdentity, sealedGrant } from '../support/grant-kit.ts'
import { type By, createKeyChanges, type KeyChanges, madeChanges } from '../support/key-changes.ts'

/**
 * The attacker runs code in a worker and changes keys that no caller changes. He has the sockets of keeper and token
 * hosts, every record of the database, and the grants of sessions that pass through the worker.
 */
const appliance = applianceForTests()
let on: KeyChanges

beforeAll(async () => {
  on = await createKeyChanges(appliance)
})
afterAll(() => on.worker.close())

const grant = (edits: Parameters<typeof grantIn>[2] = {}) => grantIn(appliance, on.vault.id, edits)
const strangers: Readonly<Record<string, () => Promise<By>>> = {
  'without a session': () => Promise.resolve(undefined),
  'by an Admin of another vault': () => grant({ vault: newIdentity() }),
  'by an administrator': () =>
    Promise.resolve(sealedGrant(appliance.token, { capabilities: capabilitiesOf(['read', 'active', 'admin']) })),
  'by a member who was removed': () => grant({ permission: 0 }),
  'by one who was an Admin a minute ago': () => grant({ expiresAt: Date.now() - 1 }),
}
const readers = { ...strangers, 'by one with Read': () => grant({ permission: 1 }) }
const writers = { ...readers, 'by one with Write': () => grant({ permission: 2 }) }

describe('the keeper seals nothing of a key', () => {
  it.each(Object.entries(strangers))('%s: no count', async (_who, by) => {
    expect(await madeChanges(on, on.uses, await by())).toEqual([])
  })
  it.each(Object.entries(readers))('%s: no change', async (_who, by) => {
    expect(await madeChanges(on, on.writes, await by())).toEqual([])
  })
  it.each(Object.entries(writers))('%s: no end, and no way back from it', async (_who, by) => {
    expect(await madeChanges(on, on.takings, await by())).toEqual([])
  })
  it('except what the grant allows', async () => {
    expect(await madeChanges(on, on.uses, await grant({ permission: 1 }))).toEqual(Object.keys(on.uses))
    expect(await madeChanges(on, on.writes, await grant({ permission: 2 }))).toEqual(Object.keys(on.writes))
    expect(await madeChanges(on, on.takings, await grant())).toEqual(Object.keys(on.takings))
  })
})

describe('an Admin', () => {
  let admin: SealedRecord
  beforeAll(async () => {
    admin = await grant()
  })
  const refused = (attempt: Promise<unknown>) => expect(attempt).rejects.toMatchObject({ code: 'hsm.rejected' })
  const dayMs = 86_400_000

  it('deletes no key that may not be deleted', async () => {
    const { key } = await on.givenKey({ allow_delete: false })
    await refused(on.policy(key, { deletedAt: Date.now() }, admin))
    await refused(on.policy(key, { deletedAt: Date.now(), allowDelete: 1 }, admin))
  })

  it('moves no deletion: what is deleted can be taken back for as long as the appliance says', async () => {
    const { key } = await on.givenKey()
    await refused(on.policy(key, { deletedAt: Date.now() - dayMs }, admin))
    await refused(on.policy(key, { deletedAt: Date.now() + dayMs }, admin))
    const deleted = on.after(key, { deletedAt: Date.now() - dayMs })
    await refused(on.policy(deleted, { deletedAt: Date.now() - 2 * dayMs }, admin))
    await refused(on.policy(deleted, { deletedAt: Date.now() }, admin))
    await refused(on.policy(deleted, { info: 'changed all the same' }, admin))
    await refused(on.policy(deleted, { deletedAt: null, allowBackup: 0 }, admin))
    await refused(on.create(key, { deletedAt: Date.now() - dayMs }, admin))
  })

  it('makes no key of another time, into which material would come later', async () => {
    const { key } = await on.givenKey()
    await refused(on.create(key, { createdAt: Date.now() + dayMs }, admin))
  })

  it('adds no version that the policy does not have, or of material that it does not allow', async () => {
    const { key } = await on.givenKey({ allow_export: false, allow_backup: false })
    const two = await on.withVersionMore(key)
    await refused(on.addVersion(two, await on.madeFor(key), { version: 3 }, admin))
    await refused(on.addVersion(two, await on.madeFor(key, { exportable: true, backup: false }), {}, admin))
    await refused(on.addVersion(two, await on.madeFor(key, { exportable: false, backup: true }), {}, admin))
    const { key: another } = await on.givenKey()
    await refused(on.addVersion(another, await on.madeFor(another), { version: 2 }, admin))
  })

  it('has no key rotated at each use, for as long as nobody looks at its policy', async () => {
    const { key } = await on.givenKey()
    for (const autoRotatePeriodMs of [1, -1, 3_599_999, 2 ** 53 - 1]) {
      await refused(on.policy(key, { autoRotatePeriodMs }, admin))
      await refused(on.create(key, { autoRotatePeriodMs }, admin))
    }
  })

  it('uses up no more at once than a worker reserves', async () => {
    const { key, latest } = await on.givenKey()
    const raised = invocationsRecord(key, 1, 2 ** 32)
    await refused(on.worker.seal(raised, { previous: sealedCount(key, latest), grant: admin }))
  })

  it('gives a pair no other public key, with which an attacker would sign as its owner', async () => {
    const stored = await on.givenKey({ type: 'ecdsa-p256' })
    const { publicKey } = (await on.givenKey({ type: 'ecdsa-p256' })).latest
    expect(publicKey).not.toBeNull()
    await refused(on.version(stored, { publicKey }, admin))
  })
})
