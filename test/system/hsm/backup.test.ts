import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { decodeContent, readKeyBackup, restoredPolicy, writeKeyBackup } from '../../../src/hsm/key-backup-record.ts'
import type { GeneratedKey } from '../../../src/hsm/made-key.ts'
import { createRootObjects } from '../../../src/hsm/pkcs11/root-creation.ts'
import { backupRoles } from '../../../src/hsm/pkcs11/root-objects.ts'
import { ceremonyOptions, holdCeremony } from '../../support/ceremony.ts'
import { asOfRelease020 } from '../../support/earlier-token.ts'
import { type TestToken, makeOtherToken } from '../../support/token.ts'
import { type BackupKit, createBackupKit } from './backup-kit.ts'
import { type Hosts, policyOf, startHosts, vault } from './hsm-kit.ts'
import { fieldOf, listObjects } from './object-listing.ts'
import { rawSeal } from '../../support/raw-seal.ts'

const rejected = { code: 'hsm.rejected' }
const strictly = { exportable: false, backup: false }
const backupOf = ({ backup }: GeneratedKey) => {
  if (backup === undefined) throw new Error('no backup')
  return backup
}

describe('a backup', () => {
  let hosts: Hosts
  let kit: BackupKit

  beforeAll(async () => {
    hosts = await startHosts({ keyMaker: true })
    kit = createBackupKit(hosts)
  })
  afterAll(async () => {
    await hosts.close()
  })

  it('restores the same key, which stays under its backup KEK', async () => {
    const { hsm, reference } = hosts
    for (const exportable of [true, false]) {
      const made = await hsm.generate('aes256-gcm', { exportable, backup: true })
      const ciphertext = await hsm.encrypt(await reference('aes256-gcm', made), Buffer.from('kept'))
      const restored = await kit.restore(await kit.backUp('aes256-gcm', made, exportable))
      expect(restored.kek).toMatch(exportable ? /^backup-exportable\.v\d/ : /^backup\.v\d/)
      expect([restored.blob, restored.backup]).toEqual([made.backup?.blob, made.backup])
      const key = await reference('aes256-gcm', restored)
      expect(await hsm.decrypt(key, ciphertext)).toEqual(Buffer.from('kept'))
      const leaving = hsm.exportPlain(key)
      await (exportable ? expect(leaving).resolves.toHaveLength(32) : expect(leaving).rejects.toMatchObject(rejected))
    }
  })

  it('of a key that was not born exportable restores none that is; an exportable one may give that up', async () => {
    const strict = await hosts.hsm.generate('aes256-gcm', { exportable: false, backup: true })
    await expect(kit.restore(await kit.backUp('aes256-gcm', strict, true))).rejects.toMatchObject(rejected)
    const open = await hosts.hsm.generate('aes256-gcm', { exportable: true, backup: true })
    const restored = await kit.restore(await kit.backUp('aes256-gcm', open, false))
    expect([restored.kek, restored.backup?.kek]).toEqual(['strict.v1', expect.stringMatching(/^backup\.v/)])
  })

  it('restores pairs, with the public key that fits', async () => {
    for (const kind of ['ec-p256', 'rsa-2048'] as const) {
      const made = await hosts.hsm.generate(kind, { exportable: false, backup: true })
      const restored = await kit.restore(await kit.backUp(kind, made, false))
      expect(restored.publicKey).toEqual(made.publicKey)
      const digest = randomBytes(32)
      const signature = await hosts.hsm.sign(await hosts.reference(kind, restored), { hash: 'sha256' }, digest)
      const original = await hosts.reference(kind, made)
      expect(await hosts.hsm.verifySignature(original, { hash: 'sha256' }, digest, signature)).toBe(true)
      const { publicKey = null } = await hosts.hsm.generate(kind, strictly)
      await expect(kit.restore(kit.forged(kind, backupOf(made), { publicKey }))).rejects.toMatchObject(rejected)
    }
  })

  it('is refused with any byte of the key altered, as another kind, and from under another KEK', async () => {
    const made = await hosts.hsm.generate('aes256-gcm', { exportable: false, backup: true })
    const { kek, blob } = backupOf(made)
    const altered = Array.from(blob, (_, at) =>
      Buffer.from(blob.map((byte, place) => (place === at ? byte ^ 1 : byte))),
    )
    const attempts = [
      ...altered.map((bad) => kit.forged('aes256-gcm', { kek, blob: bad })),
      kit.forged('aes128-gcm', { kek, blob }),
      kit.forged('ec-p256', { kek, blob }),
      kit.forged('aes256-gcm', { kek: 'backup.v9', blob }),
      kit.forged('aes256-gcm', { kek: made.kek, blob: made.blob }),
    ]
    for (const outcome of await Promise.allSettled(attempts.map((backup) => kit.restore(backup))))
      expect(outcome).toMatchObject({ status: 'rejected', reason: rejected })
    await kit.restore(kit.forged('aes256-gcm', { kek, blob }))
  })

  it('carries a seal over what it says', async () => {
    const { hsm } = hosts
    const backup = await kit.backUp(
      'aes256-gcm',
      await hsm.generate('aes256-gcm', { ...strictly, backup: true }),
      false,
    )
    await hsm.verifyBackup(backup)
    const { content, seal } = readKeyBackup(backup)
    expect([seal.name, seal.seal.length]).toEqual([expect.stringMatching(/^backup-seal\.v/), 32])
    expect(decodeContent(content).origin).toEqual({
      vault: vault.toString('hex'),
      appliance: expect.stringMatching(/^[0-9a-f]{64}$/),
    })
    const altered = Buffer.from(content)
    altered.writeUInt8(altered.readUInt8(content.length - 1) ^ 0x80, content.length - 1)
    for (const bad of [
      { content: altered, seal },
      { content, seal: { ...seal, seal: seal.seal.subarray(1) } },
      { content, seal: { ...seal, seal: Buffer.alloc(32) } },
    ])
      await expect(hsm.verifyBackup(writeKeyBackup(bad))).rejects.toMatchObject({ code: 'hsm.seal_broken' })
    const otherwise = writeKeyBackup({ content, seal: { ...seal, name: 'seal.v1' } })
    await expect(hsm.verifyBackup(otherwise)).rejects.toMatchObject(rejected)
    expect(rawSeal(hosts.token, content)).not.toEqual(seal.seal)
  })

  it('of many versions is restored part by part', async () => {
    const { hsm, token } = hosts
    const made = await hsm.generate('aes128-gcm', { exportable: false, backup: true })
    const one = { disabled: 0, createdAt: 0, invocations: 1, publicKey: null, ...backupOf(made) }
    const versions = Array.from({ length: 70 }, (_, at) => ({ ...one, version: at + 1 }))
    const backup = kit.forged('aes128-gcm', backupOf(made), { versions })
    const policy = policyOf(token, restoredPolicy(decodeContent(readKeyBackup(backup).content)))
    const to = { policy, vaultKey: await kit.vaultKey() }
    const first = await hsm.restoreKey(backup, to, 0)
    expect(first.length + (await hsm.restoreKey(backup, to, first.length)).length).toBe(70)
    for (const from of [70, -71, NaN]) await expect(hsm.restoreKey(backup, to, from)).rejects.toMatchObject(rejected)
  })
})

