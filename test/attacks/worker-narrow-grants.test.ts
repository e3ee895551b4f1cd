import { beforeAll, describe, expect, it } from 'vitest'
import { applianceForTests, vaultForTests, workerForTests } from '../support/for-tests.ts'
import { capabilitiesOf } from '../../src/access/capabilities.ts'
import { type GrantEntry, keyOperations, writeGrants } from '../../src/access/scope.ts'
import { findKey, type StoredKey } from '../../src/features/transparent/records.ts'
import { invocationsRecord, sealedCount } from '../../src/features/transparent/sealing.ts'
import { findVault } from '../../src/features/vaults/records.ts'
import { vaultKeyReference } from '../../src/features/vaults/vault-key.ts'
import type { KeyReference, SealedRecord } from '../../src/hsm/hsm.ts'
import { fieldAad } from '../../src/hsm/object-aad.ts'
import { nextGeneration } from '../../src/hsm/record-generation.ts'
import { composeRecord, type FieldsOf, openRecord } from '../../src/hsm/record-layouts.ts'
import { grantIn, grantRequest, newIdentity, sealedGrant, sealedPerson, sealedRecord } from '../support/grant-kit.ts'
import { latestReference } from '../support/key-references.ts'
import { onlyResult, outcomeOf, outcomesOf } from '../support/step-outcome.ts'

/**
 * The attacker runs code in a worker. He has the session of a narrowed member, every sealed record that ever existed,
 * and the sockets of keeper and hosts. He gets no more than the grants allow: no decryption from encrypting, and none
 * from rewrapping.
 */
const appliance = applianceForTests()
const worker = workerForTests(appliance)
const vault = vaultForTests(appliance, 'Mail')
const keys = new Map<string, StoredKey>()
const types = { 'mail-a': 'aes256-gcm96', pay: 'aes256-gcm96', 'mail-mac': 'hmac-sha256', 'mail-pair': 'ecdsa-p256' }

beforeAll(async () => {
  for (const [name, type] of Object.entries(types)) {
    const flags = { allow_export: true, allow_plaintext_export: true }
    await vault.admin.must('POST', `/transparent/${vault.id}/keys/${name}`, { type, ...flags })
    const stored = await findKey(appliance.store.read, Number(vault.id), name)
    if (stored !== undefined) keys.set(name, stored)
  }
})

const stored = (name: string): StoredKey => {
  const found = keys.get(name)
  if (found === undefined) throw new Error(`there is no key ${name}`)
  return found
}
/** The reference of a key for a member with these grants. `permission`: that of the row. */
const usedBy = async (
  name: string,
  entries: readonly GrantEntry[] | undefined,
  permission = 1,
): Promise<KeyReference> => {
  const grants = entries === undefined ? null : writeGrants(entries)
  return latestReference(appliance, stored(name), await grantIn(appliance, vault.id, { permission, grants }))
}
const plaintext = Buffer.from('secret')
const scheme = { hash: 'sha256', padding: undefined } as const
const digest = Buffer.alloc(32, 7)
const aad = Buffer.from('form:1')

/** All uses of a key by a host. */
async function uses(cipher: string, entries: readonly GrantEntry[], permission = 1) {
  const by = async (name: string) => usedBy(name, entries, permission)
  const whole = await usedBy(cipher, undefined)
  const ciphertext = await worker.encrypt(whole, plaintext, aad)
  const made = await worker.hmac(await usedBy('mail-mac', undefined), plaintext)
  const signature = await worker.sign(await usedBy('mail-pair', undefined), scheme, digest)
  const [key, macKey, pairKey] = [await by(cipher), await by('mail-mac'), await by('mail-pair')]
  return {
    encrypt: () => worker.encrypt(key, plaintext, aad),
    'encrypt many': () => worker.encryptMany([{ key, plaintext, aad }]).then(onlyResult),
    decrypt: () => worker.decrypt(key, ciphertext, aad),
    'decrypt many': () => worker.decryptMany([{ key, ciphertext, aad }]).then(onlyResult),
    rewrap: () => worker.rewrap({ from: key, to: key, ciphertext, aad, newAad: aad }),
    datakey: () => worker.makeDataKey(key, { count: 32, aad, open: true }),
    sign: () => worker.sign(pairKey, scheme, digest),
    verify: () => worker.verifySignature(pairKey, scheme, digest, signature),
    'verify hmac': () => worker.verifyHmac(macKey, plaintext, made),
    hmac: () => worker.hmac(macKey, plaintext),
    export: () => worker.exportPlain(key),
  }
}

