import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { applianceForTests, vaultForTests, workerForTests } from '../support/for-tests.ts'
import { decodeContent, encodeContent, readKeyBackup } from '../../src/hsm/key-backup-record.ts'
import { createSealedVaultKeys } from '../../src/features/transparent/sealed-vault-keys.ts'
import { findKey, type StoredKey, type TransparentKey } from '../../src/features/transparent/records.ts'
import {
  sealedCount,
  sealedNewKey,
  sealedPolicy,
  sealedVersion,
  versionRecord,
} from '../../src/features/transparent/sealing.ts'
import { encodeRecord, keyRecord } from '../../src/hsm/key-record.ts'
import type { KeyIdentity } from '../../src/hsm/made-key.ts'
import { versionPurpose } from '../../src/hsm/provenance.ts'
import { ask } from '../support/frame-caller.ts'
import { grantIn } from '../support/grant-kit.ts'
import { latestReference } from '../support/key-references.ts'
import { makeKey } from '../support/stored-keys.ts'

/**
 * The attacker runs code in a worker and wants keys through their backups. He has the workers' sockets of keeper and
 * token hosts, and every record of the database, but neither the PIN nor the operator's socket.
 */
const appliance = applianceForTests()
const victim = vaultForTests(appliance)
const attacker = vaultForTests(appliance)
const worker = workerForTests(appliance)

const refused = { code: 'hsm.rejected' }
const secret = Buffer.from('what was encrypted')
const wrapsOnly = { allow_export: true }
const readable = { allowExport: 1, allowPlaintextExport: 1 }

/** A key of the attacker's own vault, as far as the keeper seals its records. */
async function ownKey(like: TransparentKey, flags: Partial<TransparentKey> = {}): Promise<TransparentKey> {
  const vaultId = Number(attacker.id)
  const { vault } = await createSealedVaultKeys(appliance.store).of(vaultId)
  const grant = await grantIn(appliance, vaultId)
  return { ...(await sealedNewKey(worker, { ...like, ...flags, createdAt: Date.now(), vaultId }, vault, grant)), id: 0 }
}

const givenKey = (flags?: Readonly<Record<string, unknown>>) => makeKey(appliance, victim, flags)
const referenceOf = (stored: StoredKey) => latestReference(appliance, stored)

function identityOf({ identity, vault }: TransparentKey): KeyIdentity {
  if (identity === null || vault === null) throw new Error('the key has no identity')
  return { identity, vault }
}

async function backUp(name: string): Promise<Buffer> {
  const { KEYS } = await victim.admin.must('GET', `/transparent/backup/${victim.id}/${name}`)
  return Buffer.from((KEYS as { backup: string }).backup, 'base64')
}

const text = (value: string) => Buffer.from(value)
const nothing = Buffer.alloc(0)
const socket = () => appliance.config.hsm.sockets[0] ?? ''

describe('the backup of a key in the database', () => {
  it.each([
    ['is no key of another vault', {}, {}],
    ['is no key that leaves in plain', wrapsOnly, readable],
  ])('%s', async (_what, flags, ownFlags) => {
    const { key, latest } = await givenKey(flags)
    const ciphertext = await worker.encrypt(await referenceOf({ key, latest }), secret)
    const own = await ownKey(key, ownFlags)
    const answer = await ask(socket(), 'restoreKey', [
      text('aes256-gcm'),
      text(latest.backupKek ?? ''),
      latest.backupBlob ?? nothing,
      text(String(own.allowExport)),
      text('1'),
      versionPurpose(identityOf(own)),
      nothing,
    ])
    const gained: unknown[] = []
    if ('fields' in answer) {
      const [kek = nothing, blob = nothing, , backupKek = nothing, backupBlob = nothing, provenance] = answer.fields
      const version = {
        ...latest,
        kek: String(kek),
        blob,
        backupKek: String(backupKek),
        backupBlob,
      }
      const planted = {
        ...version,
        seal: await worker.seal(versionRecord(own, version), {
          previous: sealedPolicy(own),
          provenance,
          grant: await grantIn(appliance, attacker.id),
        }),
      }
      gained.push((await worker.decrypt(await referenceOf({ key: own, latest: planted }), ciphertext)).toString())
      if (own.allowExport === 1) gained.push(await worker.exportPlain(await referenceOf({ key: own, latest: planted })))
    }
    expect(gained).toEqual([])
  })
})

