import { generateKeyPairSync } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Download } from 'playwright-core'
import { beforeAll, describe, expect, it } from 'vitest'
import { base64, openIndependently, readKey } from '../api/transparent/key-kit.ts'
import { rsaAesUnwrap } from '../support/rsa-aes-wrap.ts'
import { makeVault, type TestVault } from '../support/vault.ts'
import type { Visit, VisitOptions } from './browser-kit.ts'
import { consoleStage } from './console-stage.ts'
import { hostileTexts } from './hostile-corpus.ts'
import { looks } from './looks.ts'

const stage = consoleStage()
let vault: TestVault
beforeAll(async () => {
  vault = await makeVault(stage.appliance, 'Payments', stage.stocked.client)
})

const path = (name: string): string => `/transparent/${vault.id}/keys/${name}`
const make = (name: string, body: object = {}) => vault.admin.must('POST', path(name), body)
const plain = base64('4111 1111 1111 1111')

/** A new person with this permission in the vault, who has logged in and looks at its keys. */
async function person(permission: 'Read' | 'Write' | 'Admin', options?: VisitOptions): Promise<Visit> {
  const user = await stage.appliance.addUser()
  await vault.share(String(user.id), permission)
  const visit = await stage.visitor(options)
  await visit.arrive(user)
  await visit.open(`/vault/${vault.id}/keys`)
  await visit.sees('Keys of Payments')
  return visit
}

async function openKey(visit: Visit, name: string): Promise<void> {
  await visit.open(`/vault/${vault.id}/keys/${name}`)
  await visit.sees(name)
}

interface Confirmed {
  readonly answer?: string
  readonly told?: string
}

/** Presses the button of the view, and then that of the question, which says this. */
async function confirm(visit: Visit, button: string, says: RegExp, confirmed: Confirmed = {}): Promise<void> {
  await visit.page.getByRole('button', { name: button, exact: true }).click()
  const dialog = visit.page.getByRole('dialog')
  await dialog.getByText(says).waitFor()
  const { answer = button, told } = confirmed
  await dialog.getByRole('button', { name: answer, exact: true }).click()
  if (told !== undefined) await visit.hears(told)
  await dialog.waitFor({ state: 'detached' })
}

async function saved(visit: Visit, act: () => Promise<void>): Promise<{ name: string; content: Buffer }> {
  const saving: Promise<Download> = visit.page.waitForEvent('download')
  await act()
  const download = await saving
  return { name: download.suggestedFilename(), content: readFileSync(await download.path()) }
}

