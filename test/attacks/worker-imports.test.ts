import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { applianceForTests, vaultForTests, workerForTests } from '../support/for-tests.ts'
import { findJob, type ImportJob } from '../../src/features/transparent/import-job-records.ts'
import { createSealedVaultKeys } from '../../src/features/transparent/sealed-vault-keys.ts'
import type { TransparentKey } from '../../src/features/transparent/records.ts'
import {
  invocationsRecord,
  policyRecord,
  sealedNewKey,
  sealedPolicy,
  versionRecord,
} from '../../src/features/transparent/sealing.ts'
import type { GeneratedKey } from '../../src/hsm/made-key.ts'
import { importJobPurpose } from '../../src/hsm/provenance.ts'
import { composeRecord } from '../../src/hsm/record-layouts.ts'
import { importJob } from '../api/transparent/key-kit.ts'
import { grantIn } from '../support/grant-kit.ts'
import { newVersion } from '../support/key-changes.ts'
import { latestReference } from '../support/key-references.ts'
import { rawSeal } from '../support/raw-seal.ts'
import { rsaAesWrap } from '../support/rsa-aes-wrap.ts'
import { freshKeyName, makeKey } from '../support/stored-keys.ts'

/**
 * The attacker runs code in a worker and wants keys through imports. He sees the bodies that pass through it, and has
 * the workers' sockets of keeper and token hosts, and every record of the database. He has neither the PIN nor the
 * operator's socket.
 */
const appliance = applianceForTests()
const victim = vaultForTests(appliance)
const attacker = vaultForTests(appliance)
const worker = workerForTests(appliance)

const refused = { code: 'hsm.rejected' }
const broken = { code: 'hsm.seal_broken' }
const strict = { type: 'aes256-gcm96' }
const readable = { allowExport: 1, allowPlaintextExport: 1 }

const givenKey = () => makeKey(appliance, victim, strict)

/** A job of the victim, read from its row. */
async function givenJob(name: string): Promise<ImportJob> {
  const { job: id } = await importJob(victim.admin, victim.id, name, strict)
  const job = await findJob(appliance.store.read, { id, vaultId: Number(victim.id), name })
  if (job === null) throw new Error('the job is gone')
  return job
}

const placeOf = (vaultId: number) => createSealedVaultKeys(appliance.store).of(vaultId)

async function jobRecord(job: ImportJob): Promise<Buffer> {
  const { vault } = await placeOf(job.vaultId)
  return composeRecord('import job', { ...job, vault, kind: 'aes256-gcm' })
}

/** Makes a version with this key material, where keeper and hosts accept it. */
async function plant(key: TransparentKey, version: number, made: GeneratedKey) {
  const unsealed = newVersion({ latestVersion: version }, made, { createdAt: 0 })
  const planted = { ...unsealed, keyId: key.id, invocations: 0, invocationsSeal: Buffer.alloc(0) }
  const grant = await grantIn(appliance, key.vaultId)
  const seal = await worker.seal(versionRecord(key, planted), {
    previous: sealedPolicy(key),
    provenance: made.provenance,
    grant,
  })
  return latestReference(appliance, { key, latest: { ...planted, seal } })
}

/** The value; undefined where one of the steps was refused. */
const gainedBy = (steps: () => Promise<Buffer>): Promise<Buffer | undefined> => steps().catch(() => undefined)

describe('the key pair of an import job', () => {
  it('serves in no second job, by which a key that passes would come out', async () => {
    const job = await givenJob(freshKeyName())
    const value = randomBytes(32)
    const seen = rsaAesWrap(job.publicKey, value)
    const gained = await gainedBy(async () => {
      const { vault, vaultKey } = await placeOf(Number(attacker.id))
      const second = { ...job, ...readable, id: 'ab'.repeat(16), vaultId: Number(attacker.id), name: 'mine' }
      const record = await jobRecord(second)
      const grant = await grantIn(appliance, attacker.id)
      const sealed = { record, seal: await worker.seal(record, { grant }) }
      const { key } = await givenKey()
      const mine = { ...key, ...readable, vaultId: second.vaultId, name: 'mine', info: second.info }
      const own = { ...(await sealedNewKey(worker, mine, vault, grant)), id: 0 }
      const made = await worker.importKey(sealed, seen, { policy: sealedPolicy(own), vaultKey })
      return worker.exportPlain(await plant(own, 1, made))
    })
    expect(gained).toBeUndefined()
  })
})

