import { beforeAll, describe, expect, it } from 'vitest'
import { createObject, objectsIn, readObject, recordsAbout, type ObjectRecord } from '../support/object-kit.ts'
import { consoleStage } from './console-stage.ts'
import type { Visit, VisitOptions } from './browser-kit.ts'
import { looks } from './looks.ts'

const stage = consoleStage()

/** A vault whose policy asks for something. */
let strict: string
beforeAll(async () => {
  const { client } = stage.stocked
  const { VAULT } = await client.must('POST', '/vault', { vaultname: 'Strict', policy: 7 })
  strict = (VAULT as { id: string }[])[0]?.id ?? ''
})

/** A member who may write in both vaults, or more. */
async function writer(options?: VisitOptions, status = 2): Promise<Visit> {
  const { client, vaultid } = stage.stocked
  const user = await stage.appliance.addUser()
  for (const vault of [vaultid, strict]) await client.must('POST', `/vault/${vault}/member/${user.id}`, { status })
  const visit = await stage.visitor(options)
  await visit.arrive(user)
  return visit
}

const read = (id: string, query = ''): Promise<ObjectRecord> => readObject(stage.stocked.client, id, query)
const allOf = async (vaultid: string): Promise<ObjectRecord[]> =>
  objectsIn(await stage.stocked.client.must('GET', `/vault/${vaultid}`), 'OBJECTS')
const called = async (vaultid: string, name: string): Promise<ObjectRecord[]> =>
  (await allOf(vaultid)).filter(({ objectname }) => objectname === name)
const idIn = ({ page }: Visit): string => /#\/object\/(\d+)$/.exec(page.url())?.[1] ?? ''

/** Chooses a template, from the vault's own view on. */
async function begin(visit: Visit, vaultid: string, template: string, folder = '0'): Promise<void> {
  await visit.open(`/vault/${vaultid}/${folder}/new`)
  await visit.sees('New object')
  await visit.page.getByRole('searchbox').fill(template)
  await visit.page.getByRole('button', { name: new RegExp(`^${template}`) }).click()
}

