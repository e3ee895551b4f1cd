import { readFileSync } from 'node:fs'
import { Decrypter } from 'age-encryption'
import type { Page } from 'playwright-core'
import { describe, expect, it } from 'vitest'
import { editDatabase } from '../support/database-owner.ts'
import { upload } from '../support/object-kit.ts'
import { eventsOf } from '../support/trail.ts'
import { argon2Export } from './bitwarden-kit.ts'
import type { Visit, VisitOptions } from './browser-kit.ts'
import { consoleStage } from './console-stage.ts'
import { hostileTexts } from './hostile-corpus.ts'
import { beforeImport } from './import-kit.ts'
import { looks } from './looks.ts'

const stage = consoleStage()

const given = (options?: VisitOptions) => beforeImport(stage, options)

const choose = ({ page }: Visit, text: string, name = 'export.csv') =>
  page.locator('input[type=file]').setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(text) })

const table =
  'folder,name,username,password,url,PUK\nWork/Mail,Mail,ann,pw-1,https://mail.example,77\nWork,Door,,4711,,\nbroken\n'

/** Holds the second creation of an object up on its way. */
async function holdSecond(page: Page) {
  let release = (): void => undefined
  const released = new Promise<void>((resolve) => (release = resolve))
  let calls = 0
  await page.route('**/api/1.0/object', async (route) => {
    calls += 1
    if (calls === 2) await released
    await route.continue()
  })
  return { calls: () => calls, release }
}

