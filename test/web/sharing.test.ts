import { expect, it } from 'vitest'
import { createObject } from '../support/object-kit.ts'
import { makeVault } from '../support/vault.ts'
import type { TestUser } from '../support/appliance.ts'
import type { Visit } from './browser-kit.ts'
import { consoleStage } from './console-stage.ts'
import { hostileTexts } from './hostile-corpus.ts'
import { looks } from './looks.ts'

const stage = consoleStage()

/** A person who administers a vault of a name, before what the vault is. */
async function administrator(vaultname: string) {
  const owned = await stage.owner(vaultname)
  const { vaultid } = owned
  const visit = await stage.visitor()
  await visit.arrive(owned.user)
  await visit.open(`/vault/${vaultid}/about`)
  await visit.sees(`About ${vaultname}`)
  return { ...owned, visit, page: visit.page }
}

const itemOf = ({ page }: Visit, user: TestUser) => page.getByRole('listitem').filter({ hasText: user.username })

async function findPerson({ page }: Visit, user: TestUser): Promise<void> {
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('searchbox').fill(user.username)
  await dialog.getByText(`${user.username}@example.test`).click()
}

/** Of an administrator, where no owner is named. */
async function makeService(body: object): Promise<{ readonly id: string; readonly name: string }> {
  const registrar = await stage.appliance.login(await stage.appliance.addUser(['read', 'admin', 'active']))
  const { CALLINFO } = await registrar.must('POST', '/service', body)
  return CALLINFO['service'] as { id: string; name: string }
}

it('shares a vault, changes the right of a member, and removes the member, who is told at the next call', async () => {
  const { vaultid, client, visit, page } = await administrator('Harbour')
  const object = await createObject(client, vaultid, { host: 'crane.example.test', password: 'S3cret-crane' })
  const guest = await stage.appliance.addUser()
  const other = await stage.visitor()
  await other.arrive(guest)
  await other.page.getByText('No vaults are shared with you yet.').waitFor()

  await page.getByRole('button', { name: 'Share' }).click()
  await page.getByRole('dialog', { name: 'Share Harbour' }).getByRole('button', { name: 'Share' }).click()
  await page.getByText('Choose a person.').waitFor()
  await findPerson(visit, guest)
  await page.getByText('Read and write').click()
  await page.getByText('Can also create, change and delete objects.').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Share' }).click()
  await visit.hears('Vault shared with')
  await itemOf(visit, guest).getByText('Read and write').waitFor()

  await other.page.reload()
  await other.page.getByRole('link', { name: /Harbour/ }).click()
  await other.page.getByRole('link', { name: 'crane.example.test' }).waitFor()
  await itemOf(visit, guest)
    .getByRole('button', { name: /^Change permission of/ })
    .click()
  await page.getByRole('dialog').getByText('Read', { exact: true }).click()
  await page.getByRole('button', { name: 'Save' }).click()
  await itemOf(visit, guest).getByText('Read', { exact: true }).waitFor()

  await itemOf(visit, guest)
    .getByRole('button', { name: /^Remove/ })
    .click()
  await page
    .getByRole('dialog', { name: /from the vault\?/ })
    .getByRole('button', { name: 'Remove' })
    .click()
  await visit.hears('is no longer a member')
  // It is said before the list is read anew; behind the dialog, no list is seen.
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await itemOf(visit, guest).waitFor({ state: 'detached' })
  await other.page.getByRole('link', { name: 'crane.example.test' }).click()
  await other.sees('This could not be loaded')
  await other.page.getByText('(1610)').waitFor()
  expect(await other.page.content()).not.toContain('crane')
  await other.open(`/object/${object}`)
  await other.page.getByText('(1610)').waitFor()
  other.complaints.expect(/status of 404/)
})

it('begins at the search for a person, and stays at the kind of member as that is chosen', async () => {
  const { visit, page } = await administrator('Jetty')
  await page.getByRole('button', { name: 'Share' }).click()
  await expect.poll(() => visit.focused()).toBe('Find by name or email')
  const kind = page.getByRole('radio', { name: 'Person' })
  await kind.focus()
  await page.keyboard.press('ArrowRight')
  const search = page.getByRole('searchbox', { name: 'Find by name or email' })
  await search.waitFor({ state: 'detached' })
  await page.keyboard.press('ArrowLeft')
  await search.waitFor()
  expect(await kind.evaluate((one) => one === one.ownerDocument.activeElement)).toBe(true)
})

