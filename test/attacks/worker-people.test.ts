import { describe, expect, it } from 'vitest'
import { applianceForTests, workerForTests } from '../support/for-tests.ts'
import { capabilitiesOf, type Capability } from '../../src/access/capabilities.ts'
import { operatorId } from '../../src/access/confirmation.ts'
import type { SealedRecord } from '../../src/hsm/hsm.ts'
import { nextGeneration } from '../../src/hsm/record-generation.ts'
import { composeRecord, type FieldsOf, openRecord } from '../../src/hsm/record-layouts.ts'
import { newIdentity, rowIdOf, sealedGrant, sealedRecord } from '../support/grant-kit.ts'
import { accountRow } from '../support/user-row.ts'

/**
 * The attacker runs code in a worker. He has the grants of users whose sessions pass through it, and asks for seals
 * that they do not allow.
 */
const appliance = applianceForTests()
const worker = workerForTests(appliance)

const bits = (...names: Capability[]) => capabilitiesOf(['read', 'active', ...names])
const [victim, caller, vault] = [newIdentity(), newIdentity(), newIdentity()]

const user = (fields: Partial<FieldsOf<'user'>> = {}): FieldsOf<'user'> => ({
  identity: victim,
  id: rowIdOf(fields.identity ?? victim),
  username: 'victim',
  capabilities: bits(),
  passphraseSalt: Buffer.alloc(16, 1),
  passphraseCheck: Buffer.alloc(32, 1),
  passphraseCost: 'm=8192,t=1',
  passphraseChangedAt: 1,
  factors: Buffer.alloc(0),
  recoveries: 0,
  madeBy: null,
  generation: 1,
  ...fields,
})
const member = (fields: Partial<FieldsOf<'membership'>> = {}): FieldsOf<'membership'> => ({
  vault,
  user: victim,
  permission: 1,
  recoveries: 0,
  generation: 1,
  ...fields,
})

/** A grant of the caller, with Admin in the vault and without capabilities, changed by `fields`. */
const grantOf = (fields: Partial<FieldsOf<'grant'>> = {}): SealedRecord =>
  sealedGrant(appliance.token, { user: caller, userId: 815, vault, ...fields })
const administrator = () => grantOf({ capabilities: bits('admin'), vault: null, permission: 0 })
const own = (capabilities = bits()) => grantOf({ user: victim, userId: rowIdOf(victim), capabilities })

const newPassphrase = { passphraseCheck: Buffer.alloc(32, 2) }
/** A later generation at each access. */
const next = {
  get generation(): number {
    return nextGeneration(1)
  },
}

function changeUser(to: Partial<FieldsOf<'user'>>, grant: SealedRecord, from: Partial<FieldsOf<'user'>> = {}) {
  const record = composeRecord('user', { ...user({ ...from, ...next, ...to }) })
  return worker.seal(record, { previous: sealedRecord(appliance.token, 'user', user(from)), grant })
}
/** The newest record of a user, shown together with a membership. */
const shownUser = (identity: Buffer, recoveries = 5) =>
  sealedRecord(appliance.token, 'user', user({ identity, recoveries, capabilities: bits('admin', 'createVault') }))

function changeMember(
  to: Partial<FieldsOf<'membership'>>,
  grant: SealedRecord,
  from?: Partial<FieldsOf<'membership'>>,
  shown: SealedRecord | null = shownUser(to.user ?? victim),
) {
  const record = composeRecord('membership', { ...member({ ...from, ...next, ...to }) })
  const before = sealedRecord(appliance.token, 'membership', member(from))
  return worker.seal(record, { previous: before, grant, person: shown ?? undefined })
}
const rejected = { code: 'hsm.rejected' }
const outdated = { code: 'hsm.outdated' }