describe('a backup', () => {
  it('says nothing but what the policy of its key says', async () => {
    const { key } = await givenKey(wrapsOnly)
    const content = decodeContent(readKeyBackup(await backUp(key.name)).content)
    const forged = encodeContent({ ...content, ...readable })
    const answer = await ask(socket(), 'sealBackup', [forged])
    let plain: unknown
    if ('fields' in answer) {
      const [name = nothing, seal = nothing] = answer.fields
      const backup = encodeRecord(['strongroom key backup 2', String(name), seal, forged]).toString('base64')
      await victim.admin.must('POST', `/transparent/restore/${victim.id}/${key.name}-2`, { backup })
      plain = (await victim.admin.get(`/transparent/export/${victim.id}/${key.name}-2`)).json['KEYS']
    }
    expect(plain).toBeUndefined()
  })

  it('seals no bytes that somebody else put together', async () => {
    expect(await ask(socket(), 'sealBackup', [randomBytes(40)])).toMatchObject({ fault: expect.stringMatching(/./) })
  })

  it('is not made of a key whose policy forbids it, of a key under the policy of another, or with another count', async () => {
    const { key, latest } = await givenKey(wrapsOnly)
    const open = await givenKey({ allow_export: true, allow_plaintext_export: true })
    const version = { key: sealedVersion(key, latest), count: sealedCount(key, latest) }
    const { vaultKey } = await createSealedVaultKeys(appliance.store).of(key.vaultId)
    const grant = await grantIn(appliance, key.vaultId)
    const backUpAs = (policy: TransparentKey, ...versions: readonly (typeof version)[]) =>
      worker.sealBackup({ policy: sealedPolicy(policy), vaultKey, grant, versions })
    await expect(backUpAs(open.key, version)).rejects.toMatchObject(refused)
    await expect(backUpAs({ ...key, ...readable }, version)).rejects.toMatchObject({ code: 'hsm.seal_broken' })
    const fewer = { ...version, count: sealedCount(open.key, open.latest) }
    await expect(backUpAs(key, fewer)).rejects.toMatchObject(refused)
    await expect(backUpAs(key)).rejects.toMatchObject(refused)
    await expect(backUpAs(key, version)).resolves.toBeInstanceOf(Buffer)
    await victim.admin.must('PUT', `/transparent/${victim.id}/keys/${key.name}`, { allow_backup: false })
    const now = await findKey(appliance.store.read, key.vaultId, key.name)
    if (now === undefined) throw new Error('the key is gone')
    // The former version, with the blob from which it is restored.
    await expect(backUpAs(now.key, version)).rejects.toMatchObject(refused)
  })

  it('makes no key of another policy than its own', async () => {
    const { key } = await givenKey(wrapsOnly)
    const backup = await backUp(key.name)
    const { vaultKey } = await createSealedVaultKeys(appliance.store).of(Number(attacker.id))
    const restoreAs = (policy: TransparentKey) =>
      worker.restoreKey(backup, { policy: sealedPolicy(policy), vaultKey }, 0)
    for (const other of [
      readable,
      { type: 'aes256-ctr' },
      { allowDelete: 0 },
      { residency: 'token', allowExport: 0, allowBackup: 0 },
      { latestVersion: 2 },
    ])
      await expect(restoreAs(await ownKey(key, other))).rejects.toMatchObject(refused)
    await expect(restoreAs({ ...(await ownKey(key)), ...readable })).rejects.toMatchObject({ code: 'hsm.seal_broken' })
    await expect(restoreAs(await ownKey(key))).resolves.toHaveLength(1)
  })
})

describe('a key of one kind', () => {
  it('is sealed under no type of another, by which a backup would make it one', async () => {
    const own = await ownKey((await givenKey()).key, { type: 'aes256-ctr' })
    const { vaultKey } = await createSealedVaultKeys(appliance.store).of(own.vaultId)
    const outerWrapping = { ...identityOf(own), vaultKey }
    const made = await worker.generate('aes256-gcm', { exportable: false, backup: true, outerWrapping })
    const { kek: backupKek = null, blob: backupBlob = null } = made.backup ?? {}
    const head = ['transparent key version 2', own.identity, own.vault, own.type, 1, null]
    const record = keyRecord('aes256-gcm', made, [...head, backupKek, backupBlob, 0, 0, 1])
    const seal = worker.seal(record, {
      previous: sealedPolicy(own),
      provenance: made.provenance,
      grant: await grantIn(appliance, own.vaultId),
    })
    await expect(seal).rejects.toMatchObject(refused)
  })
})
