import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addUser, makePremises, strongroom, type Premises } from '../../support/console-kit.ts'

let premises: Premises

beforeAll(async () => {
  premises = await makePremises()
  await premises.ask(['init'])
  await addUser(premises, 'alice')
  await premises.ask(['apikey', 'create', 'payroll'])
})
afterAll(() => premises.cleanup())

/** Copies the trail. The configuration names the copy from now on. */
function givenCopy(): { directory: string; chain: string } {
  const directory = mkdtempSync(join(tmpdir(), 'strongroom-copy-'))
  cpSync(premises.auditDirectory, directory, { recursive: true })
  premises.configure({ audit: { directory } })
  return { directory, chain: join(directory, 'console.000001.jsonl') }
}

describe('strongroom audit verify', () => {
  it('finds nothing in a trail as it was written', async () => {
    givenCopy()
    const report = await premises.ask(['audit', 'verify'])
    expect(report).toMatchObject({ sound: true, heads: true, chains: [{ chain: 'console', records: 3, unsealed: 0 }] })
    expect((await premises.run(['audit', 'verify'])).stdout).toContain('Nothing was changed, removed or added.')
  })

  it('finds a changed record, names the place, and exits with 1', async () => {
    const { chain } = givenCopy()
    writeFileSync(chain, readFileSync(chain, 'utf8').replace('user alice', 'user malic'))
    const { status, stdout } = await premises.run(['audit', 'verify'])
    expect(status).toBe(1)
    expect(stdout).toMatch(/^changed: console\.000001\.jsonl, line \d+$/m)
    expect(JSON.parse((await premises.run(['--json', 'audit', 'verify'])).stdout).sound).toBe(false)
  })

  it('finds by the database that the end was cut off, and that all of it is gone', async () => {
    const { chain } = givenCopy()
    writeFileSync(chain, `${readFileSync(chain, 'utf8').split('\n').slice(0, 4).join('\n')}\n`)
    expect(await premises.run(['audit', 'verify'])).toMatchObject({
      status: 1,
      stdout: expect.stringContaining('truncated'),
    })
    rmSync(chain)
    expect(await premises.run(['audit', 'verify'])).toMatchObject({
      status: 1,
      stdout: expect.stringContaining('missing chain'),
    })
  })

  it('needs nothing of the appliance but a copy and the public key', async () => {
    const { directory, chain } = givenCopy()
    const args = ['audit', 'verify', '--directory', directory, '--public-key']
    expect((await strongroom('/nowhere.json', [...args, join(directory, 'audit-public.pem')])).status).toBe(0)
    expect((await strongroom('/nowhere.json', args.slice(0, -1))).status).toBe(2)
    expect((await strongroom('/nowhere.json', [...args, chain])).status).toBe(2)
  })

  it('says nothing of a folder without a trail', async () => {
    const { directory } = givenCopy()
    const key = join(directory, 'audit-public.pem')
    const empty = join(directory, 'empty')
    mkdirSync(empty)
    for (const folder of [empty, key])
      expect(
        await strongroom('/nowhere.json', ['audit', 'verify', '--directory', folder, '--public-key', key]),
      ).toMatchObject({ status: 2, stdout: '', stderr: expect.stringContaining(`${folder} holds no audit trail`) })
  })

  it('names a bundle that is missing, and refuses an option that it would not use', async () => {
    const { directory } = givenCopy()
    const key = ['--public-key', join(directory, 'audit-public.pem')]
    const missing = join(directory, 'missing.bundle')
    expect(await strongroom('/nowhere.json', ['audit', 'verify', '--archive', missing, ...key])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining(`${missing} does not exist`),
    })
    const unused = ['audit', 'verify', '--directory', directory, '--witness-ca', missing, ...key]
    expect(await strongroom('/nowhere.json', unused)).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('--witness-ca needs --witness'),
    })
  })

  it('does not take another key for the right one', async () => {
    const { directory } = givenCopy()
    const key = join(directory, 'another.pem')
    const make = 'openssl ecparam -name prime256v1 -genkey -noout | openssl ec -pubout -out "$0" 2>/dev/null'
    execFileSync('sh', ['-c', make, key])
    const { status, stdout } = await premises.run(['audit', 'verify', '--public-key', key])
    expect(status).toBe(1)
    expect(stdout).toContain('bad signature')
  })
})
