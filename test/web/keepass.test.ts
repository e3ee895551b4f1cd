import { describe, expect, it } from 'vitest'
import type { VisitOptions } from './browser-kit.ts'
import { consoleStage } from './console-stage.ts'
import { hostileTexts } from './hostile-corpus.ts'
import { beforeImport } from './import-kit.ts'
import { filePassphrase, newKeepassFile, oldKeepassFile } from './keepass-kit.ts'

const stage = consoleStage()
async function given(options?: VisitOptions) {
  const before = await beforeImport(stage, options)
  const { page } = before
  return {
    ...before,
    async open(buffer: Buffer, phrase = filePassphrase) {
      await page.locator('input[type=file]').setInputFiles({ name: 'kept.kdbx', mimeType: '', buffer })
      await page.getByLabel('Pass phrase of the file').fill(phrase)
      await page.getByRole('button', { name: 'Open the file' }).click()
    },
  }
}

describe('a KeePass file', () => {
  it('of version 4 is imported with its folders and own fields, without its bin, its texts being texts', async () => {
    const { visit, page, admin, objects, open } = await given()
    await open(newKeepassFile(1, hostileTexts))
    await page.getByText(`${hostileTexts.length + 1} objects`, { exact: true }).waitFor()
    await page.getByText('1 attached file is not imported').waitFor()
    expect(await objects()).toEqual([])
    await page.getByRole('button', { name: `Import ${hostileTexts.length + 1} objects` }).click()
    await page.getByText(`${hostileTexts.length + 1} objects are imported.`).waitFor()
    const made = await objects()
    const named = (name: string) => made.find(({ objectname }) => objectname === name)
    expect(made.map(({ objectname }) => objectname).toSorted()).toEqual(
      ['Arbete', 'Mail', 'Mailbox', ...hostileTexts.map((text) => text.trim())].toSorted(),
    )
    expect(named('Mail')?.parentid).toBe(named('Arbete')?.id)
    expect(named('Mailbox')?.parentid).toBe(named('Mail')?.id)
    const { OBJECT } = await admin.must('GET', `/object/${named('Mailbox')?.id}?decrypt=true`)
    const notes = 'first\nsecond\nPUK: 77\nTags: post, home'
    expect(OBJECT).toMatchObject([
      { public: { username: 'ann', host: 'https://mail.example' }, crypted: { password: 'pw-1', cryptedinfo: notes } },
    ])
    expect(await page.evaluate('window.hit')).toBeUndefined()
    visit.expectPeace()
  })

  it('of version 3.1 is imported too', async () => {
    const { visit, page, admin, objects, open } = await given()
    await open(oldKeepassFile())
    await page.getByRole('button', { name: 'Import 1 object' }).click()
    await page.getByText('1 object is imported.').waitFor()
    const made = await objects()
    const door = made.find(({ objectname }) => objectname === 'Door')
    expect(made.find(({ id }) => id === door?.parentid)?.objectname).toBe('Förråd')
    const { OBJECT } = await admin.must('GET', `/object/${door?.id}?decrypt=true`)
    expect(OBJECT).toMatchObject([{ crypted: { password: '4711' } }])
    visit.expectPeace()
  })

  it('says why it cannot be opened, and takes the next one', async () => {
    const { visit, page, objects, open } = await given()
    const file = newKeepassFile(1)
    const refused = async (buffer: Buffer, words: string, phrase?: string): Promise<void> => {
      await open(buffer, phrase)
      await page.getByRole('alert').getByText(words).waitFor()
    }
    await refused(file, 'The pass phrase does not fit', 'another')
    const bent = Buffer.from(file)
    bent.writeUInt8(bent.readUInt8(bent.length - 100) ^ 1, bent.length - 100)
    await refused(bent, 'or it is damaged')
    await refused(file.subarray(0, 100), 'or it is damaged')
    await refused(file.subarray(0, 400), 'or it is damaged')
    await refused(newKeepassFile(1_001), 'more than 1 GiB of memory or 1,000 rounds')
    await refused(newKeepassFile(1, ['much'], 9 * 1024 * 1024), 'becomes so when it is unpacked')
    await open(file)
    await page.getByText('1 object', { exact: true }).waitFor()
    expect(await objects()).toEqual([])
    visit.expectPeace()
  })

  it('waits for the appliance where what opens it does not come', async () => {
    const { page, open } = await given()
    const worker = '**/assets/opening-worker-*'
    await page.context().route(worker, (route) => route.abort())
    await open(newKeepassFile(1))
    await page.getByRole('alert').getByText('The appliance cannot be reached.').waitFor()
    await page.context().unroute(worker)
    await page.getByRole('button', { name: 'Open the file' }).click()
    await page.getByText('1 object', { exact: true }).waitFor()
  })

  it.each([
    ['light', 1280],
    ['dark', 360],
  ] as const)('shows how far it is, and stops when told so: in %s colours and %i pixels', async (theme, width) => {
    const { visit, page, open } = await given({ theme, width })
    await open(newKeepassFile(1_000))
    const progress = page.getByRole('progressbar')
    await expect.poll(() => progress.getAttribute('value'), { timeout: 60_000 }).not.toBeNull()
    expect(page.workers()).toHaveLength(1)
    await visit.expectSound('keepass')
    await page.getByRole('button', { name: 'Stop' }).click()
    await progress.waitFor({ state: 'detached' })
    await expect.poll(() => page.workers(), { timeout: 20_000 }).toEqual([])
    expect(await page.getByRole('alert').count()).toBe(0)
    await page.getByRole('button', { name: 'Open the file' }).waitFor()
    visit.expectPeace()
  })
})