describe('the keeper seals no user', () => {
  it.each<[string, Partial<FieldsOf<'user'>>, () => SealedRecord, Partial<FieldsOf<'user'>>?]>([
    ['raised by somebody who is no administrator', { capabilities: bits('admin') }, () => grantOf()],
    ['who raises himself', { capabilities: bits('admin') }, () => own()],
    [
      'who is an administrator and raises himself',
      { capabilities: bits('admin', 'audit') },
      () => own(bits('admin')),
      { capabilities: bits('admin') },
    ],
    ['with capabilities that there are not', { capabilities: 1 << 20 }, administrator],
    ['who is escrow and administrator', { capabilities: bits('admin', 'escrow') }, administrator],
    ['who names himself otherwise', { username: 'somebody' }, () => own()],
    ['with another identity', { identity: caller }, administrator],
    ['in another row', { id: 1 }, administrator],
    ["with another's pass phrase, unnoticed", newPassphrase, administrator],
    ["with another's salt, unnoticed", { passphraseSalt: Buffer.alloc(16, 2) }, administrator],
    ['with a pass phrase of somebody who is no administrator', { ...newPassphrase, recoveries: 1 }, () => grantOf()],
    ['with another factor, unnoticed', { factors: Buffer.alloc(32) }, administrator],
    [
      'with another factor, among those that he had',
      { factors: Buffer.alloc(64, 1).fill(2, 32) },
      administrator,
      { factors: Buffer.alloc(32, 1) },
    ],
    [
      'with another factor, in the place of his own',
      { factors: Buffer.alloc(32, 2) },
      administrator,
      { factors: Buffer.alloc(32, 1) },
    ],
    [
      'with a factor of somebody who is no administrator',
      { factors: Buffer.alloc(32), recoveries: 1 },
      () => grantOf(),
    ],
    ['with a factor of his own choice, who is no administrator', { factors: Buffer.alloc(32) }, () => own()],
    [
      'without his factor, who is no administrator',
      { factors: Buffer.alloc(0) },
      () => own(),
      { factors: Buffer.alloc(32) },
    ],
    ['with half a factor', { factors: Buffer.alloc(16), recoveries: 1 }, administrator],
    ['who was recovered often at once', { recoveries: 5 }, administrator],
    ['who was not recovered after all', { recoveries: 1 }, administrator, { recoveries: 2 }],
    ['who is new again', { madeBy: 815 }, administrator],
    [
      'with a pass phrase of an administrator who is not the maker, as if he were',
      { ...newPassphrase, recoveries: 1 },
      administrator,
      { madeBy: 816 },
    ],
    ['who has logged in and is new still', newPassphrase, () => own(), { madeBy: 816 }],
    ['of a generation of later', { generation: 5e15, username: 'somebody' }, administrator],
    ['of the same generation', { generation: 1, username: 'somebody' }, administrator],
  ])('%s', async (_what, to, grant, from) => {
    await expect(changeUser(to, grant(), from)).rejects.toMatchObject(rejected)
  })

  it('that is new and was not made by an administrator', async () => {
    const made = (fields: Partial<FieldsOf<'user'>>) =>
      composeRecord('user', { ...user({ identity: Buffer.alloc(0), ...fields }) })
    await expect(worker.sealNew(made({ madeBy: 815 }), { grant: grantOf() })).rejects.toMatchObject(rejected)
    const factors = Buffer.alloc(32)
    await expect(worker.sealNew(made({ madeBy: 815, factors }), { grant: administrator() })).rejects.toMatchObject(
      rejected,
    )
    await expect(worker.sealNew(made({ madeBy: 816 }), { grant: administrator() })).rejects.toMatchObject(rejected)
    await expect(
      worker.sealNew(made({ madeBy: 815, generation: 7 }), { grant: administrator() }),
    ).rejects.toMatchObject(rejected)
    expect((await worker.sealNew(made({ madeBy: 815 }), { grant: administrator() })).identity).toHaveLength(16)
  })

  it('with the id of another account, or of the operator: he could pass for the maker of a third', async () => {
    const maker = shownUser(newIdentity())
    await worker.raise([maker])
    const { fields } = openRecord(maker.record)
    const id = 'id' in fields ? Number(fields.id) : 0
    const made = (says: Partial<FieldsOf<'user'>>) =>
      composeRecord('user', user({ identity: Buffer.alloc(0), madeBy: 815, ...says }))
    for (const taken of [id, operatorId])
      await expect(worker.sealNew(made({ id: taken }), { grant: administrator() })).rejects.toMatchObject(outdated)
    // The existing one was shown first, as after each start of the daemon.
    await appliance.services.users.showAll()
    const known = await accountRow(appliance, await appliance.addUser())
    await appliance.services.users.showAll()
    await expect(worker.sealNew(made({ id: known.id }), { grant: administrator() })).rejects.toMatchObject(outdated)
    // Sealed before the keeper knew the other account.
    const early = sealedRecord(appliance.token, 'user', user({ identity: newIdentity(), id }))
    await expect(worker.raise([early])).rejects.toMatchObject(outdated)
  })

  it('except with changes that an administrator, the maker or the user may make', async () => {
    const sealed = (made: Buffer) => expect(made).toHaveLength(32)
    sealed(await changeUser({ capabilities: bits('audit') }, administrator()))
    sealed(await changeUser({ ...newPassphrase, recoveries: 1 }, administrator()))
    sealed(await changeUser(newPassphrase, administrator(), { madeBy: 815 }))
    sealed(await changeUser(newPassphrase, own()))
    const factors = Buffer.alloc(32, 7)
    sealed(await changeUser({ factors, recoveries: 1 }, administrator()))
    sealed(await changeUser({ factors }, administrator(), { madeBy: 815 }))
    sealed(await changeUser({ factors }, own(bits('admin')), { capabilities: bits('admin') }))
    sealed(await changeUser({ factors: Buffer.alloc(0) }, administrator(), { factors }))
    const asked = { capabilities: bits('changePassphrase') }
    sealed(await changeUser({ ...newPassphrase, capabilities: bits() }, own(), asked))
    await expect(changeUser({ capabilities: bits() }, own(), asked)).rejects.toMatchObject(rejected)
  })
})