/** The operation in grants that allows a use. */
const operationOf = (use: string): string => (use === 'verify hmac' ? 'verify' : (use.split(' ')[0] ?? ''))

describe('a host', () => {
  it.each(keyOperations)('does for grants of %s that alone', async (operation) => {
    const outcomes = await outcomesOf(await uses('mail-a', [{ keys: 'mail-*', operations: [operation] }]))
    const expected = Object.keys(outcomes).map((use) => [
      use,
      operationOf(use) === operation ? 'done' : 'access.permission',
    ])
    expect(outcomes).toEqual(Object.fromEntries(expected))
  })

  it('does nothing with keys of other names, however wide the permission beside the grants', async () => {
    const entries = [{ keys: 'mail-*', operations: keyOperations }]
    for (const permission of [1, 2, 4]) {
      const { sign: _s, verify: _v, hmac: _h, 'verify hmac': _m, ...rest } = await uses('pay', entries, permission)
      expect(new Set(Object.values(await outcomesOf(rest)))).toEqual(new Set(['access.permission']))
    }
  })

  it('looks at the additional data of each item', async () => {
    const key = await usedBy('mail-a', [
      { keys: '*', operations: ['encrypt', 'decrypt', 'datakey'], aad: aad.toString('base64') },
    ])
    const ciphertext = await worker.encrypt(await usedBy('mail-a', undefined), plaintext)
    const outcomes = await outcomesOf({
      other: () => worker.encrypt(key, plaintext, Buffer.from('form:')),
      none: () => worker.encrypt(key, plaintext),
      decrypt: () => worker.decrypt(key, ciphertext),
      datakey: () => worker.makeDataKey(key, { count: 16, open: false }),
    })
    expect(new Set(Object.values(outcomes))).toEqual(new Set(['access.permission']))
    const items = [aad, undefined, Buffer.concat([aad, aad])].map((one) => ({ key, plaintext, aad: one }))
    const many = await worker.encryptMany(items)
    expect(many.map((outcome) => ('fault' in outcome ? outcome.fault.code : 'done'))).toEqual([
      'done',
      'access.permission',
      'done',
    ])
  })

  it('gives no decryption out of a rewrapping: under another key, or bound to other data', async () => {
    const entries: GrantEntry[] = [
      { keys: 'mail-a', operations: ['rewrap'] },
      { keys: 'pay', operations: ['rewrap', 'decrypt'] },
      { keys: '*', operations: ['decrypt'], aad: Buffer.from('open').toString('base64') },
    ]
    const [from, other] = [await usedBy('mail-a', entries), await usedBy('pay', entries)]
    const [everything, ours] = [await usedBy('pay', undefined), await usedBy('mail-a', undefined)]
    const ciphertext = await worker.encrypt(ours, plaintext, aad)
    const foreign = await worker.encrypt(everything, plaintext, aad)
    const outcomes = await outcomesOf({
      'under another key': () => worker.rewrap({ from, to: other, ciphertext, aad, newAad: aad }),
      'under a key of one who may do all': () => worker.rewrap({ from, to: everything, ciphertext, aad, newAad: aad }),
      'bound to other data': () => worker.rewrap({ from, to: from, ciphertext, aad, newAad: Buffer.from('open') }),
      'bound to none': () => worker.rewrap({ from, to: from, ciphertext, aad }),
      'what another key opens, as an encryption': () =>
        worker.rewrap({ from: everything, to: from, ciphertext: foreign, aad, newAad: aad }),
      'the same way with grants of Read for the first half': () =>
        worker.rewrap({ from: ours, to: from, ciphertext, aad, newAad: Buffer.from('open') }),
    })
    expect(new Set(Object.values(outcomes))).toEqual(new Set(['access.permission']))
    expect(await outcomeOf(worker.rewrap({ from, to: from, ciphertext, aad, newAad: aad }))).toBe('done')
  })

  it('opens objects for grants that decrypt objects alone, and puts none there', async () => {
    const row = await findVault(appliance.store.read, Number(vault.id))
    if (row === null) throw new Error('there is no vault')
    const object = { id: 1, vaultId: row.id, templateId: 1 }
    const place = fieldAad(object, 'secret', 1)
    const by = async (edits: Partial<FieldsOf<'grant'>>) => {
      const grant = await grantIn(appliance, vault.id, edits)
      return vaultKeyReference({ ...row, grant: () => Promise.resolve(grant) })
    }
    const ciphertext = await worker.encrypt(await by({}), plaintext, place)
    const narrowed = async (...entries: GrantEntry[]) => by({ permission: 1, grants: writeGrants(entries) })
    const open = async (key: KeyReference) => outcomeOf(worker.decrypt(key, ciphertext, place))
    expect(await open(await narrowed({ objects: ['decrypt'] }))).toBe('done')
    expect(await open(await narrowed({ objects: ['list', 'read'] }))).toBe('access.permission')
    expect(await open(await narrowed({ keys: '*', operations: keyOperations }))).toBe('access.permission')
    const all: GrantEntry[] = [{ objects: ['list', 'read', 'decrypt'] }, { keys: '*', operations: keyOperations }]
    const wide = await by({ permission: 4, grants: writeGrants(all) })
    expect(await outcomeOf(worker.encrypt(wide, plaintext, place))).toBe('access.permission')
  })

  it('takes grants that are not in their one form for grants of nothing', async () => {
    const text = '[{"operations":["decrypt"],"keys":"*"}]'
    const grant = await grantIn(appliance, vault.id, { grants: text })
    const key = await latestReference(appliance, stored('mail-a'), grant)
    expect(await outcomeOf(worker.encrypt(key, plaintext))).toBe('access.permission')
  })
})

