import { describe, expect, it } from 'vitest'
import { TestAppliance, twoWorkers } from '../support/appliance.ts'
import { applianceForTests, vaultForTests } from '../support/for-tests.ts'
import { strongroom } from '../support/console-kit.ts'
import { inDatabase, putRows, readDatabase, rowsOf, type Row } from '../support/database-owner.ts'
import { verdict } from '../support/fault-kit.ts'
import { makeVault } from '../support/vault.ts'

// The attacker has an earlier copy of the database and writes its rows over present ones: every row has a valid seal.

type Copy = ReadonlyMap<string, readonly Row[]>

const tables = ['vaults', 'vault_members', 'transparent_keys', 'key_versions'] as const
const windowMs = 1_000
// A lease for each encryption, so that each one reads the count.
const appliance = applianceForTests(() =>
  TestAppliance.own({
    ...twoWorkers,
    transparent: { recoveryWindowMs: windowMs, invocationLease: 1 },
  }),
)
const vault = vaultForTests(appliance)

const copied = (): Copy =>
  readDatabase(appliance, (connection) => new Map(tables.map((table) => [table, rowsOf(connection, table)])))

function putBack(copy: Copy, table: (typeof tables)[number], which: (row: Row) => boolean): void {
  inDatabase(appliance, (connection) => putRows(connection, table, (copy.get(table) ?? []).filter(which)))
}

/** Makes one call on each of many connections, so that both workers and both hosts take part. */
async function everywhere(call: () => Promise<{ readonly json: { readonly CALLINFO: Row } }>): Promise<Set<unknown>> {
  const answers = []
  for (let calls = 0; calls < 12; calls++) answers.push(await call())
  return new Set(answers.map(({ json }) => json.CALLINFO['status']))
}

const refusedEverywhere = new Set(['FAIL'])

const decrypting = (id: string, name: string, ciphertext: string) => () =>
  vault.admin.call('POST', `/transparent/${id}/decrypt/${name}`, { body: { ciphertext } })

describe('a deleted vault out of the copy', () => {
  it('has no keys that work, in no host, also after a restart', async () => {
    const { VAULT } = await vault.admin.must('POST', '/vault', { vaultname: 'Doomed' })
    const [{ id }] = VAULT as [{ id: string }]
    const { CALLINFO } = await vault.admin.must('POST', `/transparent/${id}/encrypt/secret`, { plaintext: 'AAAA' })
    const ciphertext = String(CALLINFO['ciphertext'])
    const decrypt = decrypting(id, 'secret', ciphertext)
    expect(await everywhere(decrypt)).toEqual(new Set(['SUCCESS']))
    const copy = copied()

    await vault.admin.must('DELETE', `/transparent/${id}/keys/secret`)
    await destroyedAfterItsTime()
    await vault.admin.must('DELETE', `/vault/${id}`)
    const isOf = (row: Row) => String(row['vault_id'] ?? row['id']) === id
    const keys = (copy.get('transparent_keys') ?? []).filter(isOf).map((row) => row['id'])
    putBack(copy, 'vaults', isOf)
    putBack(copy, 'vault_members', isOf)
    putBack(copy, 'transparent_keys', isOf)
    putBack(copy, 'key_versions', (row) => keys.includes(row['key_id']))

    expect(await everywhere(decrypt)).toEqual(refusedEverywhere)
    await appliance.restart()
    expect(await everywhere(decrypt)).toEqual(refusedEverywhere)
  })
})

it('a deleted vault out of the copy gets no key by a grant of before, and the operator hears of each attempt', async () => {
  const doomed = await makeVault(appliance, 'Doomed')
  const creating = () => doomed.admin.call('POST', `/transparent/${doomed.id}/keys/late`, { body: {} })
  await everywhere(() => doomed.admin.call('GET', `/vault/${doomed.id}`))
  const copy = copied()
  await doomed.admin.must('DELETE', `/vault/${doomed.id}`)
  const isOf = (row: Row) => String(row['vault_id'] ?? row['id']) === doomed.id
  putBack(copy, 'vaults', isOf)
  putBack(copy, 'vault_members', isOf)
  for (let calls = 0; calls < 12; calls++) {
    const answer = await creating()
    expect(verdict(answer)).toBe('503 1911')
    await expect.poll(() => appliance.journal).toContain(answer.headers['x-request-id'])
  }
})

async function idOf(name: string): Promise<number> {
  const [row] = await appliance.store.query<{ id: number }>('SELECT id FROM transparent_keys WHERE name = $1', [name])
  return Number(row?.id)
}