describe('the keeper seals no member', () => {
  it.each<[string, Partial<FieldsOf<'membership'>>, () => SealedRecord, Partial<FieldsOf<'membership'>>?]>([
    ['raised by one with Write', { permission: 4 }, () => grantOf({ permission: 2 })],
    ['raised by an Admin of another vault', { permission: 4 }, () => grantOf({ vault: newIdentity() })],
    ['raised by an administrator', { permission: 4 }, administrator],
    ['who raises himself', { permission: 4 }, () => grantOf({ user: victim, permission: 1 })],
    ['removed by one with Write', { permission: 0 }, () => grantOf({ permission: 2 })],
    ['with a permission that there is not', { permission: 6 }, () => grantOf()],
    ['moved to another user', { user: caller }, () => grantOf()],
    ['who confirms himself', { recoveries: 1 }, () => grantOf({ user: victim })],
    ['whose recoveries are forgotten', { recoveries: 0 }, () => grantOf(), { recoveries: 2 }],
    ['removed and confirmed in one', { permission: 0, recoveries: 1 }, () => grantOf()],
    ['who is removed twice', { permission: 0 }, () => grantOf(), { permission: 0 }],
    ['put back by himself', { permission: 1 }, () => grantOf({ user: victim, permission: 1 }), { permission: 0 }],
  ])('%s', async (_what, to, grant, from) => {
    await expect(changeMember(to, grant(), from)).rejects.toMatchObject(rejected)
  })

  it('that is forged, or added as the first one of another user’s vault', async () => {
    const record = composeRecord('membership', { ...member({ user: caller, permission: 4 }) })
    const seal = (first: Buffer, previous: SealedRecord | undefined, grant: SealedRecord, of: Buffer) =>
      worker.seal(first, { previous, grant, person: shownUser(of) })
    await expect(seal(record, undefined, grantOf({ permission: 2 }), caller)).rejects.toMatchObject(rejected)
    const made = sealedRecord(appliance.token, 'vault', { identity: vault, creator: victim })
    await expect(seal(record, made, grantOf(), caller)).rejects.toMatchObject(rejected)
    const first = composeRecord('membership', { ...member({ permission: 4 }) })
    await expect(seal(first, made, grantOf(), victim)).rejects.toMatchObject(rejected)
    await expect(seal(first, made, own(), caller)).rejects.toMatchObject(rejected)
    const ahead = composeRecord('membership', { ...member({ permission: 4, recoveries: 6 }) })
    await expect(seal(ahead, made, own(), victim)).rejects.toMatchObject(rejected)
    expect(await seal(first, made, own(), victim)).toHaveLength(32)
  })

  it('who is confirmed for recoveries that the newest record of the user does not count', async () => {
    const identity = newIdentity()
    const confirm = (shown: SealedRecord | null) =>
      changeMember({ user: identity, recoveries: 2 }, grantOf(), { user: identity }, shown)
    await expect(confirm(null)).rejects.toMatchObject(rejected)
    await expect(confirm(shownUser(identity, 1))).rejects.toMatchObject(rejected)
    await expect(confirm(shownUser(caller, 2))).rejects.toMatchObject(rejected)
    const forged = { ...shownUser(identity, 2), seal: Buffer.alloc(32) }
    await expect(confirm(forged)).rejects.toMatchObject({ code: 'hsm.seal_broken' })
    expect(await confirm(shownUser(identity, 2))).toHaveLength(32)
    await worker.raise([sealedRecord(appliance.token, 'user', user({ identity, recoveries: 1, generation: 2 }))])
    await expect(confirm(shownUser(identity, 2))).rejects.toMatchObject({ code: 'hsm.outdated' })
  })

  it('that an Admin confirms after a recovery by himself', async () => {
    const identity = newIdentity()
    const recovered = { identity, ...newPassphrase, recoveries: 1 }
    const both = grantOf({ capabilities: bits('admin') })
    expect(await changeUser(recovered, both, { identity })).toHaveLength(32)
    await expect(changeMember({ user: identity, recoveries: 1 }, both, { user: identity })).rejects.toMatchObject(
      rejected,
    )
    const other = grantOf({ user: newIdentity(), userId: 816 })
    expect(await changeMember({ user: identity, recoveries: 1 }, other, { user: identity })).toHaveLength(32)
  })

  it('that was removed by a record which the keeper was shown', async () => {
    const place = { vault: newIdentity(), user: newIdentity() }
    const grant = () => grantOf({ vault: place.vault })
    const before = sealedRecord(appliance.token, 'membership', member(place))
    const removed = composeRecord('membership', { ...member({ ...place, permission: 0, ...next }) })
    const seal = await worker.seal(removed, { previous: before, grant: grant() })
    await worker.raise([{ record: removed, seal }])
    const raised = composeRecord('membership', { ...member({ ...place, permission: 4, ...next }) })
    await expect(worker.seal(raised, { previous: before, grant: grant() })).rejects.toMatchObject({
      code: 'hsm.outdated',
    })
    await expect(worker.seal(before.record, { grant: grant() })).rejects.toMatchObject(rejected)
    const again = composeRecord('membership', { ...member({ ...place, ...next }) })
    const shown = shownUser(place.user)
    expect(
      await worker.seal(again, { previous: { record: removed, seal }, grant: grant(), person: shown }),
    ).toHaveLength(32)
  })
})

