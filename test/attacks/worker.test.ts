import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { applianceForTests, vaultForTests, workerForTests } from '../support/for-tests.ts'
import { capabilitiesOf } from '../../src/access/capabilities.ts'
import { createSealedVaultKeys } from '../../src/features/transparent/sealed-vault-keys.ts'
import { findKey, type StoredKey, type TransparentKey } from '../../src/features/transparent/records.ts'
import { policyRecord, sealedPolicy, sealedVersion, versionRecord } from '../../src/features/transparent/sealing.ts'
import { findVault } from '../../src/features/vaults/records.ts'
import { sealedVault } from '../../src/features/vaults/vault-seals.ts'
import { encodeRecord, keyRecord } from '../../src/hsm/key-record.ts'
import { composeRecord } from '../../src/hsm/record-layouts.ts'
import { vaultKek } from '../../src/hsm/key-kind.ts'
import type { WrappedKey } from '../../src/hsm/made-key.ts'
import { grantIn, sealedGrant } from '../support/grant-kit.ts'
import { latestReference } from '../support/key-references.ts'
import { makeKey } from '../support/stored-keys.ts'

/**
 * The attacker runs code in a worker. He has the workers' sockets of keeper and token hosts, and every record of the
 * database, but neither the PIN nor the operator's socket.
 */
const appliance = applianceForTests()
const vault = vaultForTests(appliance)
const worker = workerForTests(appliance)

const refused = { code: 'hsm.rejected' }
const broken = { code: 'hsm.seal_broken' }

const givenKey = (flags?: Readonly<Record<string, unknown>>) => makeKey(appliance, vault, flags)

/** The grant of a caller whose session passes through the worker. A refusal here is one to an Admin. */
const admin = () => grantIn(appliance, vault.id)

/** The key during a rotation, after its policy was sealed. */
async function withVersionMore(key: TransparentKey): Promise<TransparentKey> {
  const next = { ...key, latestVersion: 2, generation: key.generation + 1 }
  return { ...next, seal: await worker.seal(policyRecord(next), { previous: sealedPolicy(key), grant: await admin() }) }
}

const referenceOf = (stored: StoredKey) => latestReference(appliance, stored)

/** The id of the vault's data key, for a record that the worker composes. */
async function vaultKeyBlob(): Promise<Buffer> {
  const [row] = await appliance.store.query<{ blob: string }>('SELECT key_blob AS blob FROM vaults WHERE id = $1', [
    vault.id,
  ])
  return Buffer.from(String(row?.blob), 'base64')
}

describe('a plain key', () => {
  it('is not exported where the policy allows only wrapped exports', async () => {
    const { key, latest } = await givenKey({ allow_export: true })
    await expect(worker.exportPlain(await referenceOf({ key, latest }))).rejects.toMatchObject(refused)
  })

  it('is not to be had without the policy, or with that of a key that may', async () => {
    const { key, latest } = await givenKey({ allow_export: true })
    const open = await givenKey({ allow_export: true, allow_plaintext_export: true })
    await expect(worker.exportPlain({ key: sealedVersion(key, latest) })).rejects.toMatchObject(refused)
    const lent = {
      key: sealedVersion(key, latest),
      policy: sealedPolicy(open.key),
      grant: await grantIn(appliance, vault.id),
    }
    await expect(worker.exportPlain(lent)).rejects.toMatchObject(refused)
    await expect(worker.exportPlain(await referenceOf(open))).resolves.toHaveLength(32)
  })

  it('is not to be had by loosening the policy, or by a second one for the same key', async () => {
    const { key, latest } = await givenKey({ allow_export: true })
    const loose = { ...key, allowPlaintextExport: 1 }
    const grant = await admin()
    const next = { ...loose, generation: key.generation + 1 }
    await expect(worker.seal(policyRecord(next), { previous: sealedPolicy(key), grant })).rejects.toMatchObject(refused)
    await expect(worker.seal(policyRecord(loose), { grant })).rejects.toMatchObject(refused)
    const unplaced = composeRecord('transparent key', loose)
    await expect(worker.seal(unplaced, { grant })).rejects.toMatchObject(refused)
    // What the keeper does seal is the policy of another key.
    const { identity, seal } = await worker.sealNew(policyRecord({ ...loose, identity: Buffer.alloc(0) }), { grant })
    const other = { record: policyRecord({ ...loose, identity }), seal }
    await expect(worker.exportPlain({ key: sealedVersion(key, latest), policy: other, grant })).rejects.toMatchObject(
      refused,
    )
  })

  it('is not exported after exports were forbidden again', async () => {
    const { key, latest } = await givenKey({ allow_export: true, allow_plaintext_export: true })
    await vault.admin.must('PUT', `/transparent/${vault.id}/keys/${key.name}`, { allow_export: false })
    const now = await findKey(appliance.store.read, key.vaultId, key.name)
    if (now === undefined) throw new Error('the key is gone')
    await expect(worker.exportPlain(await referenceOf({ key: now.key, latest }))).rejects.toMatchObject(refused)
    const again = { ...now.key, allowExport: 1, allowPlaintextExport: 1, generation: now.key.generation + 1 }
    const loosened = worker.seal(policyRecord(again), { previous: sealedPolicy(now.key), grant: await admin() })
    await expect(loosened).rejects.toMatchObject(refused)
  })
})