describe('a key that the attacker knows', () => {
  it('becomes no version of a key that is there', async () => {
    const { key } = await givenKey()
    const job = await givenJob(freshKeyName())
    const sealed = { record: await jobRecord(job), seal: job.seal }
    const gained = await gainedBy(async () => {
      const wrapped = rsaAesWrap(job.publicKey, Buffer.alloc(32, 7))
      const { vaultKey } = await placeOf(key.vaultId)
      const made = await worker.importKey(sealed, wrapped, { policy: sealedPolicy(key), vaultKey })
      return worker.encrypt(await plant(key, 1, made), Buffer.from('what the victim trusts it with'))
    })
    expect(gained).toBeUndefined()
  })

  it('becomes none of a key of that name, type and policy that was made before', async () => {
    const { token } = appliance
    const like = { ...(await givenKey()).key, name: freshKeyName() }
    const job = await givenJob(like.name)
    const sealed = { record: await jobRecord(job), seal: job.seal }
    const wrapped = rsaAesWrap(job.publicKey, Buffer.alloc(32, 7))
    const { vaultKey } = await placeOf(like.vaultId)
    const madeAt = (createdAt: number) => {
      const record = policyRecord({ ...like, createdAt })
      return { policy: { record, seal: rawSeal(token, record) }, vaultKey }
    }
    await expect(worker.importKey(sealed, wrapped, madeAt(Date.now() - 3_600_000))).rejects.toMatchObject(refused)
    await expect(worker.importKey(sealed, wrapped, madeAt(Date.now()))).resolves.toMatchObject({ kek: 'strict.v1' })
  })
})

describe('the public key of an import job', () => {
  it('is signed where the pair was made in the token, and else not', async () => {
    const job = await givenJob(freshKeyName())
    const own = generateKeyPairSync('rsa', { modulusLength: 3072 }).publicKey.export({ type: 'spki', format: 'der' })
    const { provenance } = await worker.generatePair('rsa-3072', importJobPurpose)
    const record = await jobRecord({ ...job, publicKey: own })
    await expect(worker.seal(record, { provenance, grant: await grantIn(appliance, victim.id) })).rejects.toMatchObject(
      broken,
    )
    await expect(worker.signImportJob({ record, seal: job.seal })).rejects.toMatchObject(broken)
    const { key } = await givenKey()
    await expect(worker.signImportJob(sealedPolicy(key))).rejects.toMatchObject(refused)
    const { text } = await worker.signImportJob({ record: await jobRecord(job), seal: job.seal })
    expect(JSON.parse(text)).toMatchObject({ name: job.name, public_key_der: job.publicKey.toString('base64') })
  })

  it('is signed for no vault but that in which the key will be', async () => {
    const job = await givenJob(freshKeyName())
    const gained = await gainedBy(async () => {
      const { vault, vaultKey } = await placeOf(Number(attacker.id))
      const pair = await worker.generatePair('rsa-3072', importJobPurpose)
      const { kek, blob, publicKey } = pair
      const theirs = { ...job, id: 'cd'.repeat(16), kek, blob, publicKey }
      const record = composeRecord('import job', { ...theirs, vault, kind: 'aes256-gcm' })
      const grant = await grantIn(appliance, attacker.id)
      const sealed = { record, seal: await worker.seal(record, { provenance: pair.provenance, grant }) }
      const { text } = await worker.signImportJob(sealed)
      // The owner of a key sees the number of the victim's vault, and wraps the key.
      expect(JSON.parse(text)).toMatchObject({ vaultid: victim.id, name: job.name })
      const wrapped = rsaAesWrap(Buffer.from(JSON.parse(text).public_key_der, 'base64'), randomBytes(32))
      const { key } = await givenKey()
      const mine = { ...key, vaultId: Number(attacker.id), name: job.name, info: job.info }
      const own = { ...(await sealedNewKey(worker, mine, vault, grant)), id: 0 }
      const made = await worker.importKey(sealed, wrapped, { policy: sealedPolicy(own), vaultKey })
      return worker.encrypt(await plant(own, 1, made), Buffer.from('signed by the owner of the key'))
    })
    expect(gained).toBeUndefined()
  })
})

describe('the count of a version', () => {
  it('begins once: below its beginning it is not sealed', async () => {
    const { key, latest } = await givenKey()
    const lower = invocationsRecord(key, latest.version, 0)
    const grant = await grantIn(appliance, victim.id)
    expect(await gainedBy(() => worker.seal(lower, { grant }))).toBeUndefined()
    const begun = await worker.sealFirstCount(lower, grant)
    expect(begun.invocations).toBe(latest.invocations)
    expect(begun.seal).toEqual(latest.invocationsSeal)
    for (const count of [-1, 0.5, 2 ** 60])
      await expect(worker.sealFirstCount(invocationsRecord(key, 2, count), grant)).rejects.toMatchObject(refused)
    await expect(worker.sealFirstCount(await jobRecord(await givenJob(freshKeyName())), grant)).rejects.toMatchObject(
      refused,
    )
  })
})
