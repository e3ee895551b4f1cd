import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { GeneratedKey } from '../../../src/hsm/made-key.ts'
import { createRootObjects } from '../../../src/hsm/pkcs11/root-creation.ts'
import { backupRoles } from '../../../src/hsm/pkcs11/root-objects.ts'
import { ceremonyOptions, holdCeremony } from '../../support/ceremony.ts'
import { asOfRelease020 } from '../../support/earlier-token.ts'
import { type TestToken, makeOtherToken } from '../../support/token.ts'
import { type Hosts, startHosts } from './hsm-kit.ts'
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

  beforeAll(async () => {
    hosts = await startHosts({ keyMaker: true })
  })
  afterAll(async () => {
    await hosts.close()
  })

  it('restores the same key, which stays under its backup KEK', async () => {
    const { hsm, reference } = hosts
    for (const exportable of [true, false]) {
      const made = await hsm.generate('aes256-gcm', { exportable, backup: true })
      const ciphertext = await hsm.encrypt(await reference('aes256-gcm', made), Buffer.from('kept'))
      const restored = await hsm.restoreKey('aes256-gcm', backupOf(made), { exportable, backup: true })
      expect(restored.kek).toMatch(exportable ? /^backup-exportable\.v\d/ : /^backup\.v\d/)
      expect([restored.blob, restored.backup]).toEqual([made.backup?.blob, made.backup])
      expect(await hsm.rewrapBackup('aes256-gcm', backupOf(made), exportable)).toEqual(made.backup)
      const key = await reference('aes256-gcm', restored)
      expect(await hsm.decrypt(key, ciphertext)).toEqual(Buffer.from('kept'))
      const leaving = hsm.exportPlain(key)
      await (exportable ? expect(leaving).resolves.toHaveLength(32) : expect(leaving).rejects.toMatchObject(rejected))
    }
  })

  it('of a key that was not born exportable restores none that is; an exportable one may give that up', async () => {
    const { hsm } = hosts
    const strict = await hsm.generate('aes256-gcm', { exportable: false, backup: true })
    await expect(
      hsm.restoreKey('aes256-gcm', backupOf(strict), { exportable: true, backup: true }),
    ).rejects.toMatchObject(rejected)
    const open = await hsm.generate('aes256-gcm', { exportable: true, backup: true })
    const restored = await hsm.restoreKey('aes256-gcm', backupOf(open), { exportable: false, backup: true })
    expect([restored.kek, restored.backup?.kek]).toEqual(['strict.v1', expect.stringMatching(/^backup\.v/)])
  })

  it('restores pairs, with the public key that fits', async () => {
    for (const kind of ['ec-p256', 'rsa-2048'] as const) {
      const made = await hosts.hsm.generate(kind, { exportable: false, backup: true })
      const publicKey = made.publicKey ?? Buffer.alloc(0)
      const restored = await hosts.hsm.restoreKey(kind, backupOf(made), { ...strictly, publicKey })
      expect(restored.publicKey).toEqual(publicKey)
      const digest = randomBytes(32)
      const signature = await hosts.hsm.sign(await hosts.reference(kind, restored), { hash: 'sha256' }, digest)
      const original = await hosts.reference(kind, made)
      expect(await hosts.hsm.verifySignature(original, { hash: 'sha256' }, digest, signature)).toBe(true)
      const other = (await hosts.hsm.generate(kind, strictly)).publicKey ?? Buffer.alloc(0)
      await expect(hosts.hsm.restoreKey(kind, backupOf(made), { ...strictly, publicKey: other })).rejects.toMatchObject(
        rejected,
      )
    }
  })

  it('is refused with any byte altered, as another kind, and from under another KEK', async () => {
    const made = await hosts.hsm.generate('aes256-gcm', { exportable: true, backup: true })
    const { kek, blob } = backupOf(made)
    const altered = Array.from(blob, (_, at) =>
      Buffer.from(blob.map((byte, place) => (place === at ? byte ^ 1 : byte))),
    )
    const attempts = [
      ...altered.map((bad) => hosts.hsm.restoreKey('aes256-gcm', { kek, blob: bad }, strictly)),
      hosts.hsm.restoreKey('aes128-gcm', { kek, blob }, strictly),
      hosts.hsm.restoreKey('ec-p256', { kek, blob }, strictly),
      hosts.hsm.restoreKey('aes256-gcm', { kek: 'backup.v9', blob }, strictly),
      hosts.hsm.restoreKey('aes256-gcm', { kek: made.kek, blob: made.blob }, strictly),
      hosts.hsm.rewrapBackup('aes256-gcm', { kek: made.kek, blob: made.blob }, true),
    ]
    for (const outcome of await Promise.allSettled(attempts))
      expect(outcome).toMatchObject({ status: 'rejected', reason: rejected })
  })

  it('carries a seal over its bytes', async () => {
    const bytes = randomBytes(5_000)
    const { name, seal } = await hosts.hsm.sealBackup(bytes)
    expect([name, seal.length]).toEqual([expect.stringMatching(/^backup-seal\.v/), 32])
    await hosts.hsm.verifyBackup(bytes, { name, seal })
    const altered = Buffer.from(bytes)
    altered.writeUInt8(altered.readUInt8(4_999) ^ 0x80, 4_999)
    for (const attempt of [
      hosts.hsm.verifyBackup(altered, { name, seal }),
      hosts.hsm.verifyBackup(bytes, { name, seal: seal.subarray(1) }),
      hosts.hsm.verifyBackup(bytes, { name, seal: Buffer.alloc(32) }),
    ]) {
      await expect(attempt).rejects.toMatchObject({ code: 'hsm.seal_broken' })
    }
    await expect(hosts.hsm.verifyBackup(bytes, { name: 'seal.v1', seal })).rejects.toMatchObject(rejected)
    expect(rawSeal(hosts.token, bytes)).not.toEqual(seal)
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
  /** One appliance at a time; its token is left alone in between. */
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
    await on(there, async ({ hsm }) => {
      const restored = await hsm.restoreKey('aes256-gcm', backupOf(before), { exportable: true, backup: true })
      expect(restored.backup).toEqual(before.backup)
    })

    const { made, old, sealed, ciphertext } = await on(here, async ({ hsm, reference }) => {
      const made = await hsm.generate('aes256-gcm', { exportable: false, backup: true })
      const sealed = await hsm.sealBackup(backupOf(made).blob)
      const ciphertext = await hsm.encrypt(await reference('aes256-gcm', made), Buffer.from('moved'))
      return { made, sealed, ciphertext, old: backupOf(made) }
    })
    expect([old.kek, sealed.name]).toEqual([`backup.v${shared.versions[1]}`, `backup-seal.v${shared.versions[1]}`])
    await on(there, async ({ hsm, reference }) => {
      await hsm.verifyBackup(old.blob, sealed)
      const restored = await hsm.restoreKey('aes256-gcm', backupOf(made), { exportable: false, backup: true })
      expect(restored.backup).toEqual(made.backup)
      expect(await hsm.decrypt(await reference('aes256-gcm', restored), ciphertext)).toEqual(Buffer.from('moved'))
    })
    await on(stranger, async ({ hsm }) => {
      await expect(hsm.restoreKey('aes256-gcm', backupOf(made), strictly)).rejects.toMatchObject(rejected)
      await expect(hsm.verifyBackup(old.blob, sealed)).rejects.toMatchObject(rejected)
    })
  }, 60_000)

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
    await on(here, async ({ hsm, reference }) => {
      const rewrapped = await hsm.rewrapBackup('aes128-gcm', backupOf(made), false)
      expect(rewrapped.kek).toMatch(/^backup\.v\d{13}$/)
      const ciphertext = await hsm.encrypt(await reference('aes128-gcm', made), Buffer.from('kept'))
      for (const [backup, kek] of [
        [backupOf(made), 'strict.v1'],
        [rewrapped, rewrapped.kek],
      ] as const) {
        const restored = await hsm.restoreKey('aes128-gcm', backup, { exportable: false, backup: true })
        expect([restored.kek, restored.backup]).toEqual([kek, rewrapped])
        expect(await hsm.decrypt(await reference('aes128-gcm', restored), ciphertext)).toEqual(Buffer.from('kept'))
      }
      // A blob under the KEK of before is used only after it was restored.
      const unrestored = await reference('aes128-gcm', backupOf(made))
      await expect(hsm.decrypt(unrestored, ciphertext)).rejects.toMatchObject(rejected)
    })
  }, 60_000)
})