describe('creating', () => {
  it('is done by the keyboard alone, and shows what was made', async () => {
    const visit = await writer()
    const { page } = visit
    const { keyboard } = page
    await visit.open(`/vault/${strict}`)
    await visit.sees('Strict')
    await visit.tabTo(/^New object/)
    await keyboard.press('Enter')
    await visit.sees('New object')
    await visit.tabTo(/^Search templates/)
    await keyboard.type('Login Info')
    await visit.tabTo(/^Login Info/)
    await keyboard.press('Enter')
    await visit.tabTo(/^Name$/)
    await keyboard.type('Use the key')
    await visit.tabTo(/^Username/)
    await keyboard.type('operator')
    await visit.tabTo(/^Password/)
    await keyboard.type('short')
    await page.getByText('4 requirements are not met.').waitFor({ state: 'attached' })
    await page.getByRole('listitem').filter({ hasText: 'At least 14 characters (not met)' }).waitFor()
    await page.getByRole('listitem').filter({ hasText: 'At least 1 lowercase letter (met)' }).waitFor()
    await visit.tabTo(/^Generate Password/)
    await keyboard.press('Enter')
    await page.getByText(/^Strong: /).waitFor()
    await visit.tabTo(/^Use this password/)
    await keyboard.press('Enter')
    await page.getByText('Meets all requirements.').waitFor({ state: 'attached' })
    await visit.tabTo(/^Create$/)
    await keyboard.press('Enter')
    await visit.sees('Use the key')
    const made = await read(idIn(visit), '?decrypt=true')
    expect(made).toMatchObject({
      templateid: '20',
      status: '128',
      public: { name: 'Use the key', username: 'operator' },
    })
    expect(made.crypted?.['password']).toMatch(/^\S{14,}$/)
  })

  it('makes one object, however often its button is pressed', async () => {
    const visit = await writer()
    const { page } = visit
    await begin(visit, strict, 'Short login')
    await page.getByLabel('Username').fill('pressed twice')
    await page.getByLabel('Password', { exact: true }).fill('weak')
    await page.getByRole('button', { name: 'Create' }).dblclick()
    await visit.sees('pressed twice')
    await visit.hears('A value does not meet the vault’s password policy')
    expect(await called(strict, 'pressed twice')).toHaveLength(1)
  })

  it('keeps what was typed when the network is cut, and makes no second one of what had arrived', async () => {
    const visit = await writer()
    const { page } = visit
    await begin(visit, strict, 'Short login')
    await page.getByLabel('Username').fill('cut off')
    await page.getByLabel('Password', { exact: true }).fill('S3cret-pass.phrase')
    const address = `${stage.appliance.url}/object`
    await page.route(address, async (route) => {
      // Sent by a client: from what is not the page itself the appliance takes no cookie.
      await stage.stocked.client.must('POST', '/object', route.request().postDataJSON())
      await route.abort()
    })
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByText('The appliance cannot be reached.').waitFor()
    await page.getByText('It may have been saved anyway.').waitFor()
    expect(await page.getByLabel('Username').inputValue()).toBe('cut off')
    expect(await page.getByLabel('Password', { exact: true }).inputValue()).toBe('S3cret-pass.phrase')
    await page.unroute(address)
    await page.getByRole('button', { name: 'Create' }).click()
    await visit.sees('cut off')
    expect(await called(strict, 'cut off')).toHaveLength(1)
    // What never arrived is made by the next try.
    await begin(visit, strict, 'Short login')
    await page.getByLabel('Username').fill('never arrived')
    await page.getByLabel('Password', { exact: true }).fill('S3cret-pass.phrase')
    await page.route(address, (route) => route.abort())
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByText('It may have been saved anyway.').waitFor()
    await page.unroute(address)
    await page.getByRole('button', { name: 'Create' }).click()
    await visit.sees('never arrived')
    expect(await called(strict, 'never arrived')).toHaveLength(1)
    visit.complaints.expect(/net::ERR_FAILED/)
  })

  it('asks for what a template needs, and leads into a new folder', async () => {
    const visit = await writer()
    const { page } = visit
    await begin(visit, strict, 'Folder')
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByText('Fill in this field.').waitFor()
    await page.getByLabel('Name', { exact: true }).fill('Hall C')
    await page.getByRole('button', { name: 'Create' }).click()
    await visit.sees('Hall C')
    expect(page.url()).toContain(`#/vault/${strict}/`)
  })

  it('is not offered to a member who may read', async () => {
    const visit = await stage.member()
    await visit.open(`/vault/${stage.stocked.vaultid}`)
    await visit.sees('Network')
    expect(await visit.page.getByRole('link', { name: 'New object' }).count()).toBe(0)
    await visit.open(`/object/${stage.stocked.server}`)
    await visit.sees('core1.example.test')
    expect(await visit.page.getByRole('link', { name: 'Edit' }).count()).toBe(0)
    for (const address of [`/vault/${stage.stocked.vaultid}/0/new`, `/object/${stage.stocked.server}/edit`]) {
      await visit.open(address)
      await visit.page.getByText('You can read this vault but not change it.').waitFor()
    }
  })
})

describe('the generator', () => {
  it.each([1280, 360])('does not move its buttons as the password changes, %i pixels wide', async (width) => {
    const visit = await writer({ width })
    const { page } = visit
    await begin(visit, strict, 'Short login')
    const passphrases = [8, 60, 120, 8].map((length, at) => String(at).repeat(length))
    let made = 0
    await page.route(/\/utils\/pwgen/, async (route) => {
      const answer = await stage.stocked.client.must('GET', '/utils/pwgen')
      const CALLINFO = { ...answer.CALLINFO, passphrase: passphrases[made] }
      await route.fulfill({ json: { ...answer, CALLINFO } })
    })
    await page.getByRole('button', { name: 'Generate Password' }).click()
    const places: unknown[] = []
    for (const passphrase of passphrases) {
      await expect.poll(() => page.getByLabel('Generated').textContent()).toBe(passphrase)
      await page.getByText(/^(Weak|Fair|Strong): /).waitFor()
      places.push(await page.getByRole('button', { name: 'Use this password' }).boundingBox())
      places.push((await page.getByRole('button', { name: 'Generate another' }).boundingBox())?.x)
      made += 1
      if (made < passphrases.length) await page.getByRole('button', { name: 'Generate another' }).click()
    }
    expect(places).toEqual(passphrases.flatMap(() => places.slice(0, 2)))
  })

  it.each([
    ['Random characters', /^[\x21-\x7e]{24}$/],
    ['Pronounceable', /^[a-z]{16}$/],
    ['Words', /^([a-z]+-){5}[a-z]+$/],
    ['Short words (OPIE)', /^([A-Z]+-){11}[A-Z]+$/],
    ['Digits', /^\d{6}$/],
    ['Hexadecimal', /^[0-9a-f]{64}$/],
  ])('makes %s', async (kind, form) => {
    const visit = await writer()
    const { page } = visit
    await begin(visit, strict, 'Short login')
    await page.getByRole('button', { name: 'Generate Password' }).click()
    await page.getByLabel('Type').selectOption(kind)
    const output = page.getByLabel('Generated')
    await expect.poll(() => output.textContent()).toMatch(form)
    const first = await output.textContent()
    await page.getByRole('button', { name: 'Generate another' }).click()
    await expect.poll(() => output.textContent()).not.toBe(first)
    await expect.poll(() => output.textContent()).toMatch(form)
    await page.getByText(kind === 'Digits' ? /^Weak: / : /^(Fair|Strong): /).waitFor()
    const shown = await output.textContent()
    await page.getByRole('button', { name: 'Use this password' }).click()
    await expect.poll(() => page.getByLabel('Password', { exact: true }).inputValue()).toBe(shown)
    expect(visit.asked.filter((url) => url.endsWith('/object'))).toEqual([])
  })
})