it.each([
  ['the account', true],
  ['its id', false],
])('begins at %s where the sharing with a service account is restored', async (_, hasService) => {
  const { user, visit, page, vaultid } = await administrator('Causeway')
  if (hasService) await makeService({ owner: user.id, name: `restored-${vaultid}` })
  await page.getByRole('button', { name: 'Share' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Service account', { exact: true }).click()
  // In another tab, the session ends and its person logs in again.
  const other = await visit.context.newPage()
  await other.goto(`${stage.appliance.url}/authinfo/logintypes`)
  const person: string = await other.evaluate(`localStorage.getItem('strongroom.person')`)
  await other.evaluate(`localStorage.removeItem('strongroom.person')`)
  await visit.sees('Log in')
  await other.evaluate(`localStorage.setItem('strongroom.person', ${JSON.stringify(person)})`)
  const first = dialog.getByLabel(hasService ? 'Account' : 'Service account ID', { exact: true })
  await first.waitFor()
  await expect.poll(() => first.evaluate((one) => one === one.ownerDocument.activeElement)).toBe(true)
})

it('says plainly that the last administrator cannot go, and keeps the dialog', async () => {
  const { visit, page } = await administrator('Lighthouse')
  await page.getByRole('button', { name: /^Change permission of/ }).click()
  await page.getByRole('dialog').getByText('Read', { exact: true }).click()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('dialog').getByRole('alert').getByText('(1403)').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Leave vault' }).click()
  await page.getByRole('dialog', { name: 'Leave Lighthouse?' }).getByRole('button', { name: 'Leave vault' }).click()
  await page.getByRole('dialog').getByRole('alert').getByText('(1403)').waitFor()
  await page.keyboard.press('Escape')
  await visit.sees('About Lighthouse')
  visit.complaints.expect(/status of 409/)
})

it('shows why a membership is on hold, and confirms it', async () => {
  const { vaultid, client, visit, page } = await administrator('Quay')
  const guest = await stage.appliance.addUser()
  await client.must('POST', `/vault/${vaultid}/member/${guest.id}`, { status: 2 })
  await stage.appliance.login(guest)
  const reset = await stage.appliance.login(await stage.appliance.addUser(['read', 'admin', 'active']))
  await reset.must('PUT', `/user/${guest.id}/passphrase`, { newpassphrase: 'eleven wooden lanterns on water' })
  await page.reload()
  await itemOf(visit, guest).getByText('On hold until confirmed').waitFor()
  await visit.expectSound('resting')
  await itemOf(visit, guest)
    .getByRole('button', { name: /^Confirm/ })
    .click()
  await page.getByText('Confirm only after you have asked the person').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Confirm' }).click()
  await page.getByText(' confirmed.').waitFor()
  await itemOf(visit, guest).getByText('On hold until confirmed').waitFor({ state: 'detached' })
})

it('shows a member of fewer rights who is a member, and nothing to change', async () => {
  const visit = await stage.member()
  const { page } = visit
  await page.getByRole('link', { name: /Network/ }).click()
  await page.getByRole('link', { name: 'Members' }).click()
  await visit.sees('About Network')
  await page.getByText('You:').waitFor()
  await page.getByText('(you)').waitFor()
  for (const name of ['Share', 'Edit', 'Delete vault', /^Remove/, /^Change permission/])
    expect(await page.getByRole('button', { name }).count()).toBe(0)
  await page.getByRole('button', { name: 'Leave vault' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Leave vault' }).click()
  await visit.sees('Vaults')
  await page.getByText('No vaults are shared with you yet.').waitFor()
})

it('shows what narrows a person, and gives back all of the vault', async () => {
  const { vaultid, client, visit, page } = await administrator('Depot')
  const guest = await stage.appliance.addUser()
  const grants = [{ keys: 'orders-*', operations: ['encrypt'], daily: 100 }, { objects: ['list', 'read'] }]
  await client.must('POST', `/vault/${vaultid}/member/${guest.id}`, { status: 1, grants })
  await page.reload()
  await itemOf(visit, guest).getByText('Keys orders-*: encrypt, 100 per day').waitFor()
  await itemOf(visit, guest).getByText('Objects: list, read').waitFor()
  await itemOf(visit, guest)
    .getByRole('button', { name: /^Change permission of/ })
    .click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('radio', { name: 'Limited', checked: true }).waitFor()
  await dialog.getByText('Read and write').click()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'detached' })
  await itemOf(visit, guest).getByText('Read and write').waitFor()
  const { CALLINFO } = await client.must('GET', `/vault/${vaultid}/members`)
  expect(CALLINFO['vaultmembers']).toContainEqual(expect.objectContaining({ id: String(guest.id), groupstatus: '2' }))
  expect(JSON.stringify(CALLINFO)).not.toContain('grants')
})

it('gives back nothing that another Admin has taken meanwhile, until the person has seen that', async () => {
  const { vaultid, client, visit, page } = await administrator('Quay')
  const guest = await stage.appliance.addUser()
  const member = `/vault/${vaultid}/member/${guest.id}`
  const [keys, objects] = [{ keys: 'orders-*', operations: ['encrypt'] }, { objects: ['list', 'read'] }]
  const grantsNow = async (): Promise<unknown> => {
    const { CALLINFO } = await client.must('GET', `/vault/${vaultid}/members`)
    return (CALLINFO['vaultmembers'] as { id: string; grants?: unknown }[]).find(({ id }) => id === String(guest.id))
      ?.grants
  }
  await client.must('POST', member, { status: 1, grants: [keys, objects] })
  await page.reload()
  const dialog = page.getByRole('dialog')
  const open = async (): Promise<void> => {
    await itemOf(visit, guest)
      .getByRole('button', { name: /^Change permission of/ })
      .click()
    await dialog.getByRole('radio', { name: 'Limited', checked: true }).waitFor()
    await client.must('PUT', member, { status: 1, grants: [keys] })
  }
  // Nothing was changed here, so that nothing is sent.
  await open()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'detached' })
  expect(await grantsNow()).toEqual([keys])
  await client.must('PUT', member, { status: 1, grants: [keys, objects] })
  await page.reload()
  await open()
  await dialog.getByLabel('Maximum items per day').fill('50')
  await dialog.getByRole('button', { name: 'Save' }).click()
  const told = dialog.getByRole('alert')
  await told.getByText('Someone else has changed this permission').waitFor()
  await told.getByText('Keys orders-*: encrypt').waitFor()
  expect(await told.getByText('Objects').count()).toBe(0)
  expect(await visit.findings()).toEqual([])
  expect(await grantsNow()).toEqual([keys])
  expect(await dialog.getByLabel('Maximum items per day').inputValue()).toBe('50')
  // Who has seen it decides.
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'detached' })
  expect(await grantsNow()).toEqual([{ ...keys, daily: 50 }, objects])
})