describe('the data key of a vault', () => {
  it('serves no other cipher, under no other name', async () => {
    const blob = await vaultKeyBlob()
    const { key } = await givenKey()
    const wrapped = { kek: vaultKek, blob }
    await expect(
      worker.seal(keyRecord('aes256-ctr', wrapped, ['vault key 2', Buffer.alloc(16, 7)])),
    ).rejects.toMatchObject(refused)
    const version = { keyId: key.id, version: 2, ...wrapped, publicKey: null, backupKek: null, backupBlob: null }
    const record = versionRecord(
      { ...key, type: 'aes256-ctr' },
      { ...version, disabled: 0, createdAt: 0, generation: 1 },
    )
    const ofKey = sealedPolicy(await withVersionMore(key))
    await expect(worker.seal(record, { previous: ofKey, grant: await admin() })).rejects.toMatchObject(refused)
  })
})

describe('a key', () => {
  const unsealed = {
    publicKey: null,
    backupKek: null,
    backupBlob: null,
    disabled: 0,
    createdAt: 0,
    generation: 1,
  }

  /** The next version of the attacker's own key, whose policy allows everything, with key material of others. */
  const planted = (own: TransparentKey, { kek, blob }: WrappedKey) =>
    versionRecord(own, { ...unsealed, version: 2, kek, blob })

  it('of another user is not sealed under a policy of his own', async () => {
    const victim = await givenKey({ allow_export: true })
    const open = await givenKey({ allow_export: true, allow_plaintext_export: true })
    const own = await withVersionMore(open.key)
    const seal = worker.seal(planted(own, victim.latest), { previous: sealedPolicy(own), grant: await admin() })
    await expect(seal).rejects.toMatchObject(broken)
    const row = await findVault(appliance.store.read, Number(vault.id))
    if (row === null) throw new Error('the vault is gone')
    const wrapped = { kek: vaultKek, blob: await vaultKeyBlob() }
    const vaultKey = keyRecord('aes256-gcm', wrapped, ['vault key 2', Buffer.from(row.identity, 'hex')])
    const maker = sealedGrant(appliance.token, { user: row.creator, capabilities: capabilitiesOf(['createVault']) })
    await expect(worker.seal(vaultKey, { previous: sealedVault(row), grant: maker })).rejects.toMatchObject(broken)
  })

  it('that was made for one place is sealed in no other, and in none twice', async () => {
    const [one, other] = [await withVersionMore((await givenKey()).key), await withVersionMore((await givenKey()).key)]
    const purpose = await createSealedVaultKeys(appliance.store).purposeOf(one)
    const made = await worker.generate('aes256-gcm', { exportable: false, backup: false, ...purpose })
    const second = { ...unsealed, version: 2, kek: made.kek, blob: made.blob }
    const grant = await admin()
    const seal = (key: TransparentKey, version: object = {}) => {
      const record = versionRecord(key, { ...second, ...version })
      return worker.seal(record, { previous: sealedPolicy(key), provenance: made.provenance, grant })
    }
    await expect(seal(other)).rejects.toMatchObject(broken)
    await expect(seal(one)).resolves.toHaveLength(32)
    await expect(seal(one)).resolves.toHaveLength(32)
    // The same key, enabled, or with other fields of the attacker's choice.
    await expect(seal(one, { createdAt: 1 })).rejects.toMatchObject(refused)
  })

  it('that he knows is not sealed as that of a vault', async () => {
    const own = await withVersionMore((await givenKey()).key)
    const secret = Buffer.alloc(32, 7)
    await expect(worker.importSecret('aes256-gcm', secret, Buffer.from('my purpose'))).rejects.toMatchObject(refused)
    const known = await worker.importSecret('aes256-gcm', secret)
    const seal = worker.seal(planted(own, known), {
      previous: sealedPolicy(own),
      provenance: known.provenance,
      grant: await admin(),
    })
    await expect(seal).rejects.toMatchObject(broken)
    const seed = await worker.importSecret('otp-hmac-sha1', Buffer.alloc(20, 7))
    const device = keyRecord('otp-hmac-sha1', seed, ['otp', 'totp', null, 1, null, 6, 30])
    const grant = sealedGrant(appliance.token, { capabilities: capabilitiesOf(['admin']) })
    await expect(worker.seal(device, { provenance: seed.provenance, grant })).rejects.toMatchObject(broken)
  })
})

