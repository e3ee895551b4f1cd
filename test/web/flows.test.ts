import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { createObject, objectsIn, recordsAbout } from '../support/object-kit.ts'
import { fileContent, memberOf } from './console-vault.ts'
import { consoleStage } from './console-stage.ts'

const stage = consoleStage()

describe('the login', () => {
  it('takes the code of an authenticator app, and leads to the vaults that are shared', async () => {
    const visit = await stage.visitor()
    await visit.logIn(await memberOf(stage.stocked, stage.appliance))
    await visit.page.getByRole('link', { name: /Network/ }).waitFor()
    expect(await visit.page.getByRole('link', { name: /Finance/ }).count()).toBe(0)
  })

  it('takes the password that a hardware token types', async () => {
    const visit = await stage.visitor()
    const user = await stage.appliance.addUser()
    await visit.open()
    await visit.page.getByText('Hardware token').click()
    await visit.page.getByLabel('Username').fill(user.username)
    await visit.page.getByLabel('Pass phrase', { exact: true }).fill(user.passphrase)
    await visit.page.getByLabel('Application key').fill(stage.appliance.applicationKey)
    await visit.page.getByLabel('One-time password from the token').fill(user.hardwareToken.press())
    await visit.page.keyboard.press('Enter')
    await visit.sees('Vaults')
    await visit.page.getByText('No vaults are shared with you yet.').waitFor()
  })

  it('shows the pass phrase to those who want to see what they type', async () => {
    const visit = await stage.visitor()
    const { page } = visit
    const user = await stage.appliance.addUser()
    await visit.open()
    await page.getByRole('button', { name: 'Show Pass phrase' }).click()
    const field = page.getByLabel('Pass phrase', { exact: true })
    await field.fill(user.passphrase)
    expect(await field.getAttribute('type')).toBe('text')
    await visit.expectSoundInAll('login-shown')
    await page.getByRole('button', { name: 'Hide Pass phrase' }).click()
    expect(await field.getAttribute('type')).toBe('password')
    await visit.fillIn(user)
    await visit.sees('Vaults')
  })

  it('says that it was refused, empties the code, and later tells of the failure', async () => {
    const visit = await stage.visitor()
    const user = await stage.appliance.addUser()
    await visit.open()
    await visit.fillIn(user, '000000')
    expect(await visit.page.getByRole('alert').textContent()).toContain('(1201)')
    expect(await visit.page.getByLabel('Code from the app').inputValue()).toBe('')
    expect(await visit.page.getByLabel('Username').inputValue()).toBe(user.username)
    await visit.fillIn(user)
    await visit.sees('Vaults')
    const advice = visit.page.getByRole('complementary', { name: 'Please note' })
    expect(await advice.textContent()).toContain('has failed since your last one')
    await visit.page.getByRole('button', { name: 'Svenska' }).click()
    const inSwedish = visit.page.getByRole('complementary', { name: 'Observera' })
    // When it was is said by the appliance alone.
    expect(await inSwedish.textContent()).toMatch(/^Inloggningsförsök i ditt namn har misslyckats.*has failed since/)
    await visit.page.getByRole('button', { name: 'English' }).click()
    await advice.getByRole('button', { name: 'Close' }).click()
    expect(await advice.count()).toBe(0)
    visit.complaints.expect(/status of 403/)
  })

  it('speaks Swedish to a browser that does, and what the person chooses', async () => {
    const visit = await stage.visitor({ locale: 'sv-SE' })
    await visit.open()
    await visit.sees('Logga in')
    expect(await visit.page.getAttribute('html', 'lang')).toBe('sv')
    await visit.page.getByRole('button', { name: 'English' }).click()
    await visit.sees('Log in')
    await visit.page.reload()
    await visit.sees('Log in')
  })
})