describe('appliances that share backup keys', () => {
  const tokens: TestToken[] = []
  let running: Hosts | undefined

  const given = () => {
    const token = makeOtherToken()
    tokens.push(token)
    return token
  }
  /** One appliance at a time. Its token is kept in between. */
  const on = async <T>(token: TestToken, work: (hosts: Hosts) => Promise<T>): Promise<T> => {
    const hosts = (running = await startHosts({ token: { ...token, cleanup: () => undefined } }))
    try {
      return await work(hosts)
    } finally {
      await hosts.close()
      running = undefined
    }
  }
  afterAll(async () => {
    await running?.close()
    for (const token of tokens) token.cleanup()
  })

  it('restore each other’s keys, also those of before; another appliance does not', async () => {
    const [here, there, stranger] = [given(), given(), given()]
    const before = await on(here, ({ hsm }) => hsm.generate('aes256-gcm', { exportable: true, backup: true }))
    const shared = holdCeremony(here, there)
    expect([shared.versions.length, shared.madeVersion]).toEqual([2, true])
    for (const token of [here, there]) {
      const listing = listObjects(token)
      for (const [label, usage] of [
        [`strongroom.kek.backup.v${shared.versions[1]}`, 'unwrap, wrap'],
        [`strongroom.backup-seal.v${shared.versions[1]}`, 'none'],
      ] as const) {
        const object = listing.get(`${label}, Secret Key`)
        expect(fieldOf(object, 'Usage')).toBe(usage)
        expect(fieldOf(object, 'Access')?.split(', ')).toContain('sensitive')
      }
      expect([...listing.keys()].filter((name) => name.includes('ceremony'))).toEqual([])
    }
    const sealedBefore = await on(here, (hosts) => createBackupKit(hosts).backUp('aes256-gcm', before, true))
    await on(there, async (hosts) => {
      const restored = await createBackupKit(hosts).restore(sealedBefore)
      expect(restored.backup).toEqual(before.backup)
    })

    const { made, backup, ciphertext } = await on(here, async (hosts) => {
      const { hsm, reference } = hosts
      const made = await hsm.generate('aes256-gcm', { exportable: false, backup: true })
      const ciphertext = await hsm.encrypt(await reference('aes256-gcm', made), Buffer.from('moved'))
      return { made, ciphertext, backup: await createBackupKit(hosts).backUp('aes256-gcm', made, false) }
    })
    expect(backupOf(made).kek).toBe(`backup.v${shared.versions[1]}`)
    expect(readKeyBackup(backup).seal.name).toBe(`backup-seal.v${shared.versions[1]}`)
    await on(there, async (hosts) => {
      const restored = await createBackupKit(hosts).restore(backup)
      expect(restored.backup).toEqual(made.backup)
      const key = await hosts.reference('aes256-gcm', restored)
      expect(await hosts.hsm.decrypt(key, ciphertext)).toEqual(Buffer.from('moved'))
    })
    await on(stranger, async (hosts) => {
      const kit = createBackupKit(hosts)
      await expect(kit.restore(backup)).rejects.toMatchObject(rejected)
      await expect(kit.restore(kit.forged('aes256-gcm', backupOf(made)))).rejects.toMatchObject(rejected)
    })
  })

  it('have backups of release 0.2.0 rewrapped, and keep reading both', async () => {
    const here = given()
    asOfRelease020(here)
    const made = await on(here, ({ hsm }) => hsm.generate('aes128-gcm', { exportable: false, backup: true }))
    expect(backupOf(made).kek).toBe('backup.v1')
    expect(createRootObjects(ceremonyOptions(here))).toMatchObject({
      created: backupRoles.map((role) => expect.stringMatching(`^strongroom.${role}.v[0-9]{13}$`)),
      warnings: [],
    })
    expect(createRootObjects(ceremonyOptions(here)).created).toEqual([])
    await on(here, async (hosts) => {
      const { hsm, reference } = hosts
      const kit = createBackupKit(hosts)
      const sealed = await kit.backUp('aes128-gcm', made, false)
      const [version] = decodeContent(readKeyBackup(sealed).content).versions
      expect(version?.kek).toMatch(/^backup\.v\d{13}$/)
      const ciphertext = await hsm.encrypt(await reference('aes128-gcm', made), Buffer.from('kept'))
      for (const [backup, kek] of [
        [kit.forged('aes128-gcm', backupOf(made)), 'strict.v1'],
        [sealed, version?.kek],
      ] as const) {
        const restored = await kit.restore(backup)
        expect([restored.kek, restored.backup]).toEqual([kek, { kek: version?.kek, blob: version?.blob }])
        expect(await hsm.decrypt(await reference('aes128-gcm', restored), ciphertext)).toEqual(Buffer.from('kept'))
      }
      // A blob under the earlier KEK can be used only after a restore.
      const unrestored = await reference('aes128-gcm', backupOf(made))
      await expect(hsm.decrypt(unrestored, ciphertext)).rejects.toMatchObject(rejected)
    })
  })
})
