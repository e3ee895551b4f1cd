import { createHash, randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { base64, bytesOf, openssl, readKey } from '../api/transparent/key-kit.ts'
import { examplesFolder, runExample } from '../clients/examples-kit.ts'
import { makeVault, type TestVault } from '../support/vault.ts'
import type { Visit } from './browser-kit.ts'
import { consoleStage } from './console-stage.ts'

const stage = consoleStage()
let vault: TestVault
beforeAll(async () => {
  vault = await makeVault(stage.appliance, 'Payments', stage.stocked.client)
  for (const [name, type] of Object.entries({ cards: 'aes256-gcm96', invoices: 'ecdsa-p256', marks: 'hmac-sha256' }))
    await vault.admin.must('POST', `/transparent/${vault.id}/keys/${name}`, { type })
})

/** A member with Write at the bench of this key. */
async function atBench(name: string): Promise<Visit> {
  const user = await stage.appliance.addUser()
  await vault.share(String(user.id), 'Write')
  const visit = await stage.visitor()
  await visit.arrive(user)
  await visit.open(`/vault/${vault.id}/keys/${name}`)
  await visit.sees(name)
  return visit
}

const choose = ({ page }: Visit, operation: string) =>
  page.getByRole('radiogroup', { name: 'Operation' }).getByText(operation, { exact: true }).click()
const press = ({ page }: Visit, operation: string) => page.getByRole('button', { name: operation, exact: true }).click()
const dataOf = ({ page }: Visit) => page.getByLabel('Data', { exact: true })

/** What the result with this heading says. */
async function result({ page }: Visit, heading: string): Promise<string> {
  const part = page.locator('.result').filter({ has: page.getByRole('heading', { name: heading, exact: true }) })
  return (await part.locator('output').textContent()) ?? ''
}

describe('the bench of a key that encrypts', () => {
  it('has its key read again at the next look where the answer to one of its calls is lost, but no other list', async () => {
    const begun = Date.now()
    const visit = await atBench('cards')
    const { page } = visit
    // Nothing that was read grows stale by itself.
    await page.clock.setFixedTime(begun)
    const readsOfLists = (): number => visit.asked.filter((asked) => asked === `${stage.appliance.url}/vault`).length
    // The crumbs hold the name of the vault, of the list.
    await page.getByRole('link', { name: 'Payments' }).first().waitFor()
    const before = readsOfLists()
    await page.route('**/encrypt/cards', (route) => route.abort())
    await dataOf(visit).fill('lost')
    await press(visit, 'Encrypt')
    await page.getByText('The appliance cannot be reached.').waitFor()
    await page.unrouteAll()
    const read = page.waitForResponse(/\/keys\/cards\?/)
    await page.getByRole('link', { name: 'Keys' }).first().click()
    await page.getByRole('link', { name: 'cards' }).click()
    await read
    expect(readsOfLists()).toBe(before)
    visit.complaints.expect(/net::ERR_FAILED/)
  })

  it('encrypts what the interface decrypts, and decrypts it by the same additional data alone', async () => {
    const visit = await atBench('cards')
    const { page } = visit
    await dataOf(visit).fill('4111 1111 – é')
    await page.getByLabel('Additional data', { exact: true }).fill('customer 17')
    await press(visit, 'Encrypt')
    const ciphertext = await result(visit, 'Ciphertext')
    const aad = base64('customer 17')
    const { CALLINFO } = await vault.admin.must('POST', `/transparent/${vault.id}/decrypt/cards`, { ciphertext, aad })
    expect(CALLINFO['plaintext']).toBe(base64('4111 1111 – é'))

    await choose(visit, 'Decrypt')
    expect(await page.getByLabel('Ciphertext', { exact: true }).inputValue()).toBe(ciphertext)
    await press(visit, 'Decrypt')
    expect(await result(visit, 'Data')).toBe('4111 1111 – é')
    await page.getByRole('button', { name: 'Copy: Data' }).click()
    await visit.hears('Data copied.')
    expect(await visit.clipboard()).toBe('4111 1111 – é')
    await page.getByText(/The clipboard will be cleared in/).waitFor()
    await page.getByLabel('Additional data', { exact: true }).fill('customer 18')
    await press(visit, 'Decrypt')
    await page.getByRole('alert').getByText('(1507)').waitFor()
    expect(await page.getByLabel('Ciphertext', { exact: true }).inputValue()).toBe(ciphertext)
    expect(await page.locator('.result').count()).toBe(0)
    visit.complaints.expect(/status of 400/)
  })

  it('takes and shows bytes as hex, as base64 and of a file', async () => {
    const visit = await atBench('cards')
    const { page } = visit
    const bytes = randomBytes(300)
    await page.getByLabel('Data: format', { exact: true }).selectOption('Hex')
    await dataOf(visit).fill('00 ff 8')
    await page.getByText('Enter valid hex: two digits per byte.').waitFor()
    await dataOf(visit).fill('00 FF 8a')
    await press(visit, 'Encrypt')
    const first = await result(visit, 'Ciphertext')
    expect(await vault.decrypt('cards', first)).toBe(Buffer.from('00ff8a', 'hex').toString('base64'))

    const choosing = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'From a file' }).click()
    await (await choosing).setFiles({ name: 'a <b>.bin', mimeType: 'text/html', buffer: bytes })
    await page.getByText('a <b>.bin (300 bytes)').waitFor()
    await press(visit, 'Encrypt')
    await expect.poll(() => result(visit, 'Ciphertext')).not.toBe(first)
    const ciphertext = await result(visit, 'Ciphertext')
    expect(await vault.decrypt('cards', ciphertext)).toBe(bytes.toString('base64'))
    await choose(visit, 'Decrypt')
    await press(visit, 'Decrypt')
    const shown = () => result(visit, 'Data')
    await expect.poll(shown).toBe(bytes.toString('base64'))
    const notation = page.locator('.result').getByLabel('Data: format')
    await notation.selectOption('Hex')
    expect(await shown()).toBe(bytes.toString('hex'))
    await notation.selectOption('Text')
    expect(await shown()).toBe('These bytes are not text.')
    const tooLarge = page.waitForEvent('filechooser')
    await choose(visit, 'Encrypt')
    await page.getByRole('button', { name: 'Remove file' }).click()
    await page.getByRole('button', { name: 'From a file' }).click()
    await (await tooLarge).setFiles({ name: 'large', mimeType: '', buffer: Buffer.alloc(1_048_577) })
    await page.getByText(/larger than 1 MiB/).waitFor()
  })

  it('rewraps, and makes data keys that the key opens', async () => {
    await vault.admin.must('POST', `/transparent/${vault.id}/keys/turning`, { type: 'aes256-gcm96' })
    const old = await vault.encrypt('turning', base64('met'))
    await vault.admin.must('POST', `/transparent/${vault.id}/keys/turning/rotate`)
    const visit = await atBench('turning')
    const { page } = visit
    await choose(visit, 'Rewrap')
    await page.getByLabel('Ciphertext', { exact: true }).fill(old)
    await press(visit, 'Rewrap')
    const anew = await result(visit, 'Ciphertext')
    expect(anew).toMatch(/^service:v2:/)
    expect(await vault.decrypt('turning', anew)).toBe(base64('met'))
    await choose(visit, 'Create data key')
    await page.getByLabel('Length in bits').selectOption('512')
    await page.getByLabel('Show the data key in plaintext too').check()
    await press(visit, 'Create data key')
    const open = await result(visit, 'Data key in plaintext')
    expect(Buffer.from(open, 'base64')).toHaveLength(64)
    expect(await vault.decrypt('turning', await result(visit, 'Ciphertext'))).toBe(open)
  })

  it('encrypts by the keyboard alone', async () => {
    const user = await stage.appliance.addUser()
    await vault.share(String(user.id), 'Read')
    const visit = await stage.visitor()
    const { page } = visit
    await visit.arrive(user)
    await visit.open(`/vault/${vault.id}`)
    await visit.sees('Payments')
    // A reader is led to keys once it is known that there are some.
    await page.getByRole('link', { name: 'Keys', exact: true }).waitFor()
    await visit.tabTo('Keys')
    await page.keyboard.press('Enter')
    await visit.sees('Keys of Payments')
    await visit.tabTo('cards')
    await page.keyboard.press('Enter')
    await visit.sees('cards')
    await visit.tabTo('Data')
    await page.keyboard.type('typed')
    await visit.tabTo('Encrypt')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Copy: Ciphertext' }).waitFor()
    await visit.tabTo('Copy: Ciphertext')
    await page.keyboard.press('Space')
    await visit.hears('Ciphertext copied.')
    const copied = await visit.clipboard()
    expect(await vault.decrypt('cards', copied)).toBe(base64('typed'))
  })
})