describe('editing', () => {
  it('knows a vault, and the right in it, that was shared after the list of vaults was read', async () => {
    const visit = await stage.visitor()
    const { page } = visit
    const user = await stage.appliance.addUser()
    await visit.arrive(user)
    const { client, vaultid } = await stage.owner('Late')
    const id = await createObject(client, vaultid, { host: 'late.example.test' })
    await client.must('POST', `/vault/${vaultid}/member/${user.id}`, { status: 4 })
    await visit.open(`/object/${id}/edit`)
    await visit.sees('Edit late.example.test')
    await page.getByRole('link', { name: 'Late', exact: true }).waitFor()
    await page.getByRole('button', { name: 'Save' }).waitFor()
  })

  it('sends what was changed alone, reads no secret for it, and keeps the rest', async () => {
    const id = await createObject(stage.stocked.client, strict, { info: 'Rack 1' })
    const visit = await writer()
    const { page } = visit
    await visit.open(`/object/${id}`)
    await page.getByRole('link', { name: 'Edit' }).click()
    await visit.sees('Edit core1.example.test')
    const sent = page.waitForRequest((request) => request.method() === 'PUT')
    await page.getByLabel('Information', { exact: false }).first().fill('Rack 2')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    expect((await sent).postDataJSON()).toEqual({ info: 'Rack 2', ifVersion: '1' })
    await visit.sees('core1.example.test')
    await page.getByText('Rack 2').waitFor()
    expect(recordsAbout(stage.appliance, `object ${id}`).map(({ operation }) => operation)).not.toContain(
      'object.decrypt',
    )
    await page.getByRole('link', { name: 'Edit' }).click()
    await page.getByRole('button', { name: 'Change Password' }).click()
    await page.getByLabel('Password', { exact: true }).fill('An0ther.pass-phrase')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await visit.sees('core1.example.test')
    expect(await read(id, '?decrypt=true')).toMatchObject({
      public: { host: 'core1.example.test', info: 'Rack 2' },
      crypted: { password: 'An0ther.pass-phrase' },
    })
  })

  it('tells the second of two people, shows both values, and saves what is decided', async () => {
    const { client } = stage.stocked
    const id = await createObject(client, strict, { info: 'first' })
    const visit = await writer()
    const { page } = visit
    await visit.open(`/object/${id}/edit`)
    await visit.sees('Edit core1.example.test')
    await page.getByLabel('Information').first().fill('mine')
    await page.getByLabel('Username').fill('my user')
    await client.must('PUT', `/object/${id}`, { info: 'theirs', host: 'their.example.test', username: 'their user' })
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('alert').filter({ hasText: 'Someone else has changed this object' }).waitFor()
    expect(await page.getByLabel('Host').inputValue()).toBe('their.example.test')
    expect(await page.getByLabel('Information').first().inputValue()).toBe('mine')
    await page.getByText('theirs', { exact: true }).waitFor()
    expect(await visit.findings()).toEqual([])
    await page.getByRole('button', { name: 'Use saved value: Username' }).click()
    expect(await page.getByLabel('Username').inputValue()).toBe('their user')
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await visit.sees('their.example.test')
    expect((await read(id)).public).toMatchObject({ info: 'mine', host: 'their.example.test', username: 'their user' })
    visit.complaints.expect(/status of 409/)
  })

  it('is not left without a question while something is unsaved', async () => {
    const id = await createObject(stage.stocked.client, strict, { info: 'as it was' })
    const visit = await writer()
    const { page } = visit
    await visit.open(`/object/${id}`)
    await page.getByRole('link', { name: 'Edit' }).click()
    await visit.sees('Edit core1.example.test')
    await page.getByLabel('Username').fill('unsaved')
    const question = page.getByRole('alertdialog', { name: 'Leave without saving?' })
    const leaveBy = [
      () => page.getByRole('link', { name: 'Vaults' }).first().click(),
      () => page.evaluate('history.back()'),
      () => page.getByRole('link', { name: 'Cancel' }).click(),
    ]
    for (const leave of leaveBy) {
      await leave()
      await question.getByRole('button', { name: 'Stay on this page' }).click()
      await question.waitFor({ state: 'detached' })
      await expect.poll(() => page.url()).toContain('/edit')
      expect(await page.getByLabel('Username').inputValue()).toBe('unsaved')
    }
    const closing = page.waitForEvent('dialog')
    // Not by page.reload, which waits for a load until its time is over.
    await page.evaluate('setTimeout(() => location.reload())')
    const dialog = await closing
    expect(dialog.type()).toBe('beforeunload')
    await dialog.dismiss()
    expect(await page.getByLabel('Username').inputValue()).toBe('unsaved')
    await page.getByRole('link', { name: 'Vaults' }).first().click()
    await question.getByRole('button', { name: 'Leave without saving' }).click()
    await visit.sees('Vaults')
    expect((await read(id)).public['username']).toBe('netops')
  })

  it('switches the alarm for who administers, and deletes with what lies below', async () => {
    const { client } = stage.stocked
    const folder = await createObject(client, strict, { templateid: '2', name: 'Old hall' })
    const inner = await createObject(client, strict, { templateid: '2', name: 'Old rack', parentid: folder })
    const leaf = await createObject(client, strict, { host: 'old.example.test', parentid: inner })
    const visit = await writer({}, 4)
    const { page } = visit
    await visit.open(`/object/${leaf}`)
    await page.getByRole('button', { name: 'Turn on alarm' }).click()
    await page.getByText('Raises an alarm when a secret is shown').waitFor()
    expect((await read(leaf))['alarmed']).toBeTruthy()
    await page.getByRole('button', { name: 'Turn off alarm' }).click()
    await page.getByRole('button', { name: 'Turn on alarm' }).waitFor()
    await visit.open(`/object/${folder}`)
    await page.getByRole('button', { name: 'Delete' }).click()
    const question = page.getByRole('alertdialog', { name: 'Delete Old hall?' })
    for (const name of ['Old rack', 'old.example.test']) await question.getByText(name).waitFor()
    await question.getByRole('button', { name: 'Delete all 3' }).click()
    await visit.sees('Strict')
    expect((await allOf(strict)).map(({ id }) => id)).not.toEqual(expect.arrayContaining([folder]))
  })
})