describe('the keys of a vault', () => {
  it('are reached from the vault, listed, and made as a person describes them', async () => {
    const visit = await person('Admin')
    const { page } = visit
    await visit.open(`/vault/${vault.id}`)
    await page.getByRole('link', { name: 'Keys', exact: true }).click()
    await visit.sees('Keys of Payments')
    await page.getByRole('button', { name: 'Create key' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Name', { exact: true }).fill('cards 2027')
    await dialog.getByLabel('Purpose').fill('Card numbers')
    await dialog.getByLabel('Export, wrapped with a public key').check()
    await dialog.getByLabel(/^Rotate automatically after/).fill('90')
    await dialog.getByRole('button', { name: 'Create key' }).click()
    await dialog.getByText(/^Use 1 to 128 letters/).waitFor()
    await make('taken')
    await dialog.getByLabel('Name', { exact: true }).fill('taken')
    await dialog.getByRole('button', { name: 'Create key' }).click()
    // Refused by the appliance: what was typed is still there.
    await dialog.getByRole('alert').getByText('(1501)').waitFor()
    expect(await dialog.getByLabel('Purpose').inputValue()).toBe('Card numbers')
    await dialog.getByLabel('Name', { exact: true }).fill('cards')
    await dialog.getByRole('button', { name: 'Create key' }).click()
    await visit.hears('Key cards created.')
    const row = page.getByRole('table').getByRole('row', { name: /cards/ })
    await row.getByText('AES-256-GCM · Card numbers').waitFor()
    expect(await row.locator('.uses').textContent()).toBe('under 1% used')
    expect(await row.locator('.uses').getAttribute('title')).toContain('of 4,294,967,296 encryptions')
    expect((await readKey(vault.admin, vault.id, 'cards')).KEYS[0]).toMatchObject({
      type: 'aes256-gcm96',
      info: 'Card numbers',
      allow_export: 'true',
      allow_plaintext_export: 'false',
      allow_backup: 'true',
      allow_delete: 'true',
      auto_rotate_period: String(90 * 86_400),
    })
    await row.getByRole('link').click()
    await visit.sees('cards')
    expect(await page.title()).toBe('Key · Strongroom')
    await page.getByText('export, backup, deletion').waitFor()
    await page.getByText('every 90 days').waitFor()
    visit.complaints.expect(/status of 409/)
  })

  it('rotate, are changed, limited and trimmed, and a version is disabled', async () => {
    await make('ledger')
    const first = await vault.encrypt('ledger', plain)
    const visit = await person('Admin')
    const { page } = visit
    await openKey(visit, 'ledger')
    const older = /Older versions still decrypt what they encrypted/
    await confirm(visit, 'Rotate', older, { told: 'Version 2 is now the latest.' })
    await confirm(visit, 'Rotate', /from now on/, { told: 'Version 3 is now the latest.' })
    expect(await vault.encrypt('ledger', plain)).toMatch(/^service:v3:/)

    const disabled = { answer: 'Disable', told: 'Version 1 is disabled.' }
    await confirm(visit, 'Disable version 1', /until it is enabled again/, disabled)
    await page.getByText('disabled', { exact: true }).waitFor()
    const decrypt = () => vault.admin.post(`/transparent/${vault.id}/decrypt/ledger`, { ciphertext: first })
    expect((await decrypt()).status).toBe(409)
    await confirm(visit, 'Enable version 1', /can be used again/, { answer: 'Enable', told: 'Version 1 is enabled.' })
    expect((await decrypt()).status).toBe(200)

    await page.getByRole('button', { name: 'Trim versions' }).click()
    await page.getByText('Only versions below both limits can be destroyed.').waitFor()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Close' }).click()
    await page.getByRole('button', { name: 'Limit versions' }).click()
    await page.getByLabel('Oldest version that may encrypt and sign').selectOption('3')
    await page.getByLabel('Oldest version that may decrypt and verify').selectOption('2')
    await page.getByRole('dialog').getByRole('button', { name: 'Limit versions' }).click()
    await visit.hears('Saved.')
    await page.getByText('too old to use').waitFor()
    await page.getByText('only decrypts and verifies').waitFor()
    expect((await decrypt()).status).toBe(400)
    await confirm(visit, 'Trim versions', /lost permanently/, {
      answer: 'Destroy versions',
      told: 'Version 2 is now the oldest.',
    })

    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Purpose').fill('Entries of the ledger')
    await dialog.getByLabel(/^Turn off backup permanently/).check()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })
    await page.getByText('Entries of the ledger').waitFor()
    expect(await page.getByRole('button', { name: 'Back up' }).count()).toBe(0)
    const { KEYS, VERSIONS } = await readKey(vault.admin, vault.id, 'ledger')
    expect(KEYS[0]).toMatchObject({
      oldest_version: '2',
      min_encryption_version: '3',
      min_decryption_version: '2',
      allow_backup: 'false',
      info: 'Entries of the ledger',
    })
    expect(VERSIONS).toHaveLength(2)
  })

  it('and their rules keep what another person changes while one looks at the dialog', async () => {
    await make('abacus', { info: 'Sums' })
    const visit = await person('Admin')
    const { page } = visit
    const dialog = page.getByRole('dialog')
    await openKey(visit, 'abacus')
    await page.getByRole('button', { name: 'Edit', exact: true }).click()
    await vault.admin.must('PUT', path('abacus'), { allow_delete: false, auto_rotate_period: 86_400 })
    await dialog.getByLabel('Purpose').fill('Balances')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await dialog.waitFor({ state: 'detached' })
    expect((await readKey(vault.admin, vault.id, 'abacus')).KEYS[0]).toMatchObject({
      info: 'Balances',
      allow_delete: 'false',
      auto_rotate_period: '86400',
    })

    const other = await makeVault(stage.appliance, 'Sums', stage.stocked.client)
    const settings = `/transparent/${other.id}/settings`
    const user = await stage.appliance.addUser()
    await other.share(String(user.id), 'Admin')
    const second = await stage.visitor()
    await second.arrive(user)
    await second.open(`/vault/${other.id}/keys`)
    await second.page.getByRole('button', { name: 'Rules' }).click()
    await other.admin.must('PUT', settings, { signing_permission: 'Admin', create_on_encrypt: false })
    const rules = second.page.getByRole('dialog')
    await rules.getByLabel(/^Refuse calls with fields/).check()
    await rules.getByRole('button', { name: 'Save' }).click()
    await rules.waitFor({ state: 'detached' })
    expect((await other.admin.must('PUT', settings, {}))['CALLINFO']).toMatchObject({
      signing_permission: 'Admin',
      create_on_encrypt: false,
      strict: true,
    })
  })

  it('are deleted, and taken back within the days that the question names', async () => {
    await make('payroll')
    const ciphertext = await vault.encrypt('payroll', plain)
    const visit = await person('Admin')
    const { page } = visit
    await openKey(visit, 'payroll')
    const days = stage.appliance.config.transparent.recoveryWindowMs / 86_400_000
    await confirm(visit, 'Delete', new RegExp(`within ${days} days`))
    await visit.sees('Keys of Payments')
    expect(await page.getByRole('table').getByText('payroll').count()).toBe(0)
    await page.getByText(new RegExp(`destroyed in ${days - 1} days`)).waitFor()
    expect((await vault.admin.get(path('payroll'))).status).toBe(404)
    await page.getByRole('button', { name: 'Restore payroll' }).click()
    await visit.hears('Key payroll restored.')
    await page.getByRole('table').getByRole('link', { name: 'payroll' }).waitFor()
    expect(await vault.decrypt('payroll', ciphertext)).toBe(plain)
  })

  it('are backed up and restored under another name; an export opens what they encrypted', async () => {
    await make('vendors', { type: 'aes256-gcm96', allow_export: true, allow_plaintext_export: true })
    const ciphertext = await vault.encrypt('vendors', plain)
    const visit = await person('Admin')
    const { page } = visit
    await openKey(visit, 'vendors')
    const backup = await saved(visit, () => confirm(visit, 'Back up', /same backup keys/))
    expect(backup.name).toBe('vendors.backup')
    await visit.open(`/vault/${vault.id}/keys`)
    await page.getByRole('button', { name: 'Restore backup' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Backup file').setInputFiles({ name: backup.name, mimeType: '', buffer: backup.content })
    expect(await dialog.getByLabel('Name', { exact: true }).inputValue()).toBe('vendors')
    await dialog.getByLabel('Name', { exact: true }).fill('vendors-again')
    await dialog.getByRole('button', { name: 'Restore backup' }).click()
    await visit.hears('Key vendors-again restored.')
    expect(await vault.decrypt('vendors-again', ciphertext)).toBe(plain)

    const recipient = generateKeyPairSync('rsa', { modulusLength: 2048 })
    await openKey(visit, 'vendors')
    const wrapped = await saved(visit, async () => {
      await page.getByRole('button', { name: 'Export' }).click()
      await page.getByText('An export cannot be revoked.').waitFor()
      const pem = recipient.publicKey.export({ type: 'spki', format: 'pem' }).toString()
      await page.getByLabel('Public key of the recipient').fill(pem)
      await page.getByRole('dialog').getByRole('button', { name: 'Export' }).click()
    })
    const materialOf = (content: Buffer, member: string): Buffer =>
      Buffer.from((JSON.parse(content.toString()) as Record<string, string>[])[0]?.[member] ?? '', 'base64')
    const material = rsaAesUnwrap(recipient.privateKey, materialOf(wrapped.content, 'wrapped_key'))
    expect(openIndependently('aes256-gcm96', material, ciphertext).toString('base64')).toBe(plain)
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    const open = await saved(visit, async () => {
      await page.getByRole('button', { name: 'Export' }).click()
      await page.getByText('In plaintext', { exact: true }).click()
      await page.getByText(/contains the key in plaintext/).waitFor()
      await page.getByRole('dialog').getByRole('button', { name: 'Export' }).click()
    })
    expect(materialOf(open.content, 'key').equals(material)).toBe(true)
  })

  it('draw of a thousand those that are seen, and are filtered', async () => {
    await make('model')
    const visit = await person('Read')
    const { page } = visit
    const answer = await vault.admin.must('GET', `/transparent/${vault.id}/keys?details=true`)
    const [model] = answer['KEYS'] as Record<string, string>[]
    const many = Array.from({ length: 1_000 }, (_, at) => ({ ...model, name: `key-${String(at).padStart(4, '0')}` }))
    await page.route(/\/transparent\/\d+\/keys\?/, (route) =>
      route.fulfill({ json: { ...answer, KEYS: route.request().url().includes('after=&') ? many : [] } }),
    )
    await page.reload()
    await page.getByText('1,000 keys').waitFor()
    const rows = page.getByRole('table').getByRole('row')
    expect(await rows.count()).toBeLessThan(90)
    // The focus stays where it is, and does not draw the list back to it.
    await page.getByRole('link', { name: 'key-0005' }).focus()
    await page.evaluate(`document.querySelector('[role="table"]').scrollTo({ top: 1e6 })`)
    await page.getByRole('link', { name: 'key-0999' }).waitFor()
    expect(await rows.count()).toBeLessThan(90)
    await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))')
    expect(await visit.focused()).toBe('key-0005')
    expect(await page.getByRole('link', { name: 'key-0999' }).isVisible()).toBe(true)
    await page.keyboard.press('Tab')
    await expect.poll(() => visit.focused()).toMatch(/^key-09/)
    await page.getByRole('searchbox').fill('777')
    await page.getByText('1 of 1,000 keys').waitFor()
    expect(await rows.count()).toBe(2)
  })
})