describe('a vault', () => {
  it('shows its folders and objects, and finds by name and open fields in all of it', async () => {
    const visit = await stage.member()
    const { page } = visit
    await page.getByRole('link', { name: /Network/ }).click()
    await visit.sees('Network')
    await page
      .getByRole('row', { name: /Core routers/ })
      .last()
      .getByRole('link')
      .click()
    await visit.sees('Core routers')
    await page.getByRole('columnheader', { name: 'Username' }).waitFor()
    await page.getByRole('treegrid', { name: 'Folders' }).getByRole('row', { name: 'Network' }).click()
    await visit.sees('Network')
    await page.getByRole('searchbox').fill('ROOT edge7')
    await page.getByText('1 of 11 objects').waitFor()
    await page.getByRole('gridcell', { name: 'Core routers / Hall B' }).waitFor()
    await page.getByRole('link', { name: 'edge7.example.test' }).click()
    await visit.sees('edge7.example.test')
    await page.goBack()
    await visit.sees('Network')
  })

  it('draws of ten thousand objects those that are seen, and filters them', async () => {
    const visit = await stage.member()
    const { page } = visit
    const read = await stage.stocked.client.must('GET', `/vault/${stage.stocked.vaultid}`)
    const model = objectsIn(read, 'OBJECTS').find(({ id }) => id === stage.stocked.server)
    const many = Array.from({ length: 10_000 }, (_, at) => ({
      ...model,
      id: String(1_000_000 + at),
      parentid: '0',
      objectname: `host ${at}`,
    }))
    await page.route(`${stage.appliance.url}/vault/${stage.stocked.vaultid}`, (route) =>
      route.fulfill({ json: { ...read, OBJECTS: many } }),
    )
    await visit.open(`/vault/${stage.stocked.vaultid}`)
    await page.getByText('10,000 objects').waitFor()
    const rows = page.getByRole('grid', { name: 'Network' }).getByRole('row')
    expect(await rows.count()).toBeLessThan(60)
    await page.getByRole('link', { name: 'host 0', exact: true }).focus()
    await page.keyboard.press('End')
    await page.getByRole('link', { name: 'host 9999' }).waitFor()
    expect(await page.evaluate('document.activeElement.textContent')).toBe('host 9999')
    expect(await rows.count()).toBeLessThan(60)
    await page.getByRole('searchbox').fill('host 777')
    await page.getByText('19 of 10,000 objects').waitFor()
    expect(await rows.count()).toBe(20)
  })
})

it('leads back from an object to where one was in its vault, and stays there as the vault changes', async () => {
  const visit = await stage.member()
  const { page } = visit
  const read = await stage.stocked.client.must('GET', `/vault/${stage.stocked.vaultid}`)
  const model = objectsIn(read, 'OBJECTS').find(({ id }) => id === stage.stocked.server)
  let count = 400
  await page.route(`${stage.appliance.url}/vault/${stage.stocked.vaultid}`, (route) =>
    route.fulfill({
      json: {
        ...read,
        OBJECTS: Array.from({ length: count++ }, (_, at) => ({
          ...model,
          id: at === 150 ? stage.stocked.server : String(1_000_000 + at),
          parentid: '0',
          objectname: `host-${at}`,
          public: {},
        })),
      },
    }),
  )
  await page.clock.install()
  await visit.open(`/vault/${stage.stocked.vaultid}`)
  await page.getByRole('searchbox').fill('host-1')
  await page.getByText('111 of 400 objects').waitFor()
  const link = page.getByRole('link', { name: 'host-150', exact: true })
  const frame = `document.querySelector('[role="grid"]')`
  const top = (): Promise<number> => page.evaluate(`${frame}.scrollTop`)
  await page.evaluate(`${frame}.scrollTo({ top: 2700 })`)
  await link.click()
  await visit.sees('core1.example.test')
  await page.clock.fastForward(20_000)
  await page.goBack()
  await page.getByText('111 of 401 objects').waitFor()
  expect(await page.getByRole('searchbox').inputValue()).toBe('host-1')
  expect(await top()).toBe(2700)
  expect(await link.getAttribute('tabindex')).toBe('0')
  await page.getByRole('searchbox').fill('host-15')
  await page.getByText('11 of 401 objects').waitFor()
  await page.getByRole('searchbox').fill('host')
  await page.getByText('401 of 401 objects').waitFor()
  expect(await top()).toBe(0)
})