describe('the keeper seals for no worker', () => {
  it('an application key', async () => {
    const key = { identity: Buffer.alloc(0), name: 'mine', keyCheck: Buffer.alloc(32), revokedAt: null, generation: 1 }
    await expect(
      worker.sealNew(composeRecord('application key', key), { grant: administrator() }),
    ).rejects.toMatchObject(rejected)
  })

  it('a vault for another user, or for one who may not create vaults', async () => {
    const record = composeRecord('vault', { identity: Buffer.alloc(0), creator: victim })
    const maker = grantOf({ capabilities: bits('createVault') })
    await expect(worker.sealNew(record, { grant: maker })).rejects.toMatchObject(rejected)
    await expect(worker.sealNew(record, { grant: own() })).rejects.toMatchObject(rejected)
    expect((await worker.sealNew(record, { grant: own(bits('createVault')) })).identity).toHaveLength(16)
  })

  it('anything by a grant that is expired, valid for too long, or forged', async () => {
    for (const expiresAt of [Date.now() - 1, Date.now() + 86_400_000]) {
      const grant = grantOf({ capabilities: bits('admin'), expiresAt })
      await expect(changeUser({ username: 'somebody' }, grant)).rejects.toMatchObject(rejected)
    }
    const forged = { ...administrator(), seal: Buffer.alloc(32) }
    await expect(changeUser({ username: 'somebody' }, forged)).rejects.toMatchObject({ code: 'hsm.seal_broken' })
  })
})