it.each(looks)('creating and editing are sound in %s colours, %i pixels wide', async (theme, width) => {
  const visit = await writer({ theme, width, height: width === 360 ? 720 : 900 }, 4)
  const { page } = visit
  await visit.open(`/vault/${strict}/0/new`)
  await visit.sees('New object')
  await page.getByRole('button', { name: /^Server/ }).waitFor()
  await visit.expectSound('new-object')
  await page.getByRole('button', { name: /^Server/ }).click()
  await page.getByLabel('Password', { exact: true }).fill('Short-1')
  await page.getByRole('listitem').filter({ hasText: '(not met)' }).waitFor()
  await visit.expectSound('new-server')
  await page.getByRole('button', { name: 'Generate Password' }).click()
  await page.getByText(/^Strong: /).waitFor()
  await visit.expectSound('generator')
  await page.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('link', { name: 'Cancel' }).click()
  await page.getByRole('alertdialog').waitFor()
  await visit.expectSound('unsaved')
  await page.getByRole('button', { name: 'Leave without saving' }).click()
  await visit.sees('Strict')
  await visit.expectSound('vault-of-writer')
  await visit.open(`/object/${stage.stocked.file}/edit`)
  await visit.sees('Edit plan.svg')
  await visit.expectSound('edit-file')
  await visit.open(`/object/${stage.stocked.folder}`)
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('alertdialog').getByText('Hall B').waitFor()
  await visit.expectSound('delete')
})