describe('an object', () => {
  const shown = (): number =>
    recordsAbout(stage.appliance, `object ${stage.stocked.server}`).filter(
      ({ operation }) => operation === 'object.decrypt',
    ).length

  it('hides its secrets until they are shown, by a call that is recorded, and forgets them again', async () => {
    const visit = await stage.member()
    const { page } = visit
    await visit.open(`/object/${stage.stocked.server}`)
    await visit.sees('core1.example.test')
    await page.getByText('Rack 14').waitFor()
    const before = shown()
    expect(await page.content()).not.toContain('S3cret-pass.phrase')
    await page.getByRole('button', { name: 'Show Password' }).click()
    await page.getByText('S3cret-pass.phrase').waitFor()
    await expect.poll(shown).toBeGreaterThan(before)
    await page.getByRole('button', { name: 'Hide Password' }).click()
    expect(await page.content()).not.toContain('S3cret-pass.phrase')
  })

  it('copies a secret without showing it, and empties the clipboard after half a minute', async () => {
    const visit = await stage.member()
    const { page } = visit
    await page.clock.install()
    await visit.open(`/object/${stage.stocked.server}`)
    await visit.sees('core1.example.test')
    // The console may not read it, by its own policy: another page of the browser does.
    const reader = await visit.context.newPage()
    await reader.goto(`${stage.appliance.url}/docs`)
    const clipboard = (): Promise<unknown> => reader.evaluate('navigator.clipboard.readText()')
    await page.bringToFront()
    await page.getByRole('button', { name: 'Copy Password' }).click()
    await page.getByText('Password copied.').waitFor()
    expect(await clipboard()).toBe('S3cret-pass.phrase')
    expect(await page.content()).not.toContain('S3cret-pass.phrase')
    // The clock goes on by itself as well, and far where the machine is busy.
    await page.clock.runFor(5_000)
    expect(await clipboard()).toBe('S3cret-pass.phrase')
    await page.clock.runFor(26_000)
    await visit.hears('Clipboard cleared.')
    expect(await clipboard()).toBe('')
  })

  it('asks before it raises an alarm', async () => {
    const visit = await stage.member()
    const { page } = visit
    const alarms = (): number =>
      recordsAbout(stage.appliance, `object ${stage.stocked.alarmed}`).filter(
        ({ operation }) => operation === 'object.decrypt.alarm',
      ).length
    await visit.open(`/object/${stage.stocked.alarmed}`)
    await page.getByRole('button', { name: 'Show Note' }).click()
    await page.getByRole('alertdialog', { name: 'Raise an alarm?' }).getByRole('button', { name: 'Cancel' }).click()
    expect(alarms()).toBe(0)
    await page.getByRole('button', { name: 'Show Note' }).click()
    await page.getByRole('button', { name: 'Raise the alarm and continue' }).click()
    await page.getByText('In an emergency alone').waitFor()
    await expect.poll(alarms).toBe(1)
  })

  it('asks by the alarm of that moment, which another has set since the object was shown', async () => {
    const visit = await stage.member()
    const { page } = visit
    const { client, vaultid } = stage.stocked
    const object = await createObject(client, vaultid, { templateid: '5', name: 'Spare key', note: 'Under the mat' })
    await visit.open(`/object/${object}`)
    await visit.sees('Spare key')
    await client.must('PUT', `/object/${object}/alarm`, { alarm: true })
    await page.getByRole('button', { name: 'Copy Note' }).click()
    const question = page.getByRole('alertdialog', { name: 'Raise an alarm?' })
    await question.getByRole('button', { name: 'Cancel' }).click()
    // The page shows it from then on.
    await page.getByText('Raises an alarm when a secret is shown').waitFor()
    const decryptions = (): unknown[] =>
      recordsAbout(stage.appliance, `object ${object}`)
        .map(({ operation }) => operation)
        .filter((operation) => String(operation).startsWith('object.decrypt'))
    expect(decryptions()).toEqual([])
    await client.must('PUT', `/object/${object}/alarm`, { alarm: false })
    await client.must('PUT', `/object/${object}`, { objectname: 'Key of the cellar' })
    await page.getByRole('button', { name: 'Show Note' }).click()
    await page.getByText('Under the mat').waitFor()
    await visit.sees('Key of the cellar')
    expect(await question.count()).toBe(0)
    await expect.poll(decryptions).toEqual(['object.decrypt'])
  })

  it('reads no secret where it cannot be known whether that raises an alarm', async () => {
    const visit = await stage.member()
    const { page } = visit
    await visit.open(`/object/${stage.stocked.alarmed}`)
    await visit.sees('Break glass')
    await page.route(`**/object/${stage.stocked.alarmed}`, (route) => route.abort())
    await page.getByRole('button', { name: 'Show Note' }).click()
    await page.getByText('The appliance cannot be reached.').waitFor()
    expect(await page.getByRole('alertdialog').count()).toBe(0)
    expect(visit.asked.filter((url) => url.includes('decrypt=true'))).toEqual([])
    visit.complaints.expect(/net::ERR_FAILED/)
  })

  it('saves its file, and opens nothing of it', async () => {
    const visit = await stage.member()
    const { page } = visit
    await visit.open(`/object/${stage.stocked.file}`)
    const saving = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download' }).click()
    const download = await saving
    expect(download.suggestedFilename()).toBe('plan.svg')
    expect(readFileSync(await download.path())).toEqual(fileContent)
  })
})

