import { beforeAll, describe, expect, it } from 'vitest'
import { applianceForTests, workerForTests } from '../support/for-tests.ts'
import { capabilitiesOf } from '../../src/access/capabilities.ts'
import { findKey } from '../../src/features/transparent/records.ts'
import { findVault } from '../../src/features/vaults/records.ts'
import { vaultKeyReference } from '../../src/features/vaults/vault-key.ts'
import type { GrantRequest, KeyReference, SealedRecord } from '../../src/hsm/hsm.ts'
import { fieldAad } from '../../src/hsm/object-aad.ts'
import { openRecord } from '../../src/hsm/record-layouts.ts'
import { type GrantEdits, grantIn, grantRequest, newIdentity } from '../support/grant-kit.ts'
import { latestReference } from '../support/key-references.ts'
import { onlyResult, outcomeOf, outcomesOf } from '../support/step-outcome.ts'
import { makeVault, type TestVault } from '../support/vault.ts'
import { present } from '../support/worker-spoils.ts'

/**
 * The attacker runs code in a worker. He asks the keeper for more than the callers may do whose tokens pass through it.
 * He has every sealed record that ever existed, but no PIN.
 */
const appliance = applianceForTests()
const worker = workerForTests(appliance)

const given = (edits?: GrantEdits): GrantRequest => grantRequest(appliance.token, edits)
const asked = (request: GrantRequest) => expect(worker.grant(request))

function read({ record }: SealedRecord): Record<string, unknown> {
  const { type, fields } = openRecord(record)
  return { type, ...fields }
}

describe('a grant', () => {
  it('is given on a session and its token, for a minute at most, and bears the seal', async () => {
    const grant = await worker.grant(given({ user: { id: 815 } }))
    await worker.verify(grant)
    const { expiresAt, ...rest } = read(grant)
    expect(Number(expiresAt) - Date.now()).toBeLessThanOrEqual(60_000)
    expect(rest).toMatchObject({ type: 'grant', userId: 815, permission: 2 })
  })

  it('ends with its session', async () => {
    const expiresAt = Date.now() + 30_000
    expect(read(await worker.grant(given({ session: { expiresAt } })))).toMatchObject({ expiresAt })
  })

  it('names no vault where no membership is shown', async () => {
    const grant = await worker.grant({ ...given(), membership: undefined })
    expect(read(grant)).toMatchObject({ vault: null, permission: 0 })
  })

  it('is not given without the token of the session, or with that of another', async () => {
    const [request, other] = [given(), given()]
    await asked({ ...request, token: '' }).rejects.toMatchObject({ code: 'session.invalid' })
    await asked({ ...request, token: other.token }).rejects.toMatchObject({ code: 'session.invalid' })
  })

  it.each<[string, GrantEdits]>([
    ['that has expired', { session: { expiresAt: Date.now() - 1 } }],
    ['of a user who is disabled', { user: { capabilities: capabilitiesOf(['read']) } }],
    ['of an escrow account', { user: { capabilities: capabilitiesOf(['active', 'escrow']) } }],
    ['of an application whose key is revoked', { applicationKey: { revokedAt: 1 } }],
  ])('is not given to a session %s', async (_which, edits) => {
    await asked(given(edits)).rejects.toMatchObject({ code: 'session.invalid' })
  })

  it.each<[string, GrantEdits, string]>([
    ['of a member who was removed', { membership: { permission: 0 } }, 'vault.not_found'],
    [
      'that is on hold since the user was recovered',
      { user: { recoveries: 1 }, session: { recoveries: 1 } },
      'access.resting',
    ],
    [
      'in a session of before a recovery',
      { user: { recoveries: 1 }, membership: { recoveries: 1 } },
      'session.invalid',
    ],
    ['of before a recovery that the session was begun after', { session: { recoveries: 1 } }, 'session.invalid'],
    ['of another user', { membership: { user: newIdentity() } }, 'hsm.rejected'],
    ['beside the record of another user', { user: { identity: newIdentity() } }, 'hsm.rejected'],
    ['beside the key of another application', { applicationKey: { identity: newIdentity() } }, 'hsm.rejected'],
  ])('is not given by a membership %s', async (_which, edits, code) => {
    await asked(given(edits)).rejects.toMatchObject({ code })
  })

  it('is not given by a record that was edited, or made up', async () => {
    const request = given()
    for (const name of ['session', 'user', 'applicationKey'] as const) {
      const record = Buffer.from(request[name]?.record ?? Buffer.alloc(0))
      record.writeUInt8(record.readUInt8(record.length - 1) ^ 1, record.length - 1)
      await asked({ ...request, [name]: { ...request[name], record } }).rejects.toMatchObject({
        code: 'hsm.seal_broken',
      })
    }
    const made = { record: request.session.record, seal: Buffer.alloc(32) }
    await asked({ ...request, membership: made }).rejects.toMatchObject({
      code: 'hsm.seal_broken',
    })
  })

  it('is not given by a record of another kind', async () => {
    const { session, user, ...request } = given()
    await asked({ ...request, session: user, user: session }).rejects.toMatchObject({ code: 'hsm.rejected' })
  })

  it('is not given by a record that was put back', async () => {
    const identity = newIdentity()
    const [before, now] = [
      given({ user: { identity }, session: { user: identity } }),
      given({ user: { identity, generation: 2 }, session: { user: identity } }),
    ]
    const request = { ...before, membership: undefined }
    await worker.grant(request)
    // The keeper also learns newer records from a request for a grant.
    await worker.grant({ ...now, membership: undefined })
    await asked(request).rejects.toMatchObject({ code: 'hsm.outdated' })
  })

  it('is not given to a session that was ended', async () => {
    const request = given()
    await worker.grant(request)
    await worker.endSessions([request.session])
    await asked(request).rejects.toMatchObject({ code: 'session.invalid' })
  })

  it('is sealed for nobody', async () => {
    const grant = await worker.grant(given())
    await expect(worker.seal(grant.record)).rejects.toMatchObject({ code: 'hsm.rejected' })
    await expect(worker.seal(grant.record, { previous: grant })).rejects.toMatchObject({ code: 'hsm.rejected' })
  })
})

