import { readFileSync, writeFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { TestAppliance } from '../../support/appliance.ts'
import { applianceForTests, vaultForTests } from '../../support/for-tests.ts'
import { strongroom } from '../../support/console-kit.ts'

const base64 = (text: string) => Buffer.from(text).toString('base64')

interface PlannedKey {
  readonly vault: number
  readonly key: string
  readonly type: string
  readonly latestVersion: number
  readonly stays: readonly number[]
  readonly because: object
  readonly steps: readonly {
    readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
    readonly path: string
    readonly body?: Record<string, unknown>
    readonly permission: string
  }[]
}

describe('strongroom transparent rewrap-plan', () => {
  const appliance = applianceForTests(() => TestAppliance.own({ hsm: { deadlineMs: 2_000 } }))
  const vault = vaultForTests(appliance, 'Payments')
  const ciphertexts: Record<string, string[]> = {}

  const made = {
    locked: { type: 'aes256-gcm96', allow_backup: false },
    exportable: { type: 'aes256-gcm96', allow_export: true, allow_backup: false },
    resident: { type: 'aes256-gcm96', residency: 'token', allow_backup: false, allow_delete: false },
    signer: { type: 'ecdsa-p256', allow_backup: false },
    mac: { type: 'hmac-sha256', residency: 'token', allow_backup: false, allow_delete: true },
    gone: { type: 'aes256-gcm96', allow_backup: false, allow_delete: true },
  } as const

  beforeAll(async () => {
    for (const [name, body] of Object.entries(made)) {
      const path = `/transparent/${vault.id}/keys/${name}`
      await vault.admin.must('POST', path, body)
      if (body.type !== 'aes256-gcm96') continue
      const first = await vault.encrypt(name, base64(`${name} 1`))
      await vault.admin.must('POST', `${path}/rotate`)
      ciphertexts[name] = [first, await vault.encrypt(name, base64(`${name} 2`))]
    }
    await vault.admin.must('DELETE', `/transparent/${vault.id}/keys/gone`)
  })

  const run = (...args: string[]) => strongroom(appliance.configFile, args)
  const plan = async (): Promise<{ rootKeysToRotate: string[]; keys: PlannedKey[] }> => {
    const { status, stdout, stderr } = await run('--json', 'transparent', 'rewrap-plan', '--vault', vault.id)
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    return JSON.parse(stdout)
  }
  const named = ({ keys }: { readonly keys: readonly PlannedKey[] }, name: string): PlannedKey => {
    const [found] = keys.filter(({ key }) => key === name)
    if (found === undefined) throw new Error(`the plan has no ${name}`)
    return found
  }
  const callsOf = ({ steps }: PlannedKey) =>
    steps.map(({ method, path, permission }) => `${permission} ${method} ${path}`)

  it('lists by vault and key what cannot leave, why, and the calls in their order', async () => {
    const { rootKeysToRotate, keys } = await plan()
    expect(rootKeysToRotate).toEqual(['kek.exportable', 'kek.strict'])
    expect(keys.map(({ key, stays, because }) => ({ key, stays, because }))).toEqual([
      { key: 'exportable', stays: [1, 2], because: { locked: 'strongroom.kek.exportable.v1' } },
      { key: 'gone', stays: [1, 2], because: { locked: 'strongroom.kek.strict.v1' } },
      { key: 'locked', stays: [1, 2], because: { locked: 'strongroom.kek.strict.v1' } },
      { key: 'mac', stays: [1], because: { residency: 'token' } },
      { key: 'resident', stays: [1, 2], because: { residency: 'token' } },
      { key: 'signer', stays: [1], because: { locked: 'strongroom.kek.strict.v1' } },
    ])
    const at = `/transparent/${vault.id}`
    expect(callsOf(named({ keys }, 'locked'))).toEqual([
      `Write POST ${at}/keys/locked/rotate`,
      `Read POST /transparent/rewrap/${vault.id}/locked`,
      `Write PUT ${at}/keys/locked`,
      `Admin POST ${at}/keys/locked/trim`,
    ])
    expect(callsOf(named({ keys }, 'resident'))).toEqual([
      `Write POST ${at}/keys/resident.moved`,
      `Read POST ${at}/decrypt/resident`,
      `Read POST ${at}/encrypt/resident.moved`,
      `Write PUT ${at}/keys/resident`,
      `Admin DELETE ${at}/keys/resident`,
    ])
    expect(callsOf(named({ keys }, 'gone'))).toEqual([`Admin POST ${at}/keys/gone/undelete`])

    const { stdout } = await run('transparent', 'rewrap-plan')
    expect(stdout).toMatch(
      /^ {2}\d+ +locked +aes256-gcm96 +2 +1 to 2 +strongroom\.kek\.strict\.v1 is locked +rotate, rewrap, trim to 3$/m,
    )
    expect(stdout).toMatch(/^ {2}\d+ +mac +hmac-sha256 +1 +1 +residency "token" +make another, encrypt again, delete$/m)
    expect(stdout).toMatch(/hsm\.movable to true, restart, then\n {2}strongroom root-keys rotate kek\.exportable\n/)
    expect(stdout).toContain(`\n${vault.id} Payments, locked\n  1.  Write  POST ${at}/keys/locked/rotate\n`)
  })

  it('refuses what is no vault', async () => {
    expect(await run('transparent', 'rewrap-plan', '--vault', 'Payments')).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('strongroom vault list'),
    })
  })

  it('leaves nothing to do once its calls were made as they stand there, and everything is still readable', async () => {
    const config = JSON.parse(readFileSync(appliance.configFile, 'utf8'))
    writeFileSync(appliance.configFile, JSON.stringify({ ...config, hsm: { ...config.hsm, movable: true } }))
    await appliance.restart()
    for (const name of (await plan()).rootKeysToRotate)
      expect(await run('root-keys', 'rotate', name)).toMatchObject({ status: 0 })
    const { rootKeysToRotate, keys } = await plan()
    expect(rootKeysToRotate).toEqual([])
    // Exportable keys leave their KEK, and the rotation has wrapped them again.
    expect(keys.map(({ key }) => key)).toEqual(['gone', 'locked', 'mac', 'resident', 'signer'])
    const { admin } = vault
    for (const { key, steps } of keys.filter((one) => one.key !== 'gone')) {
      let items = ciphertexts[key] ?? []
      let plain: string[] = []
      for (const { method, path, body } of steps) {
        const sent = filled(body, { items, plain })
        const { CALLINFO } = await admin.must(method, path, sent)
        const results = (CALLINFO['batch_results'] ?? []) as { plaintext?: string; ciphertext?: string }[]
        if (path.includes('/decrypt/')) plain = results.map(({ plaintext = '' }) => plaintext)
        else if (results.length > 0) items = results.map(({ ciphertext = '' }) => ciphertext)
      }
      ciphertexts[key] = items
    }
    for (const [key, name] of [
      ['locked', 'locked'],
      ['resident', 'resident.moved'],
    ] as const)
      expect(await Promise.all((ciphertexts[key] ?? []).map((one) => vault.decrypt(name, one)))).toEqual([
        base64(`${key} 1`),
        base64(`${key} 2`),
      ])
    // Deleted keys end by themselves.
    expect((await plan()).keys.map(({ key, steps }) => `${key} ${steps.length}`)).toEqual([
      'gone 1',
      'mac 1',
      'resident 1',
    ])
  })
})

/** A body of the plan, with real values in place of its examples. */
function filled(
  body: Record<string, unknown> | undefined,
  { items, plain }: { readonly items: readonly string[]; readonly plain: readonly string[] },
): Record<string, unknown> | undefined {
  if (body === undefined) return undefined
  if ('input' in body) return { input: base64('a message') }
  const [example] = (body['batch_input'] ?? []) as Record<string, unknown>[]
  if (example === undefined) return body
  return {
    batch_input:
      'plaintext' in example ? plain.map((plaintext) => ({ plaintext })) : items.map((ciphertext) => ({ ciphertext })),
  }
}