describe('the bench of other keys', () => {
  it('signs what openssl verifies, and verifies', async () => {
    const visit = await atBench('invoices')
    const { page } = visit
    await dataOf(visit).fill('An invoice')
    await page.getByRole('combobox', { name: 'Hash' }).selectOption('SHA-512')
    await press(visit, 'Sign')
    const signature = await result(visit, 'Signature')
    const { VERSIONS } = await readKey(vault.admin, vault.id, 'invoices')
    const files = { 'key.pem': VERSIONS[0]?.['public_key'] ?? '', sig: bytesOf(signature), data: 'An invoice' }
    const args = ['dgst', '-sha512', '-verify', 'key.pem', '-signature', 'sig', 'data']
    expect(openssl(args, files).toString()).toBe('Verified OK\n')
    const saving = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Save the public key of version 1' }).click()
    expect((await saving).suggestedFilename()).toBe('invoices-v1.pem')

    await choose(visit, 'Verify')
    await press(visit, 'Verify')
    await page.getByText('Valid: made by this key').waitFor()
    await dataOf(visit).fill('Another invoice')
    await press(visit, 'Verify')
    await page.getByText('Not valid for this key and this data.').waitFor()
  })

  it('makes and verifies HMACs; hashes and draws random bytes without a key', async () => {
    const visit = await atBench('marks')
    const { page } = visit
    await dataOf(visit).fill('marked')
    await press(visit, 'Compute HMAC')
    const hmac = await result(visit, 'HMAC')
    const verified = await vault.admin.must('POST', `/transparent/${vault.id}/verify/marks`, {
      input: base64('marked'),
      hmac,
    })
    expect(verified.CALLINFO['valid']).toBe(true)
    await choose(visit, 'Verify')
    await press(visit, 'Verify')
    await page.getByText('Valid: made by this key').waitFor()

    await visit.open(`/vault/${vault.id}/keys`)
    await visit.sees('Keys of Payments')
    await page.getByLabel('Number of bytes').fill('48')
    await press(visit, 'Generate random bytes')
    expect(Buffer.from(await result(visit, 'Random bytes'), 'base64')).toHaveLength(48)
    await choose(visit, 'Hash')
    await dataOf(visit).fill('hashed')
    await page.getByRole('combobox', { name: 'Hash' }).selectOption('SHA-384')
    await press(visit, 'Hash')
    expect(await result(visit, 'Hash')).toBe(createHash('sha384').update('hashed').digest('base64'))
  })
})