describe('what a person may not do', () => {
  it('is not offered to readers, who may encrypt, nor to members that grants narrow', async () => {
    await make('shared')
    await make('pair', { type: 'ecdsa-p256' })
    const visit = await person('Read')
    const { page } = visit
    for (const name of ['Create key', 'Import key', 'Restore backup', 'Rules'])
      expect(await page.getByRole('button', { name }).count(), name).toBe(0)
    await openKey(visit, 'shared')
    await page.getByRole('button', { name: 'Encrypt', exact: true }).waitFor()
    for (const name of ['Rotate', 'Edit', 'Back up', 'Export', 'Delete', 'Disable version 1'])
      expect(await page.getByRole('button', { name, exact: true }).count(), name).toBe(0)
    await openKey(visit, 'pair')
    await page.getByRole('button', { name: 'Verify', exact: true }).waitFor()
    // As long as signing needs Write in this vault.
    expect(await page.getByText('Sign', { exact: true }).count()).toBe(0)

    const { user } = await vault.narrowed([{ keys: 'sh*d', operations: ['read', 'encrypt'] }])
    const narrowed = await stage.visitor()
    await narrowed.arrive(user)
    await narrowed.open(`/vault/${vault.id}/keys`)
    await narrowed.sees('Keys of Payments')
    await narrowed.page.getByText('1 key', { exact: true }).waitFor()
    await openKey(narrowed, 'shared')
    await narrowed.page.getByRole('button', { name: 'Encrypt', exact: true }).waitFor()
    expect(await narrowed.page.getByText('Decrypt', { exact: true }).count()).toBe(0)
    await narrowed.open(`/vault/${vault.id}/keys/pair`)
    await narrowed.page.getByText('(1301)').waitFor()
    narrowed.complaints.expect(/status of 403/)
  })

  it('is refused plainly where the right has gone meanwhile', async () => {
    await make('withdrawn')
    const user = await stage.appliance.addUser()
    await vault.share(String(user.id), 'Admin')
    const visit = await stage.visitor()
    await visit.arrive(user)
    await openKey(visit, 'withdrawn')
    await vault.share(String(user.id), 'Read')
    await visit.page.getByRole('button', { name: 'Rotate' }).click()
    await visit.page.getByRole('dialog').getByRole('button', { name: 'Rotate' }).click()
    await visit.page.getByRole('dialog').getByRole('alert').getByText('(1301)').waitFor()
    expect((await readKey(vault.admin, vault.id, 'withdrawn')).VERSIONS).toHaveLength(1)
    visit.complaints.expect(/status of 403/)
  })

  it('is what a forged answer says: names and purposes are text wherever they are shown', async () => {
    await make('forged')
    const visit = await person('Admin')
    const { page } = visit
    const listed = await vault.admin.must('GET', `/transparent/${vault.id}/keys?details=true`)
    const read = await vault.admin.must('GET', `${path('forged')}?details=true`)
    const [model] = read['KEYS'] as Record<string, string>[]
    const KEYS = hostileTexts.map((text) => ({ ...model, name: text, info: `${text} told`, type: `${text} type` }))
    await page.route(/\/transparent\/\d+\/keys\?/, (route) => route.fulfill({ json: { ...listed, KEYS } }))
    await page.reload()
    await visit.sees('Keys of Payments')
    for (const text of hostileTexts) await page.getByRole('table').getByText(text, { exact: true }).waitFor()
    for (const text of hostileTexts) {
      await page.route(/\/keys\/forged/, (route) =>
        route.fulfill({ json: { ...read, KEYS: [{ ...model, name: text, info: `${text} told` }] } }),
      )
      await visit.open('/')
      await visit.sees('Vaults')
      await page.reload()
      await visit.open(`/vault/${vault.id}/keys/forged`)
      await visit.sees(text)
      await page.getByText(`${text} told`, { exact: true }).waitFor()
      await page.getByRole('button', { name: 'Delete', exact: true }).click()
      await page.getByRole('heading', { name: `Delete ${text}?`, exact: true }).waitFor()
      await page.keyboard.press('Escape')
      await page.unroute(/\/keys\/forged/)
    }
    expect(await page.evaluate('window.hit')).toBeUndefined()
    // Addresses that name no key are not asked for.
    await visit.open(`/vault/${vault.id}/keys/..%2F..%2Fuser`)
    await visit.sees('Page not found')
  })
})

