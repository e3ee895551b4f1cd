import { readdirSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { capabilitiesOf } from '../../src/access/capabilities.ts'
import { clockSkewMs } from '../../src/access/decision.ts'
import { keyMakerSocketOf } from '../../src/config/key-maker-socket.ts'
import type { TransparentKey } from '../../src/features/transparent/records.ts'
import { sealedCount, sealedPolicy, sealedVersion } from '../../src/features/transparent/sealing.ts'
import type { SealedRecord } from '../../src/hsm/hsm.ts'
import { tokenObjectKek } from '../../src/hsm/key-kind.ts'
import type { TokenObjectKey } from '../../src/hsm/made-key.ts'
import { objectPermitMs } from '../../src/hsm/object-permit.ts'
import { versionPurpose } from '../../src/hsm/provenance.ts'
import { composeRecord } from '../../src/hsm/record-layouts.ts'
import { TestAppliance } from '../support/appliance.ts'
import { applianceForTests } from '../support/for-tests.ts'
import { ask } from '../support/frame-caller.ts'
import { grantIn, newIdentity, sealedGrant } from '../support/grant-kit.ts'
import { createKeyChanges, type KeyChanges } from '../support/key-changes.ts'
import { edited, nothing, sealed } from '../support/recombination.ts'
import { outcomeOf } from '../support/step-outcome.ts'
import { objectPermit } from '../support/token-objects.ts'

/**
 * The attacker runs code in a worker and fills the token with keys that nothing uses, until nobody can make a vault. A
 * permit of the keeper for one object is all that a token host makes one by.
 */
const appliance = applianceForTests(() => TestAppliance.own({ http: { workers: 2 } }))
let on: KeyChanges

beforeAll(async () => {
  on = await createKeyChanges(appliance)
})
afterAll(() => on.worker.close())

const objects = (): number =>
  readdirSync(appliance.token.tokenDirectory, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.object'),
  ).length

/** Asks every process that makes keys: `made`, or the code of the fault by which it refuses. */
async function answers(kind: string, ...fields: readonly Uint8Array[]): Promise<string[]> {
  const { hsm } = appliance.config
  const keyMaker = keyMakerSocketOf(hsm)
  const given: string[] = []
  for (const socket of [...hsm.sockets, ...(keyMaker === undefined ? [] : [keyMaker])]) {
    const answer = await ask(socket, 'createTokenObject', [Buffer.from(kind), ...fields])
    given.push('fault' in answer ? answer.fault : 'made')
  }
  return given
}

const creator = newIdentity()
const createsVaults = () =>
  sealedGrant(appliance.token, { user: creator, capabilities: capabilitiesOf(['read', 'active', 'createVault']) })

async function newVault(): Promise<SealedRecord> {
  const recordOf = (identity: Buffer) => composeRecord('vault', { identity, creator })
  const { identity, seal } = await on.worker.sealNew(recordOf(nothing), { grant: createsVaults() })
  return { record: recordOf(identity), seal }
}

const residentKey = async (flags = {}) => (await on.givenKey({ residency: 'token', ...flags })).key

describe('no object is made in the token', () => {
  it.each(['aes256-gcm', 'ec-p256', 'rsa-2048'])('without a permit: %s', async (kind) => {
    const purpose = versionPurpose({ identity: newIdentity(), vault: newIdentity() })
    const before = objects()
    const attempts = [
      // As a host once made objects for everybody.
      [purpose, nothing, nothing, nothing, nothing],
      [nothing, nothing, nothing, nothing, nothing],
      sealed(edited(objectPermit(appliance.token, { kind }))),
      sealed(objectPermit(appliance.token, { kind: 'aes256-ctr' })),
      sealed(objectPermit(appliance.token, { kind, kek: 'strict.v1' })),
      sealed(objectPermit(appliance.token, { kind, id: Buffer.from('strongroom.seal.v1') })),
      sealed(objectPermit(appliance.token, { kind, expiresAt: Date.now() - 1 })),
      sealed(objectPermit(appliance.token, { kind, expiresAt: Date.now() + objectPermitMs + 2 * clockSkewMs })),
      sealed(await newVault()),
    ]
    for (const fields of attempts) expect(await answers(kind, ...fields)).not.toContain('made')
    expect(objects()).toBe(before)
  })

  it('by a permit that the keeper gives without a session, or beyond its rights', async () => {
    const [vault, key] = [await newVault(), sealedPolicy(await residentKey())]
    const outcomes = async (holder: SealedRecord, ...grants: readonly (SealedRecord | undefined)[]) => {
      const all = grants.map(async (grant) => outcomeOf(on.worker.permitObject(holder, grant)))
      return new Set(await Promise.all(all))
    }
    const [read, other] = [await grantIn(appliance, on.vault.id, { permission: 1 }), sealedGrant(appliance.token)]
    expect(await outcomes(vault, undefined, other, await grantIn(appliance, on.vault.id))).toEqual(
      new Set(['hsm.rejected']),
    )
    expect(await outcomes(key, undefined, read, other, createsVaults())).toEqual(new Set(['hsm.rejected']))
    const inDatabase = sealedPolicy((await on.givenKey()).key)
    expect(await outcomes(inDatabase, await grantIn(appliance, on.vault.id))).toEqual(new Set(['hsm.rejected']))
  })

  it('for rotations that a policy asks for, which need no session, in any number', async () => {
    const { key, latest } = await on.givenKey({ residency: 'token' })
    const change = { autoRotatePeriodMs: 1 }
    const byNone = { grant: () => Promise.reject(new Error('no grant')) }
    const due = await appliance.services.keyring.update(byNone, { key, latest }, change, appliance.commit)
    const permitted = async () => {
      const by = await on.worker.grantRotation(sealedPolicy(due), sealedVersion(due, latest), sealedCount(due, latest))
      return on.worker.permitObject(sealedPolicy(due), by)
    }
    const outcomes: string[] = []
    for (let asked = 0; asked < 5; asked++) outcomes.push(await outcomeOf(permitted()))
    expect(outcomes).toEqual(['done', 'done', 'request.quota', 'request.quota', 'request.quota'])
    const another = sealedPolicy(await residentKey())
    const by = await on.worker.grantRotation(sealedPolicy(due), sealedVersion(due, latest), sealedCount(due, latest))
    expect(await outcomeOf(on.worker.permitObject(another, by))).toBe('hsm.rejected')
    // The key serves on, and an Admin rotates it all the same.
    const { admin, id } = on.vault
    const used = () => admin.must('POST', `/transparent/${id}/encrypt/${due.name}`, { plaintext: 'aGVsbG8=' })
    expect(await used()).toMatchObject({ CALLINFO: { key_version: '1' } })
    await admin.must('POST', `/transparent/${id}/keys/${due.name}/rotate`)
    expect(await used()).toMatchObject({ CALLINFO: { key_version: '2' } })
  })
})

describe('a permit', () => {
  it('serves for one object, whichever hosts are asked', async () => {
    const permit = await on.worker.permitObject(await newVault(), createsVaults())
    const before = objects()
    const given = [await answers('aes256-gcm', ...sealed(permit)), await answers('aes256-gcm', ...sealed(permit))]
    expect(given.flat().filter((answer) => answer === 'made')).toHaveLength(1)
    expect(objects()).toBe(before + 1)
  })

  it('serves for one object in each host at most where all are asked at once', async () => {
    const { sockets } = appliance.config.hsm
    const permit = await on.worker.permitObject(await newVault(), createsVaults())
    const before = objects()
    const fields = [Buffer.from('aes256-gcm'), ...sealed(permit)]
    await Promise.all(Array.from({ length: 40 }, (_, at) => ask(sockets[at % 2] ?? '', 'createTokenObject', fields)))
    expect(objects() - before).toBeGreaterThanOrEqual(1)
    expect(objects() - before).toBeLessThanOrEqual(sockets.length)
  })

  it('of a kind and purpose is for no other record', async () => {
    const [key, other] = [await residentKey(), await residentKey()]
    const grant = await grantIn(appliance, on.vault.id)
    const made = await madeFor(key, grant)
    expect(await outcomeOf(added(other, made, grant))).toBe('hsm.rejected')
    expect(await outcomeOf(added(key, made, grant))).toBe('done')
  })

  it('puts no second object in the place of one that was discarded, whose mark would destroy it at any time', async () => {
    const key = await residentKey({ type: 'ecdsa-p256' })
    const grant = await grantIn(appliance, on.vault.id)
    const permit = await on.worker.permitObject(sealedPolicy(key), grant)
    const first = await on.worker.createTokenObject('ec-p256', permit)
    const mark = await on.worker.sealUnused(
      { ...materialOf(first), kind: 'ec-p256', purpose: versionPurpose(key) },
      grant,
    )
    await on.worker.destroyObject(mark, mark)
    const second = await on.worker.createTokenObject('ec-p256', permit)
    expect(second.id).toBe(first.id)
    expect(await outcomeOf(added(key, second, grant))).toBe('hsm.rejected')
    await on.worker.destroyObject(mark, mark)
  })
})

const materialOf = ({ id, publicKey, provenance }: TokenObjectKey) => ({
  kek: tokenObjectKek,
  blob: Buffer.from(id, 'hex'),
  publicKey,
  backup: undefined,
  provenance,
})

const madeFor = async (key: TransparentKey, grant: SealedRecord) =>
  on.worker.createTokenObject('aes256-gcm', await on.worker.permitObject(sealedPolicy(key), grant))

const added = async (key: TransparentKey, made: TokenObjectKey, by: SealedRecord) =>
  on.addVersion(await on.withVersionMore(key, by), materialOf(made), { publicKey: made.publicKey ?? null }, by)
