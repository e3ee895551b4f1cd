import { createDecipheriv, createHmac, randomBytes } from 'node:crypto'
import pkcs11, { type Template } from 'pkcs11js'
import { beforeAll, describe, expect, it } from 'vitest'
import { sealedUser } from '../../src/features/users/user-seals.ts'
import { encodeRecord } from '../../src/hsm/key-record.ts'
import { p256 } from '../../src/hsm/pkcs11/pair-kinds.ts'
import { TestAppliance } from '../support/appliance.ts'
import { applianceForTests } from '../support/for-tests.ts'
import { strongroom } from '../support/console-kit.ts'
import { withPin } from '../support/pin-session.ts'
import { accountRow } from '../support/user-row.ts'
import { makeVault } from '../support/vault.ts'
import { openByVaultKey } from '../support/vault-key-opener.ts'

/**
 * The attacker had the PIN and the module for a while, and made objects of the token whose values he knows, with the
 * labels that later versions of root keys would have. What is made afterwards he reads in a copy of the database.
 */

const appliance = applianceForTests(() => TestAppliance.own())
const known: Record<string, Buffer> = {}

beforeAll(async () => {
  for (const role of ['kek.strict', 'kek.exportable', 'seal', 'pepper']) plant(role, 2)
  for (const role of ['kek.backup', 'kek.backup-exportable', 'backup-seal']) plant(role, Date.now() + 1e9)
  plantAuditPair('strongroom.audit.v2')
  await appliance.restart()
})

/** Makes a root key of a known value. */
function plant(role: string, version: number): void {
  const label = `strongroom.${role}.v${version}`
  const [keyType, uses] = role.startsWith('kek.')
    ? ([pkcs11.CKK_AES, ['WRAP', 'UNWRAP']] as const)
    : ([pkcs11.CKK_GENERIC_SECRET, ['SIGN']] as const)
  known[role] = planted(label, Buffer.from(label), keyType, uses)
}

const usages = ['ENCRYPT', 'DECRYPT', 'SIGN', 'VERIFY', 'WRAP', 'UNWRAP'] as const

/** Makes an object of the token as `strongroom` makes it, and returns its value. */
function planted(label: string, id: Buffer, keyType: number, uses: readonly (typeof usages)[number][]): Buffer {
  const value = randomBytes(32)
  withPin(appliance.token, ({ lib, session }) =>
    lib.C_CreateObject(session, [
      { type: pkcs11.CKA_CLASS, value: pkcs11.CKO_SECRET_KEY },
      { type: pkcs11.CKA_KEY_TYPE, value: keyType },
      { type: pkcs11.CKA_TOKEN, value: true },
      { type: pkcs11.CKA_PRIVATE, value: true },
      { type: pkcs11.CKA_SENSITIVE, value: true },
      { type: pkcs11.CKA_EXTRACTABLE, value: false },
      { type: pkcs11.CKA_LABEL, value: label },
      { type: pkcs11.CKA_ID, value: id },
      { type: pkcs11.CKA_VALUE, value },
      ...usages.map((name): Template[number] => ({ type: pkcs11[`CKA_${name}`], value: uses.includes(name) })),
    ]),
  )
  return value
}

/** The key under one of the known keys (RFC 3394, RFC 5649); undefined where it is under none. */
function unwrapped(blob: Buffer): Buffer | undefined {
  for (const kek of Object.values(known))
    for (const [cipher, iv] of [
      ['id-aes256-wrap', 'a6a6a6a6a6a6a6a6'],
      ['id-aes256-wrap-pad', 'a65959a6'],
    ] as const)
      try {
        const decipher = createDecipheriv(cipher, kek, Buffer.from(iv, 'hex'))
        return Buffer.concat([decipher.update(blob), decipher.final()])
      } catch {
        // Under another key, or wrapped in the other way.
      }
  return undefined
}

const versions = () =>
  appliance.store.query<Record<string, string>>(
    `SELECT v.blob, v.backup_blob, k.name, k.identity, a.identity AS vault, a.key_id FROM key_versions v
     JOIN transparent_keys k ON k.id = v.key_id JOIN vaults a ON a.id = k.vault_id`,
    [],
  )

/** The keys of all vaults that the attacker reads in the database, with the PIN. */
async function readable(): Promise<string[]> {
  return (await versions()).flatMap(
    ({ blob = '', backup_blob = '', name = '', identity = '', vault = '', key_id = '' }) =>
      Object.entries({ 'key version': blob, backup: backup_blob }).flatMap(([content, outer]) => {
        const aad = encodeRecord([content, Buffer.from(identity, 'base64'), Buffer.from(vault, 'hex')])
        const inner = openByVaultKey(appliance.token, Buffer.from(key_id, 'hex'), Buffer.from(outer, 'base64'), aad)
        return unwrapped(inner) === undefined ? [] : [`${name}: ${content}`]
      }),
  )
}

/** Whether the attacker could have made the seal of a new user by himself. */
async function sealsAlone(): Promise<boolean> {
  const { record, seal } = sealedUser(await accountRow(appliance, await appliance.addUser()))
  return createHmac('sha256', known['seal'] ?? '')
    .update(record)
    .digest()
    .equals(seal)
}