describe('the samples of what was done', () => {
  let folder: string
  let token: string
  beforeAll(async () => {
    const user = await stage.appliance.addUser()
    await vault.share(String(user.id), 'Write')
    token = (await stage.appliance.login(user)).token ?? ''
    folder = examplesFolder()
    writeFileSync(join(folder, 'ca.pem'), stage.appliance.ca)
    writeFileSync(join(folder, 'input'), secret)
  })
  const secret = 'secret input $(touch hit) `id` "\'\\'
  const additional = `a'b "c" $HOME \`id\` \\ é`

  /** What each of the three programs that the page shows prints, and their texts. */
  async function samples(visit: Visit): Promise<{ texts: string[]; printed: string[] }> {
    const { page } = visit
    const ca = join(folder, 'ca.pem')
    const environment = {
      STRONGROOM: visit.origin,
      TOKEN: token,
      CURL_CA_BUNDLE: ca,
      NODE_EXTRA_CA_CERTS: ca,
      SSL_CERT_FILE: ca,
    }
    const texts: string[] = []
    const printed: string[] = []
    for (const [language, file] of Object.entries({
      curl: 'sample.bash',
      'Node.js': 'sample.js',
      Python: 'sample.py',
    })) {
      await page.getByRole('radiogroup', { name: 'Language' }).getByText(language, { exact: true }).click()
      await page.getByRole('button', { name: `Copy: Use in a program (${language})` }).click()
      const text = (await page.getByRole('region', { name: 'Use in a program' }).textContent()) ?? ''
      await expect.poll(() => visit.clipboard()).toBe(text)
      texts.push(text)
      writeFileSync(join(folder, file), language === 'curl' ? `#!/bin/bash\n${text}\n` : text, { mode: 0o755 })
      const { status, stdout, stderr } = await runExample(folder, [file], environment)
      expect({ language, status, stderr: status === 0 ? '' : stderr }).toEqual({ language, status: 0, stderr: '' })
      printed.push(stdout.trim())
    }
    return { texts, printed }
  }
  /** The member of the envelope that curl prints, and what the clients print. */
  const answers = ([curl = '', ...clients]: string[], member: string): string[] => [
    String((JSON.parse(curl) as { CALLINFO: Record<string, unknown> }).CALLINFO[member]),
    ...clients,
  ]

  it('encrypt and decrypt the same, with nothing of what was typed as data in them', async () => {
    const visit = await atBench('cards')
    const { page } = visit
    await dataOf(visit).fill('do not tell')
    await page.getByLabel('Additional data', { exact: true }).fill(additional)
    await press(visit, 'Encrypt')
    await result(visit, 'Ciphertext')
    const encrypted = await samples(visit)
    for (const text of encrypted.texts) {
      expect(text).not.toContain('do not tell')
      expect(text).not.toContain(base64('do not tell'))
      expect(text).not.toMatch(/cookie\.|__Host/)
    }
    for (const ciphertext of answers(encrypted.printed, 'ciphertext')) {
      const body = { ciphertext, aad: base64(additional) }
      const { CALLINFO } = await vault.admin.must('POST', `/transparent/${vault.id}/decrypt/cards`, body)
      expect(CALLINFO['plaintext']).toBe(base64(secret))
    }
    await choose(visit, 'Decrypt')
    await press(visit, 'Decrypt')
    await expect.poll(() => result(visit, 'Data')).toBe('do not tell')
    const decrypted = await samples(visit)
    for (const text of decrypted.texts) expect(text).not.toContain('do not tell')
    expect(answers(decrypted.printed, 'plaintext')).toEqual([base64('do not tell'), 'do not tell', 'do not tell'])
    await choose(visit, 'Create data key')
    await page.getByLabel('Additional data', { exact: true }).fill('')
    await press(visit, 'Create data key')
    await result(visit, 'Ciphertext')
    for (const ciphertext of answers((await samples(visit)).printed, 'ciphertext'))
      expect(Buffer.from(await vault.decrypt('cards', ciphertext), 'base64')).toHaveLength(32)
  })

  it('sign and verify the same, make HMACs, hash and draw', async () => {
    const visit = await atBench('invoices')
    const { page } = visit
    await dataOf(visit).fill(secret)
    await page.getByLabel('Signature format').selectOption('r and s concatenated (JWS)')
    await press(visit, 'Sign')
    await result(visit, 'Signature')
    for (const signature of answers((await samples(visit)).printed, 'signature')) {
      const body = { input: base64(secret), signature, marshaling_algorithm: 'jws' }
      expect((await vault.admin.must('POST', `/transparent/${vault.id}/verify/invoices`, body)).CALLINFO['valid']).toBe(
        true,
      )
    }
    await choose(visit, 'Verify')
    await press(visit, 'Verify')
    await page.getByText('Valid: made by this key').waitFor()
    expect(answers((await samples(visit)).printed, 'valid')).toEqual(['true', 'true', 'True'])

    await visit.open(`/vault/${vault.id}/keys/marks`)
    await visit.sees('marks')
    await dataOf(visit).fill(secret)
    await press(visit, 'Compute HMAC')
    const hmac = await result(visit, 'HMAC')
    expect(answers((await samples(visit)).printed, 'hmac')).toEqual([hmac, hmac, hmac])

    await visit.open(`/vault/${vault.id}/keys`)
    await visit.sees('Keys of Payments')
    await press(visit, 'Generate random bytes')
    await result(visit, 'Random bytes')
    for (const bytes of answers((await samples(visit)).printed, 'random_bytes'))
      expect(Buffer.from(bytes, 'base64')).toHaveLength(32)
    await choose(visit, 'Hash')
    await dataOf(visit).fill(secret)
    await press(visit, 'Hash')
    const sum = createHash('sha256').update(secret).digest('base64')
    await expect.poll(() => result(visit, 'Hash')).toBe(sum)
    expect(answers((await samples(visit)).printed, 'sum')).toEqual([sum, sum, sum])
  })
})