describe('an import', () => {
  it('shows what becomes of a table, sends nothing before, and keeps its folders', async () => {
    const { visit, page, admin, objects } = await given()
    await choose(visit, table)
    await page.getByText('2 objects', { exact: true }).waitFor()
    await page.getByText('1 row cannot be imported').click()
    await page.getByText('Row 4: it has more or fewer columns than the header').waitFor()
    expect(await objects()).toEqual([])
    expect(await page.content()).not.toContain('pw-1')
    await page.getByRole('button', { name: 'Import 2 objects' }).click()
    await visit.hears('2 objects imported.')
    const made = await objects()
    const named = (name: string) => made.find(({ objectname }) => objectname === name)
    expect(named('Mail')).toBeDefined()
    expect(made.map(({ objectname }) => objectname).toSorted()).toEqual(['Door', 'Mail', 'Mail', 'Work'])
    expect(named('Door')?.parentid).toBe(named('Work')?.id)
    const login = made.find(({ objectname, parentid }) => objectname === 'Mail' && parentid !== named('Work')?.id)
    const { OBJECT } = await admin.must('GET', `/object/${login?.id}?decrypt=true`)
    expect(OBJECT).toMatchObject([{ crypted: { password: 'pw-1', cryptedinfo: 'PUK: 77' } }])
  })

  it('leaves out what is there already, unless it is wanted', async () => {
    const { visit, page, objects } = await given()
    const twice = 'name,username,password\nMail,ann,1\nMail,ANN,2\n'
    await choose(visit, twice)
    await page.getByText(/1 is already in the vault/).waitFor()
    await page.getByRole('button', { name: 'Import 1 object' }).click()
    await visit.hears('1 object imported.')
    expect(await objects()).toHaveLength(1)
  })

  it('stays with its vault when another one is shared meanwhile', async () => {
    const { visit, page, admin } = await given()
    await page.clock.install()
    await choose(visit, table)
    await page.getByText('2 objects', { exact: true }).waitFor()
    await admin.must('POST', '/vault', { vaultname: 'Another, the first of the list' })
    await page.clock.fastForward(20_000)
    await page.evaluate('dispatchEvent(new Event("visibilitychange"))')
    await page.getByRole('option', { name: 'Another' }).waitFor({ state: 'attached' })
    await page.getByText('2 objects', { exact: true }).waitFor()
    expect(await page.getByLabel('Vault', { exact: true }).locator(':checked').textContent()).toBe('Moved')
  })

  it('stays with the vault that took the place of a deleted one', async () => {
    const { visit, page, admin, id } = await given()
    const create = (vaultname: string) => admin.must('POST', '/vault', { vaultname })
    const shown = () => page.getByLabel('Vault', { exact: true }).locator(':checked').textContent()
    const readAgain = async (): Promise<void> => {
      await page.clock.fastForward(20_000)
      await page.evaluate('dispatchEvent(new Event("visibilitychange"))')
    }
    await page.clock.install()
    await create('Next')
    await admin.must('DELETE', `/vault/${id}`)
    // The contents of the deleted vault are not asked for where the list is answered first.
    const isGone = page.waitForResponse((response) => response.status() === 404)
    await page.route('**/api/1.0/vault', (route) => isGone.then(() => route.continue()), { times: 1 })
    await readAgain()
    await expect.poll(shown).toBe('Next')
    await choose(visit, table)
    await page.getByText('2 objects', { exact: true }).waitFor()
    await create('Another, the first of the list')
    await readAgain()
    await page.getByRole('option', { name: 'Another' }).waitFor({ state: 'attached' })
    await page.getByText('2 objects', { exact: true }).waitFor()
    expect(await shown()).toBe('Next')
    visit.complaints.expect(/status of 404/)
  })

  it('goes on after a lost answer without making an object twice', async () => {
    const { visit, page, admin, objects } = await given()
    const rows = Array.from({ length: 12 }, (_, at) => `Thing ${at},ann,pw-${at}`)
    await choose(visit, `name,username,password\n${rows.join('\n')}\n`)
    let calls = 0
    await page.route('**/api/1.0/object', async (route) => {
      calls += 1
      if (calls === 3) {
        // Under way: nothing may begin it anew.
        await page.getByRole('button', { name: 'Stop' }).waitFor()
        expect(await page.getByRole('button', { name: 'Import 12 objects' }).isDisabled()).toBe(true)
        expect(await page.getByRole('button', { name: 'Choose another file' }).isDisabled()).toBe(true)
        expect(await page.getByRole('group', { name: 'Columns' }).count()).toBe(0)
      }
      // The fifth is carried out, by a client that the appliance takes it from, and its answer is lost.
      if (calls === 5) {
        await admin.must('POST', '/object', route.request().postDataJSON())
        return route.abort('connectionreset')
      }
      return route.continue()
    })
    await page.getByRole('button', { name: 'Import 12 objects' }).click()
    await page.getByRole('button', { name: 'Continue' }).click()
    await visit.hears('12 objects imported.')
    const names = (await objects()).map(({ objectname }) => objectname)
    expect(names.toSorted()).toEqual(Array.from({ length: 12 }, (_, at) => `Thing ${at}`).toSorted())
    visit.complaints.expect(/net::ERR_/)
  })

  it('goes on after a stop without making an object twice, although its call still runs', async () => {
    const { visit, page, objects } = await given()
    await choose(visit, 'name,username,password\nFirst,ann,1\nSecond,ann,2\nThird,ann,3\n')
    const second = await holdSecond(page)
    await page.getByRole('button', { name: 'Import 3 objects' }).click()
    await expect.poll(second.calls).toBe(2)
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByRole('button', { name: 'Continue' }).click()
    await page.getByRole('button', { name: 'Stop' }).waitFor()
    // A page that looks at once has looked by then.
    await objects()
    second.release()
    await visit.hears('3 objects imported.')
    expect((await objects()).map(({ objectname }) => objectname).toSorted()).toEqual(['First', 'Second', 'Third'])
  })

  it('is not left amid its objects without a question, nor ended by the choice of another vault', async () => {
    const { visit, page, objects } = await given()
    await choose(visit, 'name,username,password\nFirst,ann,1\nSecond,ann,2\n')
    const second = await holdSecond(page)
    await page.getByRole('button', { name: 'Import 2 objects' }).click()
    await expect.poll(second.calls).toBe(2)
    expect(await page.getByRole('combobox', { name: /^Vault/ }).isDisabled()).toBe(true)
    await page.getByRole('link', { name: 'One-time links' }).click()
    const question = page.getByRole('alertdialog', { name: 'Stop the import?' })
    await question.getByRole('button', { name: 'Stay on this page' }).click()
    await question.waitFor({ state: 'detached' })
    second.release()
    await visit.hears('2 objects imported.')
    expect(await objects()).toHaveLength(2)
    await page.getByRole('link', { name: 'One-time links' }).click()
    await visit.sees('One-time links')
  })

  it('opens an export of Bitwarden under a pass phrase, in a worker that ends', async () => {
    const { visit, page, admin, objects } = await given()
    const login = { username: 'ann', password: 'pw-1', totp: 'JBSWY3DPEHPK3PXP' }
    const item = {
      type: 1,
      name: 'Mail',
      notes: 'About it',
      favorite: true,
      login,
      passwordHistory: [{ password: 'pw-0' }],
    }
    const file = argon2Export(JSON.stringify({ items: [item] }), 'ett lösenord', 3)
    const open = async (text: string, passphrase: string): Promise<void> => {
      await choose(visit, text, 'export.json')
      await page.getByLabel('Pass phrase of the file', { exact: true }).fill(passphrase)
      await page.getByRole('button', { name: 'Open file' }).click()
    }
    await open(file, 'another')
    await page.getByRole('alert').getByText('The pass phrase is wrong').waitFor()
    await open(file.replace('"kdfMemory":16', '"kdfMemory":2048'), 'ett lösenord')
    await page.getByRole('alert').getByText('more than 1 GiB of memory').waitFor()
    await open(file.replace('"kdfMemory":16,', ''), 'ett lösenord')
    await page.getByRole('alert').getByText('does not say how its pass phrase is hashed').waitFor()
    await page.getByRole('button', { name: 'Show Pass phrase of the file' }).click()
    expect(await page.getByLabel('Pass phrase of the file', { exact: true }).getAttribute('type')).toBe('text')
    await open(file, 'ett lösenord')
    await page.getByText('1 earlier password is not imported.').waitFor()
    await page.getByRole('button', { name: 'Import 1 object' }).click()
    await visit.hears('1 object imported.')
    await expect.poll(() => page.workers()).toEqual([])
    const { OBJECT } = await admin.must('GET', `/object/${(await objects())[0]?.id}?decrypt=true`)
    const { username, ...secrets } = login
    expect(OBJECT).toMatchObject([
      { templateid: '37', public: { username }, crypted: { ...secrets, cryptedinfo: 'About it' } },
    ])
    expect((await admin.must('GET', '/favourites'))['OBJECT']).toMatchObject([{ objectname: 'Mail' }])
  })

  it('takes hostile texts as texts, and refuses what is no table', async () => {
    const { visit, page, objects } = await given()
    const quoted = hostileTexts.map((text) => `"${text.replaceAll('"', '""')}"`)
    await choose(visit, `name,username,password\n${quoted.map((text) => `${text},${text},${text}`).join('\n')}\n`)
    await page.getByRole('button', { name: `Import ${hostileTexts.length} objects` }).click()
    await visit.hears(`${hostileTexts.length} objects imported.`)
    expect((await objects()).map(({ objectname }) => objectname).toSorted()).toEqual(
      hostileTexts.map((text) => text.trim()).toSorted(),
    )
    expect(await page.evaluate('window.hit')).toBeUndefined()
    await choose(visit, '<svg onload=window.hit=1>', '<img src=x onerror=window.hit=1>.csv')
    await page
      .getByText('This is not a CSV file, a Bitwarden export or a KeePass file, or it is damaged. Choose another file.')
      .waitFor()
    expect(await page.evaluate('window.hit')).toBeUndefined()
  })
})

