import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { TestAppliance } from '../../support/appliance.ts'
import { expectFault } from '../../support/client.ts'
import { makeVault, type TestVault } from '../../support/vault.ts'
import { readKey } from './key-kit.ts'

/**
 * Largest body in which the session token may have any place. In a larger one it has to come first (`body-limits.ts`).
 */
const unidentifiedBytes = 64 * 1024
const maxBodyBytes = 70_000

let appliance: TestAppliance
let vault: TestVault

beforeAll(async () => {
  appliance = await TestAppliance.own({
    http: { maxBodyBytes },
    quotas: { keysPerMinute: 10_000, rsaKeysPerMinute: 10_000 },
  })
  vault = await makeVault(appliance)
  await vault.admin.must('POST', `/transparent/${vault.id}/keys/long`, { type: 'rsa-2048' })
}, 120_000)
afterAll(() => appliance.close())

async function backedUp(atLeast: number): Promise<{ readonly backup: string; readonly general: unknown[] }> {
  for (;;) {
    const { KEYS, CALLINFO } = await vault.admin.must('GET', `/transparent/backup/${vault.id}/long`)
    const { backup } = KEYS as { backup: string }
    if (backup.length > atLeast) return { backup, general: CALLINFO.general }
    await vault.admin.must('POST', `/transparent/${vault.id}/keys/long/rotate`)
  }
}

const restore = (name: string, raw: string) =>
  vault.admin.call('POST', `/transparent/restore/${vault.id}/${name}`, { raw, token: null })

describe('the backup of a key with many versions', () => {
  it('is restored with the session token in the body, where it stands before the backup', async () => {
    const { backup, general } = await backedUp(unidentifiedBytes)
    expect(general).toEqual([])
    const { token } = vault.admin
    for (const [name, body] of [
      ['first', { token, backup }],
      ['second', { force: false, token, backup }],
      [
        'third',
        { note: 'a word, "quoted"'.replaceAll('"', "'"), more: 1.5e3, none: null, token, force: 'false', backup },
      ],
    ] as const) {
      const { status, json } = await restore(name, JSON.stringify(body, undefined, name === 'second' ? 2 : undefined))
      expect([status, json.ERRORS, json.CALLINFO.token]).toEqual([200, undefined, token])
      expect(json.DATA).toEqual(JSON.parse(JSON.stringify(body)))
      expect((await readKey(vault.admin, vault.id, name)).VERSIONS.length).toBeGreaterThan(20)
    }
  }, 120_000)

  it('is refused where the token stands behind it, by a sentence that says where the token belongs', async () => {
    const { backup } = await backedUp(unidentifiedBytes)
    const answer = await restore('behind', JSON.stringify({ backup, token: vault.admin.token }))
    expectFault(answer, 413, 1803)
    expect(answer.json.ERRORS?.[0]).toMatch(/session token .*before .*, or .*header X-Http-Token/)
  })

  it('is refused for a token that is none, and for one that is there twice', async () => {
    const { backup } = await backedUp(unidentifiedBytes)
    const none = 'x'.repeat(42)
    expectFault(await restore('none', JSON.stringify({ token: none, backup })), 403, 1200)
    const twice = `{"token":"${vault.admin.token}","token":"${vault.admin.token}","backup":"${backup}"}`
    expectFault(await restore('none', twice), 400, 1800)
    const escaped = `{"token":"${vault.admin.token}","t\\u006fken":"${none}","backup":"${backup}"}`
    expectFault(await restore('none', escaped), 400, 1800)
  })

  it('says so where the appliance would not take it back, and names the setting', async () => {
    const { backup, general } = await backedUp(maxBodyBytes)
    expect(general).toEqual([expect.stringMatching(/http\.maxBodyBytes/)])
    const answer = await vault.admin.post(`/transparent/restore/${vault.id}/large`, { backup })
    expectFault(answer, 413, 1803)
    expect(answer.json.ERRORS?.[0]).toContain('http.maxBodyBytes')
  }, 120_000)
})
