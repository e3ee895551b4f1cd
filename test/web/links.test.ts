import { describe, expect, it, onTestFinished } from 'vitest'
import { createObject, recordsAbout } from '../support/object-kit.ts'
import { eventsOf } from '../support/trail.ts'
import { TestAppliance } from '../support/appliance.ts'
import { makeVault } from '../support/vault.ts'
import { Visit } from './browser-kit.ts'
import { consoleStage } from './console-stage.ts'
import { hostileTexts } from './hostile-corpus.ts'
import { looks } from './looks.ts'

const stage = consoleStage()

it('is not offered where the appliance makes none', async () => {
  const appliance = await TestAppliance.own({ links: { enabled: false } })
  onTestFinished(() => appliance.close())
  const user = await appliance.addUser()
  const client = await appliance.login(user)
  const object = await createObject(client, (await makeVault(appliance, 'Servers', client)).id)
  const visit = await Visit.start(appliance)
  const { page } = visit
  await visit.arrive(user)
  // The page has heard by then what is offered here, so that the object is drawn once.
  await visit.open('/me')
  await visit.sees('Your account')
  await visit.open(`/object/${object}`)
  await page.getByRole('button', { name: 'Show Password' }).waitFor()
  expect(await page.getByRole('button', { name: /^Share once/ }).count()).toBe(0)
  visit.complaints.expect(/403/)
  await visit.open('/exchange')
  await visit.sees('Import and export')
  expect(await page.getByRole('link', { name: 'One-time links' }).count()).toBe(0)
  await visit.open('/links')
  await page
    .getByText('One-time links are turned off on this appliance. Ask your administrator if you need them.')
    .waitFor()
})

async function madeLink(visit: Visit, secret: string, label = 'For Kim'): Promise<string> {
  const { page } = visit
  await visit.open('/links')
  await visit.sees('One-time links')
  await page.getByLabel('Secret').fill(secret)
  await page.getByLabel('Label').fill(label)
  await page.getByRole('button', { name: 'Create link' }).click()
  await page.getByRole('heading', { name: 'Your link', exact: true }).waitFor()
  return (await page.getByRole('status', { name: 'Your link' }).textContent()) ?? ''
}