describe('a key that was destroyed, out of the copy', () => {
  const putKeyBack = (copy: Copy, id: number) => {
    putBack(copy, 'transparent_keys', (row) => row['id'] === id)
    putBack(copy, 'key_versions', (row) => row['key_id'] === id)
  }

  it('is not taken back, in no host, also after a restart', async () => {
    const decrypt = decrypting(vault.id, 'ended', await vault.encrypt('ended', 'AAAA'))
    const id = await idOf('ended')
    await vault.admin.must('DELETE', vault.keyPath('ended'))
    const copy = copied()
    await destroyedAfterItsTime()
    putKeyBack(copy, id)
    const takingBack = () => vault.admin.call('POST', `${vault.keyPath('ended')}/undelete`)
    for (const attempt of [takingBack, decrypt]) expect(await everywhere(attempt)).toEqual(refusedEverywhere)
    await appliance.restart()
    for (const attempt of [takingBack, decrypt]) expect(await everywhere(attempt)).toEqual(refusedEverywhere)
  })

  it('does not serve once a backup has taken its place', async () => {
    const decrypt = decrypting(vault.id, 'replaced', await vault.encrypt('replaced', 'AAAA'))
    const other = await vault.encrypt('another', 'AAAA')
    const { KEYS } = await vault.admin.must('GET', `/transparent/backup/${vault.id}/another`)
    const body = { backup: (KEYS as { backup: string }).backup, force: true }
    const [id, copy] = [await idOf('replaced'), copied()]
    await vault.admin.must('POST', `/transparent/restore/${vault.id}/replaced`, body)
    expect(await everywhere(decrypting(vault.id, 'replaced', other))).toEqual(new Set(['SUCCESS']))
    putKeyBack(copy, id)
    expect(await everywhere(decrypt)).toEqual(refusedEverywhere)
    await appliance.restart()
    expect(await everywhere(decrypt)).toEqual(refusedEverywhere)
  })
})

describe('an older row of a key', () => {
  it('does not let a disabled version decrypt, in no host, also after a restart', async () => {
    const ciphertext = await vault.encrypt('retired', 'AAAA')
    const id = await idOf('retired')
    const copy = copied()
    await vault.admin.must('PUT', `${vault.keyPath('retired')}/versions/1`, { enabled: false })
    putBack(copy, 'key_versions', (row) => row['key_id'] === id)
    const decrypt = decrypting(vault.id, 'retired', ciphertext)
    expect(await everywhere(decrypt)).toEqual(refusedEverywhere)
    await appliance.restart()
    expect(await everywhere(decrypt)).toEqual(refusedEverywhere)
  })

  it('does not allow an export that was forbidden', async () => {
    await vault.admin.must('POST', vault.keyPath('exported'), {
      type: 'aes256-gcm96',
      allow_export: true,
      allow_plaintext_export: true,
    })
    const copy = copied()
    const exporting = () => vault.admin.call('GET', `/transparent/export/${vault.id}/exported`)
    expect(await everywhere(exporting)).toEqual(new Set(['SUCCESS']))
    await vault.admin.must('PUT', vault.keyPath('exported'), { allow_export: false })
    putBack(copy, 'transparent_keys', ({ name }) => name === 'exported')
    expect(await everywhere(exporting)).toEqual(refusedEverywhere)
    await appliance.restart()
    expect(await everywhere(exporting)).toEqual(refusedEverywhere)
  })

  it('is changed no more: no rotation makes what it allowed good', async () => {
    const flags = { type: 'aes256-gcm96', allow_export: true, allow_plaintext_export: true }
    await vault.admin.must('POST', vault.keyPath('walled'), flags)
    const copy = copied()
    await vault.admin.must('PUT', vault.keyPath('walled'), { allow_export: false })
    putBack(copy, 'transparent_keys', ({ name }) => name === 'walled')
    const rotating = () => vault.admin.call('POST', `${vault.keyPath('walled')}/rotate`)
    expect(await everywhere(rotating)).toEqual(refusedEverywhere)
    await appliance.restart()
    expect(await everywhere(rotating)).toEqual(refusedEverywhere)
  })

  it('from before the key was wrapped again is not used', async () => {
    const flags = { type: 'aes256-gcm96', allow_export: true, allow_plaintext_export: true }
    await vault.admin.must('POST', vault.keyPath('rewrapped'), flags)
    const decrypt = decrypting(vault.id, 'rewrapped', await vault.encrypt('rewrapped', 'AAAA'))
    const id = await idOf('rewrapped')
    const copy = copied()
    const rotation = await strongroom(appliance.configFile, ['root-keys', 'rotate', 'kek.exportable', '--yes'])
    expect(rotation).toMatchObject({ status: 0 })
    expect(await everywhere(decrypt)).toEqual(new Set(['SUCCESS']))
    putBack(copy, 'key_versions', (row) => row['key_id'] === id)
    expect(await everywhere(decrypt)).toEqual(refusedEverywhere)
  })

  it('does not turn back how often a version has encrypted', async () => {
    await vault.encrypt('counted', 'AAAA')
    const id = await idOf('counted')
    const copy = copied()
    for (let more = 0; more < 4; more++) await vault.encrypt('counted', 'AAAA')
    putBack(copy, 'key_versions', (row) => row['key_id'] === id)
    const encrypting = () =>
      vault.admin.call('POST', `/transparent/${vault.id}/encrypt/counted`, { body: { plaintext: 'AAAA' } })
    expect(await everywhere(encrypting)).toEqual(refusedEverywhere)
    // Nor for the key that is restored by a backup.
    const backingUp = () => vault.admin.call('GET', `/transparent/backup/${vault.id}/counted`)
    expect(await everywhere(backingUp)).toEqual(refusedEverywhere)
    await appliance.restart()
    expect(await everywhere(encrypting)).toEqual(refusedEverywhere)
  })
})

/** Waits until the deleted object or key is destroyed at the end of its time. */
async function destroyedAfterItsTime(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, windowMs + 50))
  expect(await appliance.services.keyDeletion.destroyExpired()).not.toEqual([])
}