it.each(looks)('keys are sound in %s colours, %i pixels wide', async (theme, width) => {
  await make(`seen-${theme}-${width}`, { info: 'Card numbers of orders', type: 'aes256-gcm96' })
  const pair = `pair-${theme}-${width}`
  await make(pair, { type: 'ecdsa-p256', info: 'Signs invoices', allow_export: true })
  await vault.admin.must('POST', `${path(pair)}/rotate`)
  const gone = `gone-${theme}-${width}`
  await make(gone)
  await vault.admin.must('DELETE', path(gone))
  const visit = await person('Admin', { theme, width, height: width === 360 ? 720 : 900 })
  const { page } = visit
  await page.getByText(gone).waitFor()
  await visit.expectSound('keys')
  await page.getByRole('button', { name: 'Create key' }).click()
  await page.getByLabel('Name', { exact: true }).fill('cards')
  await visit.expectSound('key-create')
  await page.getByRole('button', { name: 'Cancel' }).click()
  for (const [button, name] of [
    ['Restore backup', 'key-restore'],
    ['Rules', 'key-rules'],
  ] as const)
    await seesDialog(visit, button, name)
  await page.getByRole('button', { name: 'Import key' }).click()
  await page.getByLabel('Name', { exact: true }).fill(`brought-${theme}-${width}`)
  await page.getByRole('dialog').getByText('Sign', { exact: true }).click()
  await visit.expectSound('key-import')
  await page.getByRole('button', { name: 'Prepare import' }).click()
  await page.getByRole('heading', { name: /^Import brought-/ }).waitFor()
  await visit.expectSound('key-import-job')
  await openKey(visit, pair)
  await page.getByLabel('Data', { exact: true }).fill('An invoice')
  await page.getByRole('button', { name: 'Sign', exact: true }).click()
  await page.getByText('by version 2').waitFor()
  await visit.expectSound('key')
  for (const deed of [
    'Delete',
    'Rotate',
    'Edit',
    'Limit versions',
    'Back up',
    'Export',
    'Trim versions',
    'Disable version 1',
  ])
    await seesDialog(visit, deed, `key-${deed.toLowerCase().replaceAll(' ', '-')}`)
})

async function seesDialog(visit: Visit, button: string, name: string): Promise<void> {
  const { page } = visit
  await page.getByRole('button', { name: button, exact: true }).click()
  const dialog = page.locator('[role=dialog], [role=alertdialog]')
  await dialog.waitFor()
  await visit.expectSound(name)
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
}
