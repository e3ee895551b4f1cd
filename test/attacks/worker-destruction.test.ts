import { referenceFields } from '../../src/hsm/protocol/fields.ts'
import { beforeAll, describe, expect, it } from 'vitest'
import { capabilitiesOf } from '../../src/access/capabilities.ts'
import { findKey } from '../../src/features/transparent/records.ts'
import { policyRecord, sealedPolicy, sealedVersion } from '../../src/features/transparent/sealing.ts'
import type { SealedRecord } from '../../src/hsm/hsm.ts'
import { encodeRecord } from '../../src/hsm/key-record.ts'
import { fieldAad } from '../../src/hsm/object-aad.ts'
import { openRecord } from '../../src/hsm/record-layouts.ts'
import { TestAppliance, twoWorkers } from '../support/appliance.ts'
import { applianceForTests } from '../support/for-tests.ts'
import { eventually, objectsIn } from '../support/fault-kit.ts'
import { ask, type FrameAnswer } from '../support/frame-caller.ts'
import { newIdentity, sealedGrant, sealedRecord } from '../support/grant-kit.ts'
import { rawSeal } from '../support/raw-seal.ts'
import { storedKey } from '../support/stored-keys.ts'
import { batches, createWorkerCalls, newVaultKey, nothing, refusalOf, sealed } from '../support/recombination.ts'
import { spoilsOf, type Spoils } from '../support/worker-spoils.ts'

/**
 * The attacker runs code in a worker, with its sockets, every record of the database and the sessions that pass through
 * it. He wants keys to outlive their vault, or to end before they are deleted.
 */
/** Long enough for the steps that precede its end. */
const windowMs = 10_000
const appliance = applianceForTests(() =>
  TestAppliance.own({ ...twoWorkers, transparent: { recoveryWindowMs: windowMs } }),
)
let victim: Spoils
let calls: ReturnType<typeof createWorkerCalls>

beforeAll(async () => {
  victim = await spoilsOf(appliance, {})
  calls = createWorkerCalls(appliance)
})

const refusalsOf = (answers: readonly FrameAnswer[]) => answers.map((answer) => refusalOf(answer) ?? 'it was done')

describe('the key of a vault', () => {
  const one = Buffer.alloc(4)
  const two = Buffer.from([0, 0, 0, 0, 1, 0, 0, 0])

  it.each(['key version', 'backup'])(
    'takes the outer wrapping of a %s off for no member, and makes none',
    async (content) => {
      const { cipher, references } = victim
      const { identity, vault } = cipher.key
      const blob = (content === 'backup' ? cipher.latest.backupBlob : cipher.latest.blob) ?? Buffer.alloc(0)
      const aad = encodeRecord([content, identity, vault])
      const [vaultKey, named] = [referenceFields(references.vaultKey), referenceFields(references.cipher)]
      const answers = [
        await calls.host('decrypt', [...vaultKey, blob, aad]),
        ...(await calls.each('decryptMany', batches([vaultKey], one, [blob, aad]))),
        ...(await calls.each('rewrapMany', batches([[...vaultKey]], Buffer.alloc(8), [blob, aad, nothing]))),
        await calls.host('rewrapMany', [2, ...vaultKey, ...named, two, blob, aad, nothing]),
        await calls.host('encrypt', [...vaultKey, blob, aad]),
        await calls.host('makeDataKey', [...vaultKey, 32, aad, '1']),
        ...(await calls.each('encryptMany', batches([vaultKey], one, [blob, aad]))),
      ]
      expect(refusalsOf(answers)).toEqual(answers.map(() => 'hsm.rejected'))
    },
  )

  it.each([
    ['of none', Buffer.alloc(0)],
    ['of another record', encodeRecord(['object field 2', 1])],
    ['that is no record', Buffer.from('object field')],
  ])('encrypts nothing in the name %s', async (_which, aad) => {
    const answers = [await calls.host('encrypt', [...referenceFields(victim.references.vaultKey), 'AAAA', aad])]
    expect(refusalsOf(answers)).toEqual(['hsm.rejected'])
  })
})

