import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { GeneratedKey } from '../../../src/hsm/hsm.ts'
import { adoptBackupKeys, createSharedBackupKeys } from '../../../src/hsm/pkcs11/backup-sharing.ts'
import { type TestToken, makeOtherToken } from '../../support/token.ts'
import { type Hosts, startHosts } from './hsm-kit.ts'
import { fieldOf, listObjects } from './object-listing.ts'
import { rawSeal } from '../../support/raw-seal.ts'

const rejected = { code: 'hsm.rejected' }
const strictly = { exportable: false, backup: false }
const shortKey = () =>
  generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey.export({ type: 'spki', format: 'der' })

const backupOf = ({ backup }: GeneratedKey) => {
  if (backup === undefined) throw new Error('no backup')
  return backup
}

const optionsOf = (token: TestToken) => ({
  module: token.module,
  uri: token.tokenUri,
  softhsmConf: token.softhsmConf,
  tokenDirectory: token.tokenDirectory,
  readPin: () => readFileSync(token.pinFile, 'utf8'),
})

describe('a backup', () => {
  let hosts: Hosts

  beforeAll(async () => {
    hosts = await startHosts({ keyMaker: true })
  })
  afterAll(async () => {
    await hosts.close()
  })

  it('restores the same key, under the KEK that is asked for', async () => {
    const { hsm, reference } = hosts
    const made = await hsm.generate('aes256-gcm', { exportable: false, backup: true })
    const ciphertext = await hsm.encrypt(await reference('aes256-gcm', made), Buffer.from('kept'))
    for (const exportable of [true, false]) {
      const restored = await hsm.restoreKey('aes256-gcm', backupOf(made), { exportable, backup: exportable })
      expect(restored.kek).toBe(exportable ? 'exportable.v1' : 'strict.v1')
      expect(restored.backup?.blob).toEqual(exportable ? made.backup?.blob : undefined)
      expect(await hsm.decrypt(await reference('aes256-gcm', restored), ciphertext)).toEqual(Buffer.from('kept'))
    }
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
      hosts.hsm.rewrapBackup('aes256-gcm', { kek: made.kek, blob: made.blob }),
      hosts.hsm.rewrapBackup('aes128-gcm', { kek, blob }),
    ]
    for (const outcome of await Promise.allSettled(attempts))
      expect(outcome).toMatchObject({ status: 'rejected', reason: rejected })
  })

  it('carries a seal over its bytes', async () => {
    const bytes = randomBytes(5_000)
    const { name, seal } = await hosts.hsm.sealBackup(bytes)
    expect([name, seal.length]).toEqual(['backup-seal.v1', 32])
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
  const transportOf = (token: TestToken) => on(token, ({ hsm }) => hsm.transportPublicKey())

  afterAll(async () => {
    await running?.close()
    for (const token of tokens) token.cleanup()
  })

  it('restore each other’s keys; another appliance does not', async () => {
    const [here, there, stranger] = [given(), given(), given()]
    const recipients = [await transportOf(there)]
    const shared = createSharedBackupKeys({ ...optionsOf(here), recipients })
    expect([shared.version, shared.packages.length, shared.check]).toEqual([
      2,
      1,
      expect.stringMatching(/^[0-9a-f]{16}$/),
    ])
    const [parcel = ''] = shared.packages

    expect(() => adoptBackupKeys(optionsOf(stranger), parcel)).toThrow(expect.objectContaining(rejected))
    expect(adoptBackupKeys(optionsOf(there), parcel)).toEqual({ version: 2, check: shared.check })
    expect(adoptBackupKeys(optionsOf(there), parcel)).toEqual({ version: 2, check: shared.check })
    for (const token of [here, there]) {
      const listing = listObjects(token)
      for (const [label, usage] of [
        ['strongroom.kek.backup.v2', 'unwrap, wrap'],
        ['strongroom.backup-seal.v2', 'none'],
      ]) {
        const object = listing.get(`${label}, Secret Key`)
        expect(fieldOf(object, 'Usage')).toBe(usage)
        const access = fieldOf(object, 'Access')?.split(', ')
        expect(access).toContain('sensitive')
        expect(access).not.toContain('extractable')
      }
    }

    const { made, old, sealed, ciphertext } = await on(here, async ({ hsm, reference }) => {
      const made = await hsm.generate('aes256-gcm', { exportable: false, backup: true })
      const sealed = await hsm.sealBackup(backupOf(made).blob)
      const ciphertext = await hsm.encrypt(await reference('aes256-gcm', made), Buffer.from('moved'))
      return { made, sealed, ciphertext, old: backupOf(made) }
    })
    expect([old.kek, sealed.name]).toEqual(['backup.v2', 'backup-seal.v2'])
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

  it('have older backups rewrapped, and keep reading both', async () => {
    const here = given()
    const made = await on(here, ({ hsm }) => hsm.generate('aes128-gcm', { exportable: false, backup: true }))
    expect(backupOf(made).kek).toBe('backup.v1')
    expect(createSharedBackupKeys({ ...optionsOf(here), recipients: [] }).version).toBe(2)
    expect(createSharedBackupKeys({ ...optionsOf(here), recipients: [] }).version).toBe(3)
    await on(here, async ({ hsm }) => {
      const rewrapped = await hsm.rewrapBackup('aes128-gcm', backupOf(made))
      expect(rewrapped.kek).toBe('backup.v3')
      const [one, other] = [backupOf(made), rewrapped].map((backup) =>
        hsm.restoreKey('aes128-gcm', backup, { exportable: true, backup: false }),
      )
      expect((await one)?.blob).toEqual((await other)?.blob)
    })
  }, 60_000)

  it('refuse a version that they have with other keys, a package that was altered, and short recipients', async () => {
    const [here, there] = [given(), given()]
    const recipients = [await transportOf(there)]
    const [parcel = ''] = createSharedBackupKeys({ ...optionsOf(here), recipients }).packages
    const read = z
      .object({
        version: z.int(),
        checks: z.object({ kek: z.string(), seal: z.string() }),
        keys: z.record(z.string(), z.string()),
      })
      .loose()
      .parse(JSON.parse(parcel))
    const swapped = { kek: read.keys['seal'], seal: read.keys['kek'] }
    for (const altered of [
      '',
      parcel.slice(1),
      JSON.stringify({ ...read, version: 1 }),
      JSON.stringify({ ...read, checks: { ...read.checks, kek: '00000000' } }),
      JSON.stringify({ ...read, keys: swapped }),
      parcel.replace(/"seal":"([A-Za-z0-9+/])/g, (_, first: string) => `"seal":"${first === 'A' ? 'B' : 'A'}`),
    ]) {
      expect(() => adoptBackupKeys(optionsOf(there), altered), altered).toThrow(expect.objectContaining(rejected))
    }
    expect([...listObjects(there).keys()].filter((name) => name.includes('.v2'))).toEqual([])
    createSharedBackupKeys({ ...optionsOf(there), recipients: [] })
    expect(() => adoptBackupKeys(optionsOf(there), parcel)).toThrow(expect.objectContaining(rejected))
    expect(() => createSharedBackupKeys({ ...optionsOf(here), recipients: [shortKey()] })).toThrow(
      expect.objectContaining(rejected),
    )
  }, 60_000)
})