it('lets a service account in by what it may do, and changes that', async () => {
  const { user, vaultid, client, visit, page } = await administrator('Slipway')
  const { id, name } = await makeService({ owner: user.id, name: `mail-form-${vaultid}`, description: 'Orders' })
  const grantsNow = async (): Promise<unknown> => {
    const answer = await client.must('GET', `/vault/${vaultid}/members`)
    return (answer.CALLINFO['vaultmembers'] as { id: string }[]).find((member) => member.id === id)
  }
  await page.getByRole('button', { name: 'Share' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Service account', { exact: true }).click()
  await dialog.getByRole('button', { name: 'Share' }).click()
  for (const wrong of ['Choose a service account.', 'Use only letters, digits', 'Choose at least one operation.'])
    await dialog.getByText(wrong).waitFor()
  await dialog.getByLabel('Account', { exact: true }).selectOption({ label: `${name} – Orders` })
  await dialog.getByLabel('Key names').fill('orders-*')
  await dialog.getByLabel('encrypt', { exact: true }).check()
  await dialog.getByLabel('sign', { exact: true }).check()
  await dialog.getByLabel('Additional data starts with').fill('form:')
  await dialog.getByLabel('Maximum items per day').fill('0')
  await dialog.getByRole('button', { name: 'Share' }).click()
  await dialog.getByText('Enter valid Base64.').waitFor()
  await dialog.getByText('Enter a number of 1 or more.').waitFor()
  await dialog.getByLabel('Additional data starts with').fill('Zm9ybTo=')
  await dialog.getByText('Add a separate entry').waitFor()
  await dialog.getByLabel('sign', { exact: true }).uncheck()
  await dialog.getByLabel('Maximum items per day').fill('100')
  await visit.expectSound('share-service')
  await dialog.getByRole('button', { name: 'Share' }).click()
  await visit.hears(`Vault shared with ${name}.`)
  const item = page.getByRole('listitem').filter({ hasText: name })
  await item.getByText('Keys orders-*: encrypt, with certain additional data, 100 per day').waitFor()
  const keys = { keys: 'orders-*', operations: ['encrypt'], aad: 'Zm9ybTo=', daily: 100 }
  expect(await grantsNow()).toMatchObject({ groupstatus: '1', service: true, grants: [keys] })

  await item.getByRole('button', { name: /^Change permission of/ }).click()
  expect(await dialog.getByRole('radio').count()).toBe(0)
  await dialog.getByRole('button', { name: 'Remove entry 1' }).click()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByText('Say what it may do').waitFor()
  await dialog.getByRole('button', { name: 'Add objects' }).click()
  await dialog.getByLabel('list', { exact: true }).check()
  await dialog.getByRole('button', { name: 'Add keys' }).click()
  await dialog.getByLabel('Key names').fill('mail-*')
  await dialog.getByLabel('create data keys').check()
  await dialog.getByLabel('Refuse calls with fields').check()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await item.getByText('Keys mail-*: create data keys, unknown fields refused').waitFor()
  const changed = [{ objects: ['list'] }, { keys: 'mail-*', operations: ['datakey'], strict: true }]
  expect(await grantsNow()).toMatchObject({ groupstatus: '1', grants: changed })
})

it('takes the number of a service account that another owns, in Swedish too', async () => {
  const { vaultid, client, visit, page } = await administrator('Drydock')
  const { id } = await makeService({ name: `crane-${vaultid}` })
  await page.getByRole('button', { name: 'Svenska' }).click()
  await page.getByRole('button', { name: 'Dela', exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('Tjänstekonto', { exact: true }).click()
  await dialog.getByLabel('Tjänstekontots ID').fill(id)
  await dialog.getByLabel('Nycklarnas namn').fill('*')
  await dialog.getByLabel('dekryptera', { exact: true }).check()
  expect(await visit.findings()).toEqual([])
  const most = dialog.getByLabel('Högsta antal per dag')
  await most.fill('2000000000')
  await dialog.getByRole('button', { name: 'Dela', exact: true }).click()
  await dialog.getByText('Systemet tar inte emot det så här. (1804)').waitFor()
  // What exactly is wrong is said by the appliance, in English.
  await dialog.getByText('daily must be 1 to 1000000000').waitFor()
  await most.fill('')
  await dialog.getByRole('button', { name: 'Dela', exact: true }).click()
  await page.getByText(`Valvet delas med tjänstekonto ${id}.`).waitFor()
  await page.getByText('Nycklar *: dekryptera').waitFor()
  const answer = await client.must('GET', `/vault/${vaultid}/members`)
  expect(answer.CALLINFO['vaultmembers']).toContainEqual(
    expect.objectContaining({ id, grants: [{ keys: '*', operations: ['decrypt'] }] }),
  )
  visit.complaints.expect(/status of 400/)
})

it('shares by the keyboard alone', async () => {
  const { visit, page } = await administrator('Pier')
  const guest = await stage.appliance.addUser()
  await page.getByRole('button', { name: 'Share' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').waitFor()
  await expect.poll(() => visit.focused()).toBe('Find by name or email')
  await page.keyboard.type(guest.username)
  await page.getByRole('radio', { name: new RegExp(guest.username) }).waitFor()
  // A pause between two keys finds others by the beginning of the name.
  await expect.poll(() => page.getByRole('radio', { name: /@example\.test/ }).count()).toBe(1)
  // The button that clears the field is none of the stops.
  await page.keyboard.press('Tab')
  await page.keyboard.press('Space')
  await page.keyboard.press('Tab')
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  expect(await visit.focused()).toBe('Share')
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await itemOf(visit, guest).getByText('Read and write').waitFor()
  await expect.poll(() => visit.focused()).toBe('Share')
})

it('says where a person may be missing from what the search found', async () => {
  const { client, page } = await administrator('Crowd')
  const guest = await stage.appliance.addUser()
  const text = `${guest.username}@example.test`
  const answer = await client.must('GET', `/user?searchstring=${encodeURIComponent(text.slice(0, 15))}&limit=100`)
  // As where 100 others with the same beginning come before the person.
  answer.CALLINFO['next'] = guest.id
  await page.route(/\/user\?searchstring=/, (route) => route.fulfill({ json: answer }))
  await page.getByRole('button', { name: 'Share' }).click()
  const dialog = page.getByRole('dialog')
  const told = dialog.getByText(`More than 100 people match ${text.slice(0, 15)}`)
  await dialog.getByRole('searchbox').fill(`${text} and more`)
  await told.waitFor()
  await dialog.getByRole('searchbox').fill(text)
  await dialog.getByRole('radio', { name: new RegExp(guest.username) }).waitFor()
  await told.waitFor()
})

it('shows what people are called as text', async () => {
  const { vaultid, client, page } = await administrator(String(hostileTexts[0]))
  const registrar = await stage.appliance.login(await stage.appliance.addUser(['read', 'admin', 'active']))
  for (const [at, text] of hostileTexts.entries()) {
    const guest = await stage.appliance.addUser()
    await registrar.must('PUT', `/user/${guest.id}`, {
      fullname: text.slice(0, 64),
      email: `guest${at}.of${vaultid}@example.test`,
    })
    if (at % 2 === 0) await client.must('POST', `/vault/${vaultid}/member/${guest.id}`, { status: 1 })
  }
  await page.reload()
  for (const [at, text] of hostileTexts.entries())
    if (at % 2 === 0) await page.getByText(text.slice(0, 64), { exact: true }).first().waitFor()
  await page.getByRole('button', { name: 'Share' }).click()
  // Other files have guests on the same appliance.
  await page.getByRole('dialog').getByRole('searchbox').fill(`.of${vaultid}@`)
  for (const [at, text] of hostileTexts.entries())
    if (at % 2 === 1) await page.getByRole('dialog').getByText(text.slice(0, 64), { exact: true }).waitFor()
  expect(await page.title()).toBe('About this vault · Strongroom')
  expect(await page.evaluate('window.hit')).toBeUndefined()
})

it.each(looks)(
  'is without a finding of axe-core in %s colours, and %i pixels are wide enough',
  async (theme, width) => {
    const visit = await stage.visitor({ theme, width, height: width === 360 ? 720 : 800 })
    const { page } = visit
    const { client, vaultid } = stage.stocked
    // Each code of an authenticator app is good once.
    const user = await stage.appliance.addUser()
    await client.must('POST', `/vault/${vaultid}/member/${user.id}`, { status: 4 })
    await visit.arrive(user)
    await visit.open(`/vault/${vaultid}/about`)
    await visit.sees('About Network')
    await page.getByText('(you)').waitFor()
    await visit.expectSound('members')
    await page.getByRole('button', { name: 'Share' }).click()
    await page.getByRole('dialog').getByRole('searchbox').fill('user')
    await page
      .getByRole('radio', { name: /example.test/ })
      .first()
      .waitFor()
    await visit.expectSound('share')
    await page.getByRole('dialog').getByText('Service account', { exact: true }).click()
    await page.getByLabel('Key names').waitFor()
    await visit.expectSound('share-application')
    await page.getByRole('button', { name: 'Cancel' }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await page
      .getByRole('button', { name: /^Change permission of/ })
      .first()
      .click()
    await page.getByRole('dialog').waitFor()
    await visit.expectSound('change-right')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Edit' }).click()
    await page.getByLabel('Password policy').waitFor()
    await visit.expectSound('edit-vault')
    await page.keyboard.press('Escape')
    await page.getByRole('button', { name: 'Delete vault' }).click()
    await page.getByLabel('Type the name of the vault to confirm').fill('Netwerk')
    await page.keyboard.press('Enter')
    await page.getByText('The name does not match.').waitFor()
    await visit.expectSound('delete-vault')
  },
)

it('takes the number of a person from an administrator of the vault who may not look for people', async () => {
  const owner = await stage.appliance.login()
  const { id: vaultid } = await makeVault(stage.appliance, 'Quay', owner)
  const user = await stage.appliance.addUser(['read', 'active'])
  await owner.must('POST', `/vault/${vaultid}/member/${user.id}`, { status: 4 })
  const guest = await stage.appliance.addUser()
  const told = await stage.visitor()
  await told.arrive(guest)
  await told.open('/me')
  await told.page.getByText(`Your user ID is ${guest.id}.`).waitFor()

  const visit = await stage.visitor()
  const { page } = visit
  await visit.arrive(user)
  await visit.open(`/vault/${vaultid}/about`)
  await page.getByRole('button', { name: 'Share' }).click()
  const dialog = page.getByRole('dialog', { name: 'Share Quay' })
  await dialog.getByText('You cannot search for people').waitFor()
  expect(await visit.findings()).toEqual([])
  const number = dialog.getByLabel('User ID')
  await number.fill('../1')
  await dialog.getByRole('button', { name: 'Share' }).click()
  await dialog.getByText('Enter digits only.').waitFor()
  await number.fill('999999999')
  await dialog.getByRole('button', { name: 'Share' }).click()
  await dialog.getByRole('alert').waitFor()
  await number.fill(String(guest.id))
  await dialog.getByRole('button', { name: 'Share' }).click()
  await visit.hears(`Vault shared with user ${guest.id}.`)
  await itemOf(visit, guest).getByText('Read', { exact: true }).waitFor()
  visit.complaints.expect(/status of 404/)
})