interface OpenedArchive {
  readonly objects: readonly { readonly name: string; readonly fields: object }[]
}

async function opened(path: string): Promise<OpenedArchive> {
  const decrypter = new Decrypter()
  decrypter.addPassphrase('a long pass phrase')
  return JSON.parse(await decrypter.decrypt(readFileSync(path), 'text')) as OpenedArchive
}

describe('an export', () => {
  it('holds what the person may read, under a pass phrase, and each reading is recorded', async () => {
    const { visit, page, admin, id } = await given()
    const add = (members: object) => admin.must('POST', '/object', { groupid: id, ...members })
    await add({ templateid: '20', name: 'Registrar', username: 'dns', password: 'An0ther-pass' })
    const { CALLINFO } = await add({ templateid: '5', name: 'Break glass', note: 'In an emergency' })
    await admin.must('PUT', `/object/${String(CALLINFO['objectid'])}/alarm`, { alarm: true })
    await page.reload()
    await page.getByText(/1 object raises an alarm when read/).waitFor()
    await page.getByLabel('Pass phrase', { exact: true }).fill('a long pass phrase')
    await page.getByLabel('Confirm pass phrase', { exact: true }).fill('another pass phrase')
    await page.getByRole('button', { name: 'Export' }).click()
    await page.getByText('The pass phrases do not match.').waitFor()
    // Who looks finds the typing error.
    await page.getByRole('button', { name: 'Show Confirm pass phrase' }).click()
    expect(await page.getByLabel('Confirm pass phrase', { exact: true }).getAttribute('type')).toBe('text')
    await page.getByLabel('Confirm pass phrase', { exact: true }).fill('a long pass phrase')
    // One lost call is made again.
    await page.route(/\?decrypt=true$/, (route) => route.abort(), { times: 1 })
    visit.complaints.expect(/net::ERR_FAILED/)
    const saved = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export' }).click()
    expect(await opened(await (await saved).path())).toMatchObject({
      vault: 'Moved',
      objects: [{ name: 'Registrar', fields: { username: 'dns', password: 'An0ther-pass' } }],
    })
    const read = eventsOf(stage.appliance).filter(
      ({ operation, vault }) => operation === 'object.decrypt' && vault === id,
    )
    expect(read).toHaveLength(1)
  })

  it('is of what the vault holds now: without alarms of since, and names what is damaged', async () => {
    const { visit, page, admin, id } = await given()
    const add = async (name: string) => {
      const members = { groupid: id, templateid: '20', name, username: 'dns', password: 'An0ther-pass' }
      return String((await admin.must('POST', '/object', members)).CALLINFO['objectid'])
    }
    const [damaged, alarmed] = [await add('Spoilt'), await add('Guarded')]
    await upload(admin, { groupid: id, description: 'of the door' }, Buffer.from('content'))
    await page.reload()
    await page.getByText(/1 file is not included/).waitFor()
    await add('Sound')
    await admin.must('PUT', `/object/${alarmed}/alarm`, { alarm: true })
    editDatabase(stage.appliance, `UPDATE object_secrets SET sealed_text = '' WHERE object_id = ${damaged}`)
    await page.getByLabel('Pass phrase', { exact: true }).fill('a long pass phrase')
    await page.getByLabel('Confirm pass phrase', { exact: true }).fill('a long pass phrase')
    const saved = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Export' }).click()
    const archive = await opened(await (await saved).path())
    expect(archive.objects.map(({ name }) => name).toSorted()).toEqual(['Sound', 'file.bin'])
    expect(archive.objects).toContainEqual(
      expect.objectContaining({ name: 'file.bin', fields: expect.objectContaining({ description: 'of the door' }) }),
    )
    await page.getByText('1 object could not be read, and is not in the file:').waitFor()
    await page.getByRole('listitem').getByText('Spoilt').waitFor()
    await page.getByText(/1 object raises an alarm when read/).waitFor()
    visit.complaints.expect(/status of 503/)
  })
})

it.each(looks)('import and export are sound in %s colours, %i pixels wide', async (theme, width) => {
  const { visit, page } = await given({ theme, width })
  await visit.expectSound('exchange')
  await choose(visit, table)
  await page.getByText('2 objects', { exact: true }).waitFor()
  await page.getByText('Login Info').or(page.getByText('Login with one-time code')).first().waitFor()
  await visit.expectSound('import')
})
