import { createHash, randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { VisitOptions } from './browser-kit.ts'
import { consoleStage } from './console-stage.ts'
import { hostileTexts } from './hostile-corpus.ts'
import { beforeImport } from './import-kit.ts'
import { attachedKeepassFile, filePassphrase, keyedKeepassFile, newKeepassFile, oldKeepassFile } from './keepass-kit.ts'
import { looks } from './looks.ts'

const stage = consoleStage()
async function given(options?: VisitOptions) {
  const before = await beforeImport(stage, options)
  const { page } = before
  return {
    ...before,
    async open(buffer: Buffer, phrase = filePassphrase) {
      await page.locator('input[type=file]').first().setInputFiles({ name: 'kept.kdbx', mimeType: '', buffer })
      await page.getByLabel('Pass phrase of the file', { exact: true }).fill(phrase)
      await page.getByRole('button', { name: 'Open file' }).click()
    },
    async chooseKeyFile(buffer: Buffer) {
      await page.getByLabel('Key file').setInputFiles({ name: 'kept.keyx', mimeType: '', buffer })
      await page.getByRole('button', { name: 'Open file' }).click()
    },
  }
}

const version2 = `<?xml version="1.0" encoding="utf-8"?>
<KeyFile><Meta><Version>2.0</Version></Meta><Key><Data Hash="9876BD88">
  D07F29B1 11E1DCFC 7FF7F3D7 0ECB6BA3
  49A8E6C5 6BBCCF27 2DA31A0E 7A3F5F3C
</Data></Key></KeyFile>`

/** In each of the forms that KeePass knows. */
const keyFiles = {
  'XML, version 1': Buffer.from(
    `<?xml version="1.0"?><KeyFile><Meta><Version>1.00</Version></Meta><Key><Data>${randomBytes(32).toString('base64')}</Data></Key></KeyFile>`,
  ),
  'XML, version 2': Buffer.from(version2),
  'its key itself': randomBytes(32),
  'its key in hexadecimal': Buffer.from(randomBytes(32).toString('hex')),
  'any other file': randomBytes(1_000),
}

describe('a KeePass file', () => {
  it('of version 4 is imported with its folders and own fields, without its bin, its texts being texts', async () => {
    const { visit, page, admin, objects, open } = await given()
    await open(newKeepassFile(1, hostileTexts))
    await page.getByText(`${hostileTexts.length + 2} objects`, { exact: true }).waitFor()
    expect(await objects()).toEqual([])
    await page.getByRole('button', { name: `Import ${hostileTexts.length + 2} objects` }).click()
    await visit.hears(`${hostileTexts.length + 2} objects imported.`)
    const made = await objects()
    const named = (name: string) => made.find(({ objectname }) => objectname === name)
    expect(made.map(({ objectname }) => objectname).toSorted()).toEqual(
      ['Arbete', 'Mail', 'Mailbox', 'a.txt', ...hostileTexts.map((text) => text.trim())].toSorted(),
    )
    expect(named('Mail')?.parentid).toBe(named('Arbete')?.id)
    expect(named('Mailbox')?.parentid).toBe(named('Mail')?.id)
    const { OBJECT } = await admin.must('GET', `/object/${named('Mailbox')?.id}?decrypt=true`)
    const notes = 'first\nsecond\nPUK: 77\nTags: post, home'
    expect(OBJECT).toMatchObject([
      { public: { username: 'ann', url: 'https://mail.example' }, crypted: { password: 'pw-1', cryptedinfo: notes } },
    ])
    expect(await page.evaluate('window.hit')).toBeUndefined()
  })

  it('brings its attached files, beside their entries, and once', async () => {
    const { visit, page, admin, objects, open } = await given()
    // The appliance takes files of 64 MiB.
    const file = attachedKeepassFile(65 * 1024 * 1024)
    await open(file)
    await page.getByRole('button', { name: 'Import 3 objects' }).click()
    await visit.hears('2 objects imported.')
    await page.getByText('1 object was refused').waitFor()
    await page.getByRole('listitem').getByText('large.bin').waitFor()
    const made = await objects()
    const [attached, mailbox] = ['a.txt', 'Mailbox'].map((name) => made.find(({ objectname }) => objectname === name))
    expect(attached).toMatchObject({ templateid: '3', parentid: mailbox?.parentid, filename: 'a.txt' })
    const { FILEDATA } = await admin.must('GET', `/object/${attached?.id}?filedata=true`)
    expect(FILEDATA).toBe(Buffer.from('x').toString('base64'))
    await page.getByRole('link', { name: 'Go to vault' }).waitFor()
    await visit.open('/exchange')
    await page.reload()
    await open(file)
    await page.getByText(/2 are already in the vault/).waitFor()
    await page.getByRole('button', { name: 'Import 1 object' }).waitFor()
    visit.complaints.expect(/status of 413/)
  })

  it('of version 3.1 is imported too', async () => {
    const { visit, page, admin, objects, open } = await given()
    await open(oldKeepassFile())
    await page.getByRole('button', { name: 'Import 1 object' }).click()
    await visit.hears('1 object imported.')
    const made = await objects()
    const door = made.find(({ objectname }) => objectname === 'Door')
    expect(made.find(({ id }) => id === door?.parentid)?.objectname).toBe('Förråd')
    const { OBJECT } = await admin.must('GET', `/object/${door?.id}?decrypt=true`)
    expect(OBJECT).toMatchObject([{ crypted: { password: '4711' } }])
  })

  it('says why it cannot be opened, and takes the next one', async () => {
    const { page, objects, open } = await given()
    const file = newKeepassFile(1)
    const refused = async (buffer: Buffer, words: string, phrase?: string): Promise<void> => {
      await open(buffer, phrase)
      await page.getByRole('alert').getByText(words).waitFor()
    }
    await refused(file, 'The pass phrase or key file is wrong', 'another')
    const bent = Buffer.from(file)
    bent.writeUInt8(bent.readUInt8(bent.length - 100) ^ 1, bent.length - 100)
    await refused(bent, 'or it is damaged')
    await refused(file.subarray(0, 100), 'or it is damaged')
    await refused(file.subarray(0, 400), 'or it is damaged')
    await refused(newKeepassFile(1_001), 'more than 1 GiB of memory, 1,000 rounds')
    await refused(newKeepassFile(1, ['much'], 9 * 1024 * 1024), 'becomes so when unpacked')
    await open(file)
    await page.getByText('2 objects', { exact: true }).waitFor()
    expect(await objects()).toEqual([])
  })

  it('opens by a key file, with and without a pass phrase', async () => {
    const { page, open, chooseKeyFile } = await given()
    const isOpen = () => page.getByText('2 objects', { exact: true }).waitFor()
    const keyFile = keyFiles['XML, version 2']
    await open(keyedKeepassFile(keyFile, ''), '')
    await page.getByText('Fill in this field.').waitFor()
    await chooseKeyFile(keyFile)
    await isOpen()
    await open(keyedKeepassFile(keyFile, filePassphrase))
    await page.getByRole('alert').getByText('The pass phrase or key file is wrong').waitFor()
    await chooseKeyFile(Buffer.from('another'))
    await page.getByRole('alert').getByText('The pass phrase or key file is wrong').waitFor()
    await chooseKeyFile(keyFile)
    await isOpen()
  })

  it('opens by a key file of every form', async () => {
    const { page, open, chooseKeyFile } = await given()
    for (const keyFile of Object.values(keyFiles)) {
      await open(keyedKeepassFile(keyFile, filePassphrase))
      await page.getByRole('alert').getByText('The pass phrase or key file is wrong').waitFor()
      await chooseKeyFile(keyFile)
      await page.getByText('2 objects', { exact: true }).waitFor()
    }
  })

  it('opens by a key file: XML of another kind, by its SHA-256', async () => {
    const { page, open, chooseKeyFile } = await given()
    const drawing = Buffer.from('<svg><Meta/></svg>')
    await open(keyedKeepassFile(createHash('sha256').update(drawing).digest(), ''), 'none')
    await page.getByRole('alert').getByText('The pass phrase or key file is wrong').waitFor()
    await page.getByLabel('Pass phrase of the file', { exact: true }).fill('')
    await chooseKeyFile(drawing)
    await page.getByText('2 objects', { exact: true }).waitFor()
  })

  it('says that its key file is damaged or unknown, and keeps the pass phrase', async () => {
    const { page, open, chooseKeyFile } = await given()
    await open(keyedKeepassFile(keyFiles['XML, version 2'], filePassphrase), filePassphrase)
    const text = keyFiles['XML, version 2'].toString()
    for (const bad of [
      text.replace('9876BD88', '9876BD80'),
      text.replace('2.0', '3.0'),
      text.replaceAll('Data', 'Else'),
    ]) {
      await chooseKeyFile(Buffer.from(bad))
      await page.getByRole('alert').getByText('The key file is damaged').waitFor()
      expect(await page.getByLabel('Pass phrase of the file', { exact: true }).inputValue()).toBe(filePassphrase)
    }
    await chooseKeyFile(Buffer.from(text))
    await page.getByText('2 objects', { exact: true }).waitFor()
  })

  it('waits for the appliance where what opens it does not come', async () => {
    const { page, open } = await given()
    const worker = '**/assets/opening-worker-*'
    await page.context().route(worker, (route) => route.abort())
    await open(newKeepassFile(1))
    await page.getByRole('alert').getByText('The appliance cannot be reached.').waitFor()
    await page.context().unroute(worker)
    await page.getByRole('button', { name: 'Open file' }).click()
    await page.getByText('2 objects', { exact: true }).waitFor()
  })

  it.each(looks)('shows how far it is, and stops when told so: in %s colours and %i pixels', async (theme, width) => {
    const { visit, page, open } = await given({ theme, width })
    await open(newKeepassFile(1_000))
    const progress = page.getByRole('progressbar')
    await expect.poll(() => progress.getAttribute('value')).not.toBeNull()
    expect(page.workers()).toHaveLength(1)
    await visit.expectSound('keepass')
    await page.getByRole('button', { name: 'Stop' }).click()
    await progress.waitFor({ state: 'detached' })
    await expect.poll(() => page.workers()).toEqual([])
    expect(await page.getByRole('alert').count()).toBe(0)
    await page.getByRole('button', { name: 'Open file' }).waitFor()
  })
})