describe('a one-time link', () => {
  it('is opened once by a person without a login, and leaves no key in the history', async () => {
    const maker = await stage.member()
    const secret = 'The door is 4711,\nand the alarm 0815.'
    const address = await madeLink(maker, secret)
    expect(address).toMatch(/\/#\/link\/[\w-]{22}\/[\w-]{43}$/)

    const receiver = await stage.visitor()
    await receiver.page.goto(address)
    await receiver.sees('A secret for you')
    await expect.poll(() => receiver.page.url()).toBe(`${receiver.origin}/#/link`)
    await receiver.page.getByRole('button', { name: 'Show the secret' }).click()
    await expect.poll(() => receiver.page.getByRole('status', { name: 'Secret' }).textContent()).toBe(secret)
    const key = address.split('/').at(-1) ?? ''
    expect(receiver.asked.filter((url) => url.split('#')[0]?.includes(key))).toEqual([])

    const second = await stage.visitor()
    await second.page.goto(address)
    await second.page.route('**/link/open', (route) => route.abort(), { times: 1 })
    await second.page.getByRole('button', { name: 'Show the secret' }).click()
    await second.page.getByText('it was lost on the way: ask the sender for a new link').waitFor()
    await second.page.getByRole('button', { name: 'Show the secret' }).click()
    await second.page.getByText('The secret is no longer available').waitFor()
    second.complaints.expect(/net::ERR_FAILED/, /status of 404/)

    await maker.page.reload()
    await maker.sees('One-time links')
    await maker.page.getByText(/^Opened/).waitFor()
  })

  it('is not left behind without a question, until it is copied', async () => {
    const maker = await stage.member()
    const { page } = maker
    const address = await madeLink(maker, 'a secret', 'Left')
    await maker.open('/')
    const question = page.getByRole('alertdialog', { name: 'Leave without the link?' })
    await maker.expectSound('link-left')
    await question.getByRole('button', { name: 'Stay on this page' }).click()
    expect(await page.getByRole('status', { name: 'Your link' }).textContent()).toBe(address)
    await page.getByRole('button', { name: 'Copy link' }).click()
    await maker.hears('Your link copied.')
    await maker.open('/')
    await maker.sees('Vaults')
    await madeLink(maker, 'a secret', 'Left, too')
    await maker.open('/')
    await question.getByRole('button', { name: 'Leave without the link' }).click()
    await maker.sees('Vaults')
  })

  it('is not used up by who only looks at the page, and is revoked by its maker', async () => {
    const maker = await stage.member()
    const address = await madeLink(maker, 'a secret', 'For Lee')
    const robot = await stage.visitor()
    await robot.page.goto(address)
    await robot.sees('A secret for you')
    expect(robot.asked.filter((url) => url.includes('/api/'))).toEqual([])
    await maker.page.getByRole('button', { name: 'Revoke For Lee' }).click()
    const question = maker.page.getByRole('alertdialog', { name: 'Revoke this link?' })
    await question.getByText('For Lee. The recipient can no longer open it. This cannot be undone.').waitFor()
    await question.getByRole('button', { name: 'Revoke' }).click()
    await maker.hears('Link revoked.')
    await robot.page.getByRole('button', { name: 'Show the secret' }).click()
    await robot.page.getByText('The secret is no longer available').waitFor()
    const operations = eventsOf(stage.appliance).map(
      ({ operation, outcome }) => `${String(operation)} ${String(outcome)}`,
    )
    expect(operations).toEqual(expect.arrayContaining(['link.revoke allowed', 'link.open link.not_found']))
    robot.complaints.expect(/status of 404/)
  })

  it('says that it could not be revoked where the recipient has been quicker', async () => {
    const maker = await stage.member()
    const address = await madeLink(maker, 'a secret', 'For Ola')
    const recipient = await stage.visitor()
    await recipient.page.goto(address)
    await recipient.page.getByRole('button', { name: 'Show the secret' }).click()
    await recipient.page.getByText('a secret', { exact: true }).waitFor()
    await maker.page.getByRole('button', { name: 'Revoke For Ola' }).click()
    await maker.page.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }).click()
    await maker.page.locator('.own-links [role=alert]').waitFor()
    expect(await maker.page.getByRole('alertdialog').count()).toBe(0)
    maker.complaints.expect(/status of 404/)
  })

  it('is made of a secret that is stored, at its field, by a recorded reading and without showing it', async () => {
    const maker = await stage.member({ width: 360 })
    const { page } = maker
    const { client, vaultid } = stage.stocked
    const id = await createObject(client, vaultid, { host: 'door.example.test', password: 'Only-0nce.shown' })
    const decryptions = () =>
      recordsAbout(stage.appliance, `object ${id}`).filter(({ operation }) => operation === 'object.decrypt').length
    await maker.open(`/object/${id}`)
    await page.getByRole('button', { name: 'Share once: Password' }).click()
    const dialog = page.getByRole('dialog', { name: 'Share once: Password' })
    await expect.poll(() => maker.focused()).toBe('Label')
    await dialog.getByLabel('Label').fill('Door for Kim')
    await maker.expectSound('share-once')
    expect(decryptions()).toBe(0)
    await dialog.getByRole('button', { name: 'Create link' }).click()
    const made = dialog.getByRole('status', { name: 'Your link' })
    const address = (await made.textContent()) ?? ''
    expect(decryptions()).toBe(1)
    expect(await page.content()).not.toContain('Only-0nce.shown')
    await maker.expectSound('share-once-made')
    await page.keyboard.press('Escape')
    const question = page.getByRole('alertdialog', { name: 'Leave without the link?' })
    await question.getByRole('button', { name: 'Stay on this page' }).click()
    expect(await made.textContent()).toBe(address)
    await dialog.getByRole('button', { name: 'Close' }).click()
    await question.getByRole('button', { name: 'Leave without the link' }).click()
    await dialog.waitFor({ state: 'detached' })

    const receiver = await stage.visitor()
    await receiver.page.goto(address)
    await receiver.page.getByRole('button', { name: 'Show the secret' }).click()
    await expect.poll(() => receiver.page.getByRole('status', { name: 'Secret' }).textContent()).toBe('Only-0nce.shown')
  })

  it('asks once before Escape and Back take a link that was not copied', async () => {
    const { page, open } = await stage.member().then((visit) => ({ page: visit.page, open: visit.open.bind(visit) }))
    await open(`/object/${stage.stocked.server}`)
    await page.getByRole('button', { name: 'Share once: Password' }).click()
    const dialog = page.getByRole('dialog', { name: 'Share once: Password' })
    await dialog.getByRole('button', { name: 'Create link' }).click()
    await dialog.getByRole('status', { name: 'Your link' }).waitFor()
    await page.keyboard.press('Escape')
    const question = page.getByRole('alertdialog')
    await question.waitFor()
    const address = page.url()
    await page.goBack()
    await expect.poll(() => page.url()).not.toBe(address)
    await expect.poll(() => question.count()).toBe(1)
    await question.getByRole('button', { name: 'Stay on this page' }).click()
    await expect.poll(() => page.url()).toBe(address)
    await question.waitFor({ state: 'detached' })
    await dialog.getByRole('status', { name: 'Your link' }).waitFor()
  })

  it('of a secret that raises an alarm is made after the question alone', async () => {
    const { page, open } = await stage.member().then((visit) => ({ page: visit.page, open: visit.open.bind(visit) }))
    await open(`/object/${stage.stocked.alarmed}`)
    await page.getByRole('button', { name: 'Share once: Note' }).click()
    const dialog = page.getByRole('dialog', { name: 'Share once: Note' })
    await dialog.getByRole('button', { name: 'Create link' }).click()
    const question = page.getByRole('alertdialog', { name: 'Raise an alarm?' })
    await question.getByRole('button', { name: 'Cancel' }).click()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await page.keyboard.press('Enter')
    await dialog.getByRole('button', { name: 'Create link' }).click()
    await question.getByRole('button', { name: 'Raise the alarm and continue' }).click()
    await dialog.getByRole('status', { name: 'Your link' }).waitFor()
  })

  it('that was made long ago is found page by page, and a new one on the first page', async () => {
    const maker = await stage.member()
    const { page } = maker
    // Small pages of the real list.
    await page.route(/\/link\?/, (route) =>
      route.continue({ url: route.request().url().replace('limit=50', 'limit=2') }),
    )
    for (const label of ['first', 'second', 'third']) await madeLink(maker, 'a secret', label).then(() => page.reload())
    await maker.sees('One-time links')
    const listed = page.locator('.own-links .title')
    await expect.poll(() => listed.allTextContents()).toEqual(['third', 'second'])
    await page.getByRole('button', { name: 'Next page' }).focus()
    await page.keyboard.press('Enter')
    await expect.poll(() => listed.allTextContents()).toEqual(['first'])
    await expect.poll(() => page.evaluate('document.activeElement.textContent')).toBe('Previous page')
    await page.getByRole('button', { name: 'Revoke first' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Revoke' }).click()
    await maker.hears('Link revoked.')
    await page.getByLabel('Secret').fill('another')
    await page.getByLabel('Label').fill('fourth')
    await page.getByRole('button', { name: 'Create link' }).click()
    await expect.poll(() => listed.allTextContents()).toEqual(['fourth', 'third'])
    // A page that does not come does not take the link away, which is shown this once.
    const link = page.getByRole('status', { name: 'Your link' })
    const address = await link.textContent()
    await page.route(/[?&]next=/, (route) => route.abort())
    await page.getByRole('button', { name: 'Next page' }).click()
    await page.getByText('The appliance cannot be reached.').waitFor()
    expect(await link.textContent()).toBe(address)
    maker.complaints.expect(/net::ERR_FAILED/)
    await page.getByRole('button', { name: 'Previous page' }).click()
    await expect.poll(() => listed.allTextContents()).toEqual(['fourth', 'third'])
  })

  it('that is not whole says so, and asks for nothing', async () => {
    const receiver = await stage.visitor()
    await receiver.open(`/link/${'A'.repeat(22)}/short`)
    await receiver.page.getByText('This link is incomplete.').waitFor()
    expect(receiver.asked.filter((url) => url.includes('/api/'))).toEqual([])
  })

  it('shows hostile texts as texts', async () => {
    const maker = await stage.member()
    const secret = hostileTexts.join('\n')
    const address = await madeLink(maker, secret, hostileTexts[1])
    const receiver = await stage.visitor()
    await receiver.page.goto(address)
    await receiver.page.getByRole('button', { name: 'Show the secret' }).click()
    await expect.poll(() => receiver.page.getByRole('status', { name: 'Secret' }).textContent()).toBe(secret)
    for (const { page } of [maker, receiver]) expect(await page.evaluate('window.hit')).toBeUndefined()
  })
})

it.each(looks)('links are sound in %s colours, %i pixels wide', async (theme, width) => {
  const maker = await stage.member({ theme, width })
  const address = await madeLink(maker, 'a secret')
  await maker.expectSound('link-made')
  await maker.page.getByRole('button', { name: 'Create another link' }).click()
  await maker.expectSound('links')
  const receiver = await stage.visitor({ theme, width })
  await receiver.page.goto(address)
  await receiver.sees('A secret for you')
  await receiver.expectSound('link-closed')
  await receiver.page.getByRole('button', { name: 'Show the secret' }).click()
  await receiver.page.getByText('a secret', { exact: true }).waitFor()
  await receiver.expectSound('link-opened')
})