const object = { id: 1, vaultId: 1, templateId: 1 }

describe('a key of a vault', () => {
  let vault: TestVault
  let wanted: KeyReference
  let vaultKey: KeyReference
  beforeAll(async () => {
    vault = await makeVault(appliance)
    const flags = { allow_export: true, allow_plaintext_export: true }
    await vault.admin.must('POST', `/transparent/${vault.id}/keys/wanted`, flags)
    const row = present(await findVault(appliance.store.read, Number(vault.id)))
    const grant = await grantIn(appliance, vault.id)
    wanted = await latestReference(appliance, present(await findKey(appliance.store.read, Number(vault.id), 'wanted')))
    vaultKey = await vaultKeyReference({ ...row, grant: () => Promise.resolve(grant) })
  })

  const usedBy = (grant: SealedRecord) => {
    const reference = { ...wanted, grant }
    return {
      encrypt: () => worker.encrypt(reference, Buffer.from('x')),
      makeDataKey: () => worker.makeDataKey(reference, { count: 32, open: true }),
      decrypt: () => worker.decrypt(reference, Buffer.alloc(64)),
      'batches of it': () => worker.encryptMany([{ key: reference, plaintext: Buffer.from('x') }]).then(onlyResult),
      rewrap: () => worker.rewrap({ from: reference, to: reference, ciphertext: Buffer.alloc(64) }),
      'export in plain': () => worker.exportPlain(reference),
      'fields of objects': () =>
        worker.encrypt({ ...vaultKey, grant }, Buffer.from('x'), fieldAad(object, 'secret', 1)),
    }
  }
  const none = { record: Buffer.alloc(0), seal: Buffer.alloc(0) }
  const grant = (edits: Parameters<typeof grantIn>[2] = {}) => grantIn(appliance, vault.id, edits)

  it.each<[string, () => Promise<SealedRecord>, string]>([
    ['without a grant', () => Promise.resolve(none), 'access.permission'],
    ['by a grant of another vault', () => grant({ vault: newIdentity() }), 'access.permission'],
    ['by a grant of no vault', () => grant({ vault: null }), 'access.permission'],
    ['by a grant that has expired', () => grant({ expiresAt: Date.now() - 1 }), 'hsm.unavailable'],
    ['by a grant of a clock that was ahead', () => grant({ expiresAt: Date.now() + 86_400_000 }), 'hsm.unavailable'],
    ['by a grant without a permission', () => grant({ permission: 0 }), 'access.permission'],
    ['by a grant that was made up', async () => ({ ...(await grant()), seal: Buffer.alloc(32) }), 'hsm.seal_broken'],
    ['by another record', () => Promise.resolve(vaultKey.key), 'hsm.rejected'],
  ])('is not used %s', async (_how, given, code) => {
    const uses = usedBy(await given())
    expect(await outcomesOf(uses)).toEqual(Object.fromEntries(Object.keys(uses).map((name) => [name, code])))
  })

  it('is used as far as the permission goes', async () => {
    const outcomes = async (permission: number) => {
      const uses = usedBy(await grant({ permission }))
      return [
        await outcomeOf(uses.encrypt()),
        await outcomeOf(uses['fields of objects']()),
        await outcomeOf(uses['export in plain']()),
      ]
    }
    expect(await outcomes(1)).toEqual(['done', 'access.permission', 'access.permission'])
    expect(await outcomes(2)).toEqual(['done', 'done', 'access.permission'])
    expect(await outcomes(4)).toEqual(['done', 'done', 'done'])
  })
})