describe('a vault that is deleted', () => {
  it('has no key that is used on, in no host that holds it, and the handles go', async () => {
    const doomed = await spoilsOf(appliance, {})
    const { cipher, vaultKey } = doomed.references
    const [file, ciphertext] = [fieldAad({ id: 1, vaultId: 1, templateId: 1 }, 'secret', 1), Buffer.from('AAAA')]
    const uses = () =>
      Promise.all(
        appliance.config.hsm.sockets.flatMap((socket) => [
          ask(socket, 'encrypt', [...referenceFields(cipher), ciphertext, Buffer.alloc(0)]),
          ask(socket, 'encrypt', [...referenceFields(vaultKey), ciphertext, file]),
        ]),
      )
    expect(refusalsOf(await uses())).toEqual(['it was done', 'it was done', 'it was done', 'it was done'])
    const held = await handlesHeld()
    // Rows deleted directly in the database: to the interface the vault is empty.
    const keys = `SELECT id FROM transparent_keys WHERE vault_id = ${doomed.vault.id}`
    await appliance.store.transaction(async (tx) => {
      await tx.query(`DELETE FROM key_versions WHERE key_id IN (${keys})`)
      await tx.query(`DELETE FROM transparent_keys WHERE vault_id = ${doomed.vault.id}`)
    })
    await doomed.vault.admin.must('DELETE', `/vault/${doomed.vault.id}`)
    expect(refusalsOf(await uses())).toEqual(['hsm.outdated', 'hsm.outdated', 'hsm.outdated', 'hsm.outdated'])
    await eventually(async () => (await handlesHeld()).every((now, host) => now <= (held[host] ?? 0) - 2))
  })
})

