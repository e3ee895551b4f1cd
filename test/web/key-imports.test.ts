import { execFileSync } from 'node:child_process'
import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { base64, openIndependently, readKey } from '../api/transparent/key-kit.ts'
import { makeVault, type TestVault } from '../support/vault.ts'
import type { Visit } from './browser-kit.ts'
import { consoleStage } from './console-stage.ts'

const stage = consoleStage()
let vault: TestVault
beforeAll(async () => {
  vault = await makeVault(stage.appliance, 'Payments', stage.stocked.client)
})

const plain = base64('4111 1111 1111 1111')

/** A member who may write and looks at the keys of the vault. */
async function writer(): Promise<Visit> {
  const user = await stage.appliance.addUser()
  await vault.share(String(user.id), 'Write')
  const visit = await stage.visitor()
  await visit.arrive(user)
  await visit.open(`/vault/${vault.id}/keys`)
  await visit.sees('Keys of Payments')
  return visit
}

/** Where the key is that is to come in, beside the audit key that the operator gave. */
function folderWithAuditKey(): string {
  const folder = mkdtempSync(join(tmpdir(), 'import-'))
  const audit = join(stage.appliance.config.audit.directory, 'audit-public.pem')
  writeFileSync(join(folder, 'audit-key.pem'), readFileSync(audit))
  return folder
}

/** As a person's shell would, whose files others may read. */
function run(commands: string, cwd: string): void {
  const lines = `umask 022\n${commands}`
  execFileSync('bash', ['-euo', 'pipefail', '-c', lines], { cwd, stdio: ['ignore', 'pipe', 'pipe'] })
}

describe('keys from outside', () => {
  it.each(['a secret key', 'a pair'])('are imported by the commands that the page shows: %s', async (what) => {
    const isPair = what === 'a pair'
    const name = isPair ? 'brought-pair' : 'brought'
    const folder = folderWithAuditKey()
    const value = randomBytes(32)
    writeFileSync(join(folder, 'key.bin'), value)
    const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    writeFileSync(join(folder, 'key.pem'), pair.privateKey.export({ type: 'pkcs8', format: 'pem' }))

    const visit = await writer()
    const { page } = visit
    await page.getByRole('button', { name: 'Import key' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name', { exact: true }).fill(name)
    await dialog.getByLabel('Purpose').fill(`It's $(touch hit) \`touch hit\` "public_key_der":"AAAA"`)
    if (isPair) await dialog.getByText('Sign', { exact: true }).click()
    await dialog.getByRole('button', { name: 'Prepare import' }).click()
    await page.getByRole('heading', { name: `Import ${name}` }).waitFor()
    for (const title of ['Check the job', 'Wrap the key']) {
      await page.getByRole('button', { name: `Copy: ${title}` }).click()
      await visit.hears(`${title} copied.`)
      run(await visit.clipboard(), folder)
    }
    for (const made of ['statement.json', 'wrapped.bin'])
      expect(statSync(join(folder, made)).mode & 0o777, made).toBe(0o600)
    expect(execFileSync('ls', [folder], { encoding: 'utf8' })).not.toContain('hit')
    const file = (label: RegExp, from: string) => page.getByLabel(label).setInputFiles(join(folder, from))
    await file(/^Wrapped key/, 'wrapped.bin')
    if (isPair) await file(/^Public key of the pair/, 'public.der')
    await page.getByRole('button', { name: 'Complete import' }).click()
    await visit.hears(`Key ${name} imported.`)
    if (isPair) {
      const { VERSIONS } = await readKey(vault.admin, vault.id, name)
      expect(VERSIONS[0]?.['public_key']).toBe(pair.publicKey.export({ type: 'spki', format: 'pem' }))
    } else {
      const ciphertext = await vault.encrypt(name, plain)
      expect(openIndependently('aes256-gcm96', value, ciphertext).toString('base64')).toBe(plain)
    }
  })

  it.each([
    ['of another vault', {}, 'elsewhere'],
    ['with another policy', { allow_export: true, allow_plaintext_export: true }, 'here'],
    ['of another name', {}, 'beside'],
  ])('are not wrapped to a job %s, however good its signature', async (_what, body, where) => {
    const name = `lured-${where}`
    const asked = { type: 'aes256-gcm96', info: '', residency: 'database', allow_backup: true, allow_delete: true }
    const other = where === 'elsewhere' ? await makeVault(stage.appliance, 'Elsewhere', vault.admin) : vault
    const named = where === 'beside' ? 'other' : name
    const forged = await vault.admin.must('POST', `/transparent/import_job/${other.id}/${named}`, { ...asked, ...body })
    const visit = await writer()
    const { page } = visit
    await page.route(/\/import_job\//, (route) =>
      route.fulfill({ json: { ...forged, CALLINFO: { ...forged.CALLINFO, name } } }),
    )
    await page.getByRole('button', { name: 'Import key' }).click()
    await page.getByRole('dialog').getByLabel('Name', { exact: true }).fill(name)
    await page.getByRole('dialog').getByRole('button', { name: 'Prepare import' }).click()
    await page.getByRole('button', { name: 'Copy: Check the job' }).click()
    await visit.hears('Check the job copied.')
    const folder = folderWithAuditKey()
    writeFileSync(join(folder, 'job.pem'), 'of an earlier import')
    const commands = await visit.clipboard()
    expect(() => run(commands, folder)).toThrow('do not wrap a key to it')
    expect(readdirSync(folder)).not.toContain('job.pem')
  })
})