describe('the keeper', () => {
  const entries = writeGrants([{ keys: 'mail-*', operations: ['encrypt'] }])
  const wider = writeGrants([{ keys: '*', operations: ['encrypt', 'decrypt'] }])
  const [place, user, caller] = [newIdentity(), newIdentity(), newIdentity()]
  const member = (edits: object = {}): FieldsOf<'scoped membership'> => ({
    vault: place,
    user,
    permission: 1,
    recoveries: 0,
    grants: entries,
    generation: 1,
    ...edits,
  })
  const { grants: _grants, ...plain } = member()
  const sealedScoped = () => sealedRecord(appliance.token, 'scoped membership', member())
  const shownUser = () => sealedPerson(appliance.token, { identity: user })
  const grantOf = (edits: Partial<FieldsOf<'grant'>> = {}): SealedRecord =>
    sealedGrant(appliance.token, { user: caller, vault: place, permission: 4, ...edits })
  const seal = (record: Buffer, previous: SealedRecord | undefined, grant: SealedRecord) =>
    outcomeOf(worker.seal(record, { previous, grant, person: shownUser() }))
  const scoped = (edits: object = {}) =>
    composeRecord('scoped membership', member({ generation: nextGeneration(1), ...edits }))
  const whole = (edits: object = {}) =>
    composeRecord('membership', { ...plain, generation: nextGeneration(1), ...edits })

  it('says in the grant of a session what narrows the membership', async () => {
    const request = grantRequest(appliance.token)
    const { fields } = openRecord(request.membership?.record ?? Buffer.alloc(0))
    if (!('permission' in fields) || !('recoveries' in fields)) throw new Error('no membership')
    const sealed = sealedRecord(appliance.token, 'scoped membership', {
      ...(fields as FieldsOf<'membership'>),
      permission: 1,
      grants: entries,
    })
    const grant = openRecord((await worker.grant({ ...request, membership: sealed })).record)
    expect(grant.fields).toMatchObject({ permission: 1, grants: entries })
    const without = openRecord((await worker.grant(grantRequest(appliance.token))).record)
    expect(without.fields).toMatchObject({ grants: null })
  })

  it('lets no older, wider membership be shown after a narrower one, nor the other way round', async () => {
    const request = grantRequest(appliance.token)
    const { fields } = openRecord(request.membership?.record ?? Buffer.alloc(0))
    const before = fields as FieldsOf<'membership'>
    await worker.grant(request)
    const after = { ...before, permission: 1, grants: entries, generation: before.generation + 1 }
    await worker.grant({ ...request, membership: sealedRecord(appliance.token, 'scoped membership', after) })
    await expect(worker.grant(request)).rejects.toMatchObject({ code: 'hsm.outdated' })
    const widened = { ...before, generation: after.generation + 1 }
    await worker.grant({ ...request, membership: sealedRecord(appliance.token, 'membership', widened) })
    const old = sealedRecord(appliance.token, 'scoped membership', after)
    await expect(worker.grant({ ...request, membership: old })).rejects.toMatchObject({ code: 'hsm.outdated' })
  })

  it('seals narrower and wider memberships for an Admin of the vault, one after the other', async () => {
    expect(await seal(scoped({ grants: wider }), sealedScoped(), grantOf())).toBe('done')
    expect(await seal(whole(), sealedScoped(), grantOf())).toBe('done')
    expect(await seal(whole({ permission: 0 }), sealedScoped(), grantOf())).toBe('done')
    const before = sealedRecord(appliance.token, 'membership', plain)
    expect(await seal(scoped(), before, grantOf())).toBe('done')
  })

  it.each<[string, () => [Buffer, SealedRecord | undefined, SealedRecord]]>([
    ['wider, for the member alone', () => [scoped({ grants: wider }), sealedScoped(), own()]],
    ['without grants, for the member alone', () => [whole(), sealedScoped(), own()]],
    [
      'wider, for an Admin of another vault',
      () => [scoped({ grants: wider }), sealedScoped(), grantOf({ vault: newIdentity() })],
    ],
    ['with more than Read beside the grants', () => [scoped({ permission: 4 }), sealedScoped(), grantOf()]],
    ['with Write beside the grants', () => [scoped({ permission: 2 }), sealedScoped(), grantOf()]],
    ['with grants in another form', () => [scoped({ grants: `${entries} ` }), sealedScoped(), grantOf()]],
    ['with grants of nothing', () => [scoped({ grants: '[]' }), sealedScoped(), grantOf()]],
    ['of another user', () => [scoped({ user: newIdentity() }), sealedScoped(), grantOf()]],
    ['in another vault', () => [scoped({ vault: newIdentity() }), sealedScoped(), grantOf()]],
    ['of a generation of later', () => [scoped({ generation: 5e15 }), sealedScoped(), grantOf()]],
    ['of the generation that it has', () => [scoped({ generation: 1, grants: wider }), sealedScoped(), grantOf()]],
    ['that begins beside one that there is', () => [whole({ generation: 1 }), undefined, grantOf()]],
    ['in place of a record of another kind', () => [scoped(), shownUser(), grantOf()]],
    [
      'by a narrowed member of the vault, whatever the permission says',
      () => [scoped({ grants: wider }), sealedScoped(), own(4)],
    ],
  ])('seals no membership %s', async (which, asked) => {
    if (which.startsWith('that begins'))
      await worker.raise([sealedRecord(appliance.token, 'scoped membership', member())])
    expect(await seal(...asked())).toBe('hsm.rejected')
  })

  function own(permission = 1): SealedRecord {
    return grantOf({ user, permission, grants: entries, capabilities: capabilitiesOf(['read', 'active']) })
  }

  it('has no encryptions reserved for a member who may not encrypt', async () => {
    const { key, latest } = stored('mail-a')
    const next = invocationsRecord(key, 1, latest.invocations + 1)
    const by = async (...entries: GrantEntry[]) => {
      const grant = await grantIn(appliance, vault.id, { permission: 1, grants: writeGrants(entries) })
      return outcomeOf(worker.seal(next, { previous: sealedCount(key, latest), grant }))
    }
    expect(await by({ keys: '*', operations: ['decrypt', 'sign', 'verify', 'hmac', 'random', 'read'] })).toBe(
      'hsm.rejected',
    )
    expect(await by({ objects: ['list', 'read', 'decrypt'] })).toBe('hsm.rejected')
    for (const operation of ['encrypt', 'rewrap', 'datakey'] as const)
      expect(await by({ keys: '*', operations: [operation] }), operation).toBe('done')
  })
})