describe('a seal', () => {
  it.each([
    ['bytes', () => randomBytes(40)],
    ['a record of no type', () => encodeRecord(['a type of my own', 1])],
    ['a record with a field more', () => encodeRecord(['invocations', 1, 1, 0, 0])],
    ['a template of the site', () => encodeRecord(['template', 2_000, '{}', null])],
    [
      'a client of the validator',
      () =>
        keyRecord('otp-hmac-sha1', { kek: 'strict.v1', blob: Buffer.alloc(32) }, [
          'validation client',
          99,
          'mine',
          1,
          null,
        ]),
    ],
    [
      'a one-time password under another KEK',
      () =>
        keyRecord('otp-aes128', { kek: 'exportable.v1', blob: Buffer.alloc(24) }, [
          'otp',
          'hwkey_otp',
          'cccccccccccc',
          1,
          null,
          null,
          null,
        ]),
    ],
    [
      'a cipher key as a one-time password',
      () =>
        keyRecord('aes128-gcm', { kek: 'strict.v1', blob: Buffer.alloc(24) }, ['otp', 'totp', null, 1, null, 6, 30]),
    ],
  ])('is not given to %s', async (_what, record) => {
    const grant = sealedGrant(appliance.token, { capabilities: capabilitiesOf(['admin']) })
    await expect(worker.seal(record(), { grant })).rejects.toMatchObject(refused)
  })

  it('makes no edited row good', async () => {
    const { key } = await givenKey()
    const edited = { record: policyRecord({ ...key, name: 'another' }), seal: key.seal }
    const seal = worker.seal(policyRecord(key), { previous: edited, grant: await admin() })
    await expect(seal).rejects.toMatchObject({ code: 'hsm.seal_broken' })
  })

  it('sets no count back, moves no key and gives no backup to what has none', async () => {
    const { key, latest } = await givenKey({ allow_backup: false })
    const grant = await admin()
    const fewer = encodeRecord(['invocations 2', key.identity, key.vault, latest.version, 0])
    const count = encodeRecord(['invocations 2', key.identity, key.vault, latest.version, latest.invocations])
    const begun = { record: count, seal: latest.invocationsSeal }
    await expect(worker.seal(fewer, { previous: begun, grant })).rejects.toMatchObject(refused)
    const version = sealedVersion(key, latest)
    const next = { ...latest, generation: latest.generation + 1 }
    for (const moved of [
      versionRecord({ ...key, vault: Buffer.alloc(16, 7) }, next),
      versionRecord({ ...key, type: 'aes256-ctr' }, next),
      versionRecord(key, { ...next, version: 2 }),
      versionRecord(key, { ...next, blob: randomBytes(40) }),
      versionRecord(key, { ...next, backupKek: 'backup.v1', backupBlob: latest.blob }),
    ])
      await expect(worker.seal(moved, { previous: version, grant })).rejects.toMatchObject(refused)
    await expect(worker.seal(versionRecord(key, next), { previous: version, grant })).resolves.toHaveLength(32)
  })
})

describe('a key', () => {
  it('is not wrapped anew for a worker, and nothing else than a version for anybody', async () => {
    const { key, latest } = await givenKey({ allow_export: true })
    await expect(worker.rewrapVersion(sealedVersion(key, latest))).rejects.toMatchObject(refused)
    await expect(appliance.hsm.rewrapVersion(sealedPolicy(key))).rejects.toMatchObject(refused)
    const edited = sealedVersion(key, { ...latest, backupKek: latest.kek, backupBlob: latest.blob })
    await expect(appliance.hsm.rewrapVersion(edited)).rejects.toMatchObject(broken)
    await expect(
      appliance.hsm.rewrapVersion(sealedVersion(key, latest), (await referenceOf({ key, latest })).vaultKey),
    ).resolves.toMatchObject({ kek: latest.kek })
  })

  it('that is disabled, deleted or too old is not used', async () => {
    const { key, latest } = await givenKey()
    const ciphertext = await worker.encrypt(await referenceOf({ key, latest }), Buffer.from('x'))
    await vault.admin.must('DELETE', `/transparent/${vault.id}/keys/${key.name}`)
    const deleted = await findKey(appliance.store.read, key.vaultId, key.name)
    if (deleted === undefined) throw new Error('the key is gone')
    await expect(worker.decrypt(await referenceOf({ key: deleted.key, latest }), ciphertext)).rejects.toMatchObject(
      refused,
    )
  })
})
