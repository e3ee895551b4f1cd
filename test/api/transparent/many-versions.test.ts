import { afterEach, beforeAll, expect, it, vi } from 'vitest'
import { applianceForTests, vaultForTests } from '../../support/for-tests.ts'
import type { Commit } from '../../../src/store/store.ts'
import { grantIn } from '../../support/grant-kit.ts'
import { storedKey } from '../../support/stored-keys.ts'
import { readKey } from './key-kit.ts'

const versions = 40

const appliance = applianceForTests()
const vault = vaultForTests(appliance)
let vaultId: number
let backup: Buffer

beforeAll(async () => {
  vaultId = Number(vault.id)
  await vault.admin.must('POST', `/transparent/${vault.id}/keys/many`)
  for (let made = 1; made < versions; made++)
    await vault.admin.must('POST', `/transparent/${vault.id}/keys/many/rotate`)
  const { KEYS } = await vault.admin.must('GET', `/transparent/backup/${vault.id}/many`)
  backup = Buffer.from((KEYS as { backup: string }).backup, 'base64')
})
afterEach(() => vi.restoreAllMocks())

const by = { grant: () => grantIn(appliance, vaultId) }

/** Commits like the operator, and counts the seals that the keeper makes meanwhile, during which all writers wait. */
function watchedCommit(): { readonly commit: Commit; readonly sealed: () => number } {
  const { hsm } = appliance
  let isOpen = false
  let sealed = 0
  for (const call of ['seal', 'sealFirstCount'] as const) {
    const original = hsm[call].bind(hsm) as (...given: unknown[]) => Promise<never>
    vi.spyOn(hsm, call).mockImplementation((...given: unknown[]) => {
      if (isOpen) sealed += 1
      return original(...given)
    })
  }
  const commit: Commit = (work, options) =>
    appliance.commit(async (tx) => {
      isOpen = true
      try {
        return await work(tx)
      } finally {
        isOpen = false
      }
    }, options)
  return { commit, sealed: () => sealed }
}

it('a restore has all versions sealed before its transaction', async () => {
  const { commit, sealed } = watchedCommit()
  const restoration = {
    vaultId,
    name: 'again',
    stored: undefined,
    backup,
    userId: 0,
    noteOrigin: () => undefined,
    grantIn: () => Promise.resolve(undefined),
  }
  await appliance.services.keyBackups.restore(by, { ...restoration, force: false }, commit)
  expect(sealed()).toBe(0)
  expect((await readKey(vault.admin, vault.id, 'again')).VERSIONS).toHaveLength(versions)
})

it('so has the end of backups; the policy is sealed in it, and a version that came meanwhile', async () => {
  const { commit, sealed } = watchedCommit()
  const stored = await storedKey(appliance, vaultId, 'many')
  const rotated = vi.spyOn(appliance.hsm, 'raise')
  const late: Commit = async (work, options) => {
    await vault.admin.must('POST', `/transparent/${vault.id}/keys/many/rotate`)
    return commit(work, options)
  }
  const key = await appliance.services.keyring.update(by, stored, { allowBackup: false }, late)
  expect(key.allowBackup).toBe(0)
  expect(sealed()).toBe(2)
  expect(rotated).toHaveBeenCalledTimes(versions + 2)
  const answer = await vault.admin.call('GET', `/transparent/backup/${vault.id}/many`)
  expect(answer.status).toBe(409)
  const left = await appliance.store.query(
    'SELECT version FROM key_versions WHERE key_id = $1 AND backup_blob IS NOT NULL',
    [key.id],
  )
  expect(left).toEqual([])
  expect((await readKey(vault.admin, vault.id, 'many')).VERSIONS).toHaveLength(versions + 1)
})