/** Makes a pair like that of the next audit key, whose private half the attacker can read. */
function plantAuditPair(label: string): void {
  const common: Template = [
    { type: pkcs11.CKA_TOKEN, value: true },
    { type: pkcs11.CKA_LABEL, value: label },
    { type: pkcs11.CKA_ID, value: Buffer.from(label) },
  ]
  withPin(appliance.token, ({ lib, session }) =>
    lib.C_GenerateKeyPair(
      session,
      { mechanism: pkcs11.CKM_EC_KEY_PAIR_GEN },
      [...common, { type: pkcs11.CKA_EC_PARAMS, value: p256 }, { type: pkcs11.CKA_VERIFY, value: true }],
      [...common, { type: pkcs11.CKA_SENSITIVE, value: false }, { type: pkcs11.CKA_SIGN, value: true }],
    ),
  )
}

describe('root keys that an attacker with the PIN has made', () => {
  it('wrap no new key, and no backup of one', async () => {
    const vault = await makeVault(appliance)
    for (const type of ['aes256-gcm96', 'hmac-sha256'])
      await vault.admin.must('POST', `/transparent/${vault.id}/keys/${type}`, { type, allow_backup: true })
    await vault.admin.must('POST', `/transparent/${vault.id}/keys/out`, { type: 'aes256-gcm96', allow_export: true })
    expect(await readable()).toEqual([])
  })

  it('seal nothing', async () => {
    expect(await sealsAlone()).toBe(false)
  })

  it('make no check of a pass phrase', async () => {
    const { passphraseCheck } = await accountRow(appliance, await appliance.addUser())
    // It begins with the version of the pepper that made it, unless that is the first.
    expect(passphraseCheck.readUInt32BE()).not.toBe(2)
  })

  it('are named by doctor', async () => {
    const { stdout } = await strongroom(appliance.configFile, ['doctor'])
    for (const role of ['kek.strict', 'kek.exportable', 'seal', 'pepper'])
      expect(stdout).toContain(`strongroom.${role}.v2 was made outside Strongroom`)
    expect(stdout).toMatch(/strongroom\.kek\.backup\.v\d+ was made outside Strongroom/)
  })

  it('are older than the version that a rotation makes', async () => {
    const before = withPin(appliance.token, ({ objects }) => objects.map(({ label }) => label))
    expect(before).toContain('strongroom.kek.strict.v2')
    const rotated = await strongroom(appliance.configFile, [
      'root-keys',
      'rotate',
      'kek.exportable',
      '--destroy-unused',
      '--yes',
    ])
    expect(rotated).toMatchObject({ status: 0, stderr: '' })
    expect(rotated.stdout).toContain('made       strongroom.kek.exportable.v3')
    expect((await strongroom(appliance.configFile, ['root-keys', 'rotate', 'seal'])).status).toBe(0)
    const { stdout } = await strongroom(appliance.configFile, ['root-keys', 'rotate', 'audit'])
    expect(stdout).toContain('made       strongroom.audit.v3')
    const labels = withPin(appliance.token, ({ objects }) => objects.map(({ label }) => label))
    expect(labels.filter((label) => /^strongroom\.(kek\.exportable|seal)\./.test(label)).toSorted()).toEqual([
      'strongroom.kek.exportable.v3',
      'strongroom.seal.v1',
      'strongroom.seal.v2',
      'strongroom.seal.v3',
    ])
    expect(await sealsAlone()).toBe(false)
    expect(await readable()).toEqual([])
  })
})

it('keys of a vault that the attacker has made beside its own encrypt nothing', async () => {
  const vault = await makeVault(appliance)
  const [row] = await appliance.store.query<{ key_id: string }>('SELECT key_id FROM vaults WHERE id = $1', [vault.id])
  const id = Buffer.from(row?.key_id ?? '', 'hex')
  // Of several, so that the host is likely to find one of them first.
  const values = Array.from({ length: 12 }, () =>
    planted('strongroom.vault', id, pkcs11.CKK_AES, ['ENCRYPT', 'DECRYPT']),
  )
  await appliance.restart()
  const { status } = await vault.admin.post(`/transparent/${vault.id}/keys/beside`, { type: 'aes256-gcm96' })
  const beside = (await versions()).filter(({ name }) => name === 'beside')
  const opened = beside.filter(({ blob = '', identity = '', vault: of = '' }) =>
    values.some((value) => {
      const bytes = Buffer.from(blob, 'base64')
      const decipher = createDecipheriv('aes-256-gcm', value, bytes.subarray(0, 12))
      decipher.setAAD(encodeRecord(['key version', Buffer.from(identity, 'base64'), Buffer.from(of, 'hex')]))
      decipher.setAuthTag(bytes.subarray(-16))
      decipher.update(bytes.subarray(12, -16))
      try {
        decipher.final()
        return true
      } catch {
        return false
      }
    }),
  )
  expect([opened, status < 400]).toEqual([[], false])
})