describe('a session', () => {
  it('outlives a reload, and ends with the logout: in the other tab, too, and for the button that goes back', async () => {
    const visit = await stage.member()
    const { page } = visit
    await visit.open(`/object/${stage.stocked.server}`)
    await visit.sees('core1.example.test')
    await page.reload()
    await visit.sees('core1.example.test')
    const other = await visit.context.newPage()
    await other.goto(`${visit.origin}/#/vault/${stage.stocked.vaultid}`)
    await other.getByRole('heading', { name: 'Network' }).waitFor()
    await page.getByRole('button', { name: 'Show Password' }).click()
    await page.getByText('S3cret-pass.phrase').waitFor()
    await page.getByRole('button', { name: 'Log out' }).click()
    await page.getByText('You have logged out.').waitFor()
    await other.getByRole('heading', { name: 'Log in' }).waitFor()
    await page.goBack()
    await visit.sees('Log in')
    for (const one of [page, other]) expect(await one.content()).not.toMatch(/S3cret|core1|Network/)
    await page.reload()
    await visit.sees('Log in')
  })

  it('has a token that no script can read', async () => {
    const visit = await stage.visitor()
    await visit.logIn(await memberOf(stage.stocked, stage.appliance))
    const { page, context } = visit
    const cookies = await context.cookies()
    expect(cookies).toMatchObject([
      { name: '__Host-strongroom', httpOnly: true, secure: true, sameSite: 'Strict', path: '/' },
    ])
    const kept = await page.evaluate('document.cookie + JSON.stringify({ ...localStorage, ...sessionStorage })')
    expect(kept).not.toContain(cookies[0]?.value)
    await visit.page.getByRole('button', { name: 'Log out' }).click()
    await visit.page.getByText('You have logged out.').waitFor()
    await expect.poll(() => context.cookies()).toEqual([])
  })

  it('that ended elsewhere is said so, and nothing of it stays', async () => {
    const user = await memberOf(stage.stocked, stage.appliance)
    const visit = await stage.visitor()
    await visit.logIn(user)
    await visit.open(`/object/${stage.stocked.server}`)
    await visit.sees('core1.example.test')
    const other = await stage.appliance.login(user)
    await other.must('DELETE', `/user/${user.id}/sessions`)
    await visit.page.getByRole('button', { name: 'Show Password' }).click()
    await visit.page.getByText('Your session has ended. Log in again.').waitFor()
    expect(await visit.page.content()).not.toContain('core1.example.test')
    visit.complaints.expect(/status of 403/)
  })

  it('locks when nothing was done for ten minutes', async () => {
    const visit = await stage.visitor()
    await visit.page.clock.install()
    await visit.logIn(await memberOf(stage.stocked, stage.appliance))
    await visit.page.clock.runFor(9 * 60_000)
    await visit.page.getByRole('link', { name: /Network/, includeHidden: true }).waitFor()
    // Not to the end of the patience with the logout that follows, which would be told once more.
    await visit.page.clock.runFor(66_000)
    await visit.page.getByText('because you were inactive').waitFor()
  })
})