describe('a key in the token', () => {
  const path = () => `/transparent/${victim.vault.id}/keys/resident`
  const stored = async () => {
    const found = await findKey(appliance.store.read, Number(victim.vault.id), 'resident')
    if (found === undefined) throw new Error('there is no such key')
    return found
  }
  const destroyedBy = async (key: SealedRecord, mark: SealedRecord) =>
    refusalsOf([await calls.host('destroyObject', [...sealed(key), ...sealed(mark)])])

  it('is destroyed once its recovery window is over, and no sooner', async () => {
    await victim.vault.admin.must('POST', path(), { residency: 'token' })
    const { key: made, latest } = await stored()
    const key = sealedVersion(made, latest)
    const before = objectsIn(appliance.token)
    await victim.vault.admin.must('DELETE', path())
    const deleted = sealedPolicy((await stored()).key)
    const ending = () => calls.keeper('sealTombstone', [...sealed(deleted), nothing, nothing])
    expect(refusalsOf([await ending()])).toEqual(['hsm.rejected'])
    expect(await destroyedBy(key, deleted)).toEqual(['hsm.rejected'])

    await new Promise((resolve) => setTimeout(resolve, windowMs + 50))
    expect(
      refusalsOf([await calls.keeper('sealTombstone', [...sealed(sealedPolicy(made)), nothing, nothing])]),
    ).toEqual(['hsm.outdated'])
    const tombstone = recordOf(await ending())
    // Until the keeper has been shown the tombstone, other hosts would still use the key.
    expect(await destroyedBy(key, tombstone)).toEqual(['hsm.rejected'])
    expect(objectsIn(appliance.token)).toBe(before)
    await calls.keeper('raise', [1, ...sealed(tombstone)])
    expect(await destroyedBy(key, tombstone)).toEqual(['it was done'])
    expect(objectsIn(appliance.token)).toBe(before - 1)
    expect(await destroyedBy(key, tombstone)).toEqual(['it was done'])
  })

  it('that is in no record goes, and then comes into none; one that is in a record stays', async () => {
    const before = objectsIn(appliance.token)
    const user = newIdentity()
    const capabilities = capabilitiesOf(['read', 'active', 'createVault'])
    const grant = sealedGrant(appliance.token, { user, capabilities })
    const [lost, used] = [await newVaultKey(calls, user, grant), await newVaultKey(calls, user, grant)]
    expect(refusalsOf([await lost.discarded(), await used.sealed()])).toEqual(['it was done', 'it was done'])
    expect(refusalsOf([await lost.sealed(), await used.discarded()])).toEqual(['hsm.rejected', 'hsm.rejected'])
    // After a failed commit the caller discards the key, by a grant of his own.
    const stranger = sealedGrant(appliance.token, { user: newIdentity(), capabilities })
    expect(refusalsOf([await used.discarded(used.blob, used.provenance, stranger)])).toEqual(['hsm.rejected'])
    expect(refusalsOf([await used.discarded(used.blob, used.provenance, grant)])).toEqual(['it was done'])
    // Immediately, and not at any later time: the commit may have succeeded.
    const taken = openRecord(recordOf(await used.discarded(used.blob, used.provenance, grant)).record)
    if (taken.type !== 'discarded key') throw new Error(`a record of ${taken.type}`)
    expect(Math.abs(taken.fields.expiresAt - Date.now() - 30_000)).toBeLessThanOrEqual(30_000)
    const late = sealedRecord(appliance.token, 'discarded key', { ...taken.fields, expiresAt: Date.now() - 1 })
    expect(await destroyedBy(late, late)).toEqual(['hsm.rejected'])
    const unused = recordOf(await lost.discarded())
    expect(await destroyedBy(unused, unused)).toEqual(['it was done'])
    expect(objectsIn(appliance.token)).toBe(before + 1)
  })

  it('whose versions were trimmed in a change that was never committed keeps them, whatever is committed later', async () => {
    const name = path().replace('resident', 'kept')
    await victim.vault.admin.must('POST', name, { residency: 'token' })
    const { key, latest } = await storedKey(appliance, victim.vault.id, name.split('/').at(-1) ?? '')
    await victim.vault.admin.must('POST', `${name}/rotate`)
    const rotated = (await storedKey(appliance, victim.vault.id, key.name)).key
    const trimmed = { ...rotated, oldestVersion: 2, minEncryptionVersion: 2, minDecryptionVersion: 2 }
    const record = policyRecord({ ...trimmed, generation: rotated.generation + 1 })
    const mark = { record, seal: rawSeal(appliance.token, record) }
    await victim.vault.admin.must('PUT', name, { allow_delete: false })
    await calls.keeper('raise', [1, ...sealed(mark)])
    expect(await destroyedBy(sealedVersion(key, latest), mark)).toEqual(['hsm.rejected'])
  })

  it('leaves nothing behind of the versions that were trimmed', async () => {
    const name = path().replace('resident', 'trimmed')
    await victim.vault.admin.must('POST', name, { residency: 'token' })
    const before = objectsIn(appliance.token)
    await victim.vault.admin.must('POST', `${name}/rotate`)
    await victim.vault.admin.must('PUT', name, { min_decryption_version: 2, min_encryption_version: 2 })
    await victim.vault.admin.must('POST', `${name}/trim`, { min_available_version: 2 })
    expect(objectsIn(appliance.token)).toBe(before)
    expect(await appliance.store.query('SELECT * FROM pending_destructions', [])).toEqual([])
  })
})

function fieldsOf(answer: FrameAnswer): readonly Buffer[] {
  if ('fault' in answer) throw new Error(answer.detail)
  return answer.fields
}

function recordOf(answer: FrameAnswer): SealedRecord {
  const [record = nothing, seal = nothing] = fieldsOf(answer)
  return { record, seal }
}

async function handlesHeld(): Promise<number[]> {
  const hosts = (await appliance.hsm.status()).filter(({ isKeyMaker }) => isKeyMaker !== true)
  return hosts.map(({ token }) => token?.handles.held ?? 0)
}
