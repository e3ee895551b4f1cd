import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { TestUser } from '../support/appliance.ts'
import { HardwareToken, totpCode } from '../support/hardware-token.ts'
import type { Visit, VisitOptions } from './browser-kit.ts'
import { consoleStage } from './console-stage.ts'
import { hostileTexts } from './hostile-corpus.ts'
import { looks } from './looks.ts'

const stage = consoleStage()
const passphrase = 'seven wooden lanterns on the quay'

/** Who may do everything but look into vaults. */
const administrator = (): Promise<TestUser> =>
  stage.appliance.addUser(['read', 'createVault', 'admin', 'audit', 'active'])

async function administers(options?: VisitOptions): Promise<Visit> {
  const visit = await stage.visitor(options)
  await visit.arrive(await administrator())
  return visit
}

/** The view of a user, as the administrator opens it. */
async function opensUser(visit: Visit, user: TestUser): Promise<string> {
  const { fullname } = await stage.appliance.services.users.read(user.id)
  await visit.open(`/administration/users/${user.id}`)
  await visit.sees(fullname)
  return fullname
}

const newName = (): string => `new.${Math.random().toString(36).slice(2, 10)}`

describe('users', () => {
  it('are made, given an app whose seed is shown once, edited, locked and unlocked', async () => {
    const visit = await administers()
    const { page } = visit
    await page.getByRole('link', { name: 'Administration' }).click()
    await visit.sees('Users')
    await page.getByRole('button', { name: 'New user' }).click()
    const username = newName()
    const dialog = page.getByRole('dialog')
    // What a field needs is said at it, before the appliance is asked.
    await dialog.getByLabel('Full name').fill('Nora')
    await dialog.getByLabel('Username').fill('nora new')
    await dialog.getByLabel('Email').fill('no address')
    const initial = dialog.getByLabel('Initial pass phrase', { exact: true })
    await initial.fill(passphrase)
    expect(await initial.getAttribute('type')).toBe('password')
    await dialog.getByText('At least 12 characters, unless the operator').waitFor()
    await dialog.getByRole('button', { name: 'Show Initial pass phrase' }).click()
    expect(await initial.getAttribute('type')).toBe('text')
    await dialog.getByRole('button', { name: 'Create' }).click()
    await dialog.getByText('Enter 5 to 64 characters.').waitFor()
    await dialog.getByText('Use 5 to 32 letters (a–z), digits and - _ . @').waitFor()
    await dialog.getByText('Enter an email address, such as name@example.org.').waitFor()
    // Blanks around a text, which are invisible and often pasted, are no part of it.
    await dialog.getByLabel('Full name').fill('Nora New')
    await dialog.getByLabel('Username').fill(stage.stocked.user.username)
    await dialog.getByLabel('Email').fill(' nora@example.test ')
    await dialog.getByText('Create vaults').click()
    await dialog.getByRole('button', { name: 'Create' }).click()
    // What was typed stays where it is refused.
    await dialog.getByRole('alert').filter({ hasText: 'is taken: choose another' }).waitFor()
    expect(await dialog.getByLabel('Full name').inputValue()).toBe('Nora New')
    await dialog.getByLabel('Username').fill(`${username} `)
    await dialog.getByRole('button', { name: 'Create' }).click()
    await visit.sees('Nora New')
    await page.getByText('No second factors yet').waitFor()

    await page.getByRole('button', { name: 'Add authenticator app' }).click()
    await dialog.getByRole('button', { name: 'Add authenticator app' }).click()
    const shown = page.getByRole('alertdialog')
    await shown.getByRole('img', { name: 'QR code of the setup key' }).waitFor()
    await page.evaluate(`document.querySelector('[role=alertdialog] img').decode()`)
    const seed = (await shown.locator('.code').textContent()) ?? ''
    // A key that is pressed by mistake does not take away what is shown once.
    await page.keyboard.press('Escape')
    await shown.getByRole('button', { name: 'Done' }).click()
    await page.getByText('Authenticator app').first().waitFor()
    expect(await page.content()).not.toContain(seed)
    const client = stage.appliance.client()
    const apikey = stage.appliance.applicationKey
    const login = { username, passphrase, apikey, logintype: 'totp' }
    await client.must('POST', '/auth', { ...login, otp: totpCode(seed) })

    await page.reload()
    await visit.sees('Nora New')
    await page.getByText('Last used').waitFor()
    await page.getByRole('button', { name: 'Edit' }).click()
    await dialog.getByLabel('Full name').fill('Nora Newer')
    await dialog.getByText('Read the audit trail').click()
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('heading', { level: 1, name: 'Nora Newer' }).waitFor()
    await page.getByRole('main').getByText('Read the audit trail').waitFor()

    await page.getByRole('button', { name: 'Lock', exact: true }).click()
    await page.getByRole('alertdialog').getByText('Users are never deleted').waitFor()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Lock' }).click()
    await page.getByRole('button', { name: 'Unlock' }).waitFor()
    await page.getByText('No open sessions.').waitFor()
    await page.getByRole('button', { name: 'Unlock' }).click()
    await page.getByRole('button', { name: 'Lock', exact: true }).waitFor()
    visit.complaints.expect(/status of 40[39]/)
  })

  it('are searched for by the appliance, and gone through page by page', async () => {
    const visit = await administers()
    const { page } = visit
    const users = [await stage.appliance.addUser(), await stage.appliance.addUser()]
    // Small pages of the real list.
    await page.route(/\/user\?/, (route) =>
      route.continue({ url: route.request().url().replace('limit=50', 'limit=2') }),
    )
    await visit.open('/administration/users')
    await visit.sees('Users')
    const entries = page.getByRole('main').locator('.entries > li')
    await expect.poll(() => entries.count()).toBe(2)
    const first = await entries.allTextContents()
    await page.getByRole('button', { name: 'Next page' }).click()
    await page.getByText('Page 2').waitFor()
    await expect.poll(() => entries.allTextContents()).not.toEqual(first)
    await page.getByRole('button', { name: 'Previous page' }).click()
    await expect.poll(() => entries.allTextContents()).toEqual(first)
    for (const { username, id } of users) {
      await page.getByRole('searchbox').fill(username.slice(0, 15))
      const [entry] = [page.getByRole('link', { name: new RegExp(username) })]
      await entry.waitFor()
      expect(await entry.getAttribute('href')).toBe(`#/administration/users/${id}`)
    }
    await page.getByRole('searchbox').fill('administrator@far.example.test')
    await page.getByText('Only the first 15 characters are searched for: administrator@f').waitFor()
    await page.getByRole('searchbox').fill('no such person')
    await page.getByText('No users match your search.').waitFor()
  })

  it('are told of before a reset what it does to memberships, which rest afterwards', async () => {
    const visit = await administers()
    const { page } = visit
    const user = await stage.appliance.addUser()
    const { client, vaultid } = stage.stocked
    await client.must('POST', `/vault/${vaultid}/member/${user.id}`, { status: 1 })
    const member = await stage.appliance.login(user)
    await member.must('GET', `/vault/${vaultid}`)
    const fullname = await opensUser(visit, user)
    await page.getByRole('button', { name: 'Reset pass phrase' }).click()
    const dialog = page.getByRole('dialog')
    const warning = dialog.getByRole('region', { name: 'What happens' })
    expect(await warning.getByRole('paragraph').first().textContent()).toMatch(/^If you created this user/)
    await warning.getByText('all vaults shared with them stay closed to them').waitFor()
    await warning.getByText(`strongroom vault confirm VAULT ${user.username}`).waitFor()
    await dialog.getByLabel('New pass phrase', { exact: true }).fill('password')
    await dialog.getByRole('button', { name: 'Reset pass phrase' }).click()
    await dialog.getByRole('alert').waitFor()
    await dialog.getByLabel('New pass phrase', { exact: true }).fill(passphrase)
    await dialog.getByRole('button', { name: 'Reset pass phrase' }).click()
    await page.getByText(/membership in one vault is on hold until another Admin/).waitFor()
    await page.getByText('No open sessions.').waitFor()
    const members = (await client.must('GET', `/vault/${vaultid}/members`)).CALLINFO['vaultmembers']
    expect(members).toContainEqual(expect.objectContaining({ fullname, resting: expect.anything() }))
    visit.complaints.expect(/status of 40[03]/)
  })

  it('lose a second factor, get a hardware token, and have a session ended', async () => {
    const visit = await administers()
    const { page } = visit
    const user = await stage.appliance.addUser()
    await opensUser(visit, user)
    const dialog = page.getByRole('dialog')
    const token = new HardwareToken()
    const { publicId, privateId, secret } = token.secrets()
    await page.getByRole('button', { name: 'Add hardware token' }).click()
    await dialog.getByText('New').click()
    await dialog.getByLabel('Public ID').fill(publicId)
    await dialog.getByLabel('Private ID').fill(privateId.toString('hex'))
    await dialog.getByLabel('AES key').fill(secret.toString('hex'))
    await dialog.getByRole('button', { name: 'Add hardware token' }).click()
    await page.getByText(publicId).first().waitFor()
    await page.getByRole('button', { name: `Remove Hardware token ${user.hardwareToken.publicId}` }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click()
    await page.getByText(user.hardwareToken.publicId).first().waitFor({ state: 'detached' })
    await stage.appliance.login({ ...user, hardwareToken: token })
    await page.reload()
    await page.getByRole('button', { name: 'End the session from 127.0.0.1' }).click()
    await page.getByText('No open sessions.').waitFor()
  })

  it('get a certificate, where the appliance trusts its CA', async () => {
    const visit = await administers()
    const { page } = visit
    await opensUser(visit, await stage.appliance.addUser())
    await page.getByRole('button', { name: 'Register certificate' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: 'Register certificate' }).click()
    await dialog.getByText('Choose a file.').waitFor()
    await dialog
      .getByLabel('Certificate file')
      .setInputFiles({ name: 'card.cer', mimeType: 'application/x-x509-ca-cert', buffer: Buffer.from('no PEM') })
    await dialog.getByRole('button', { name: 'Register certificate' }).click()
    await dialog
      .getByRole('alert')
      .filter({ hasText: /certificate/ })
      .waitFor()
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await page.getByText('No certificate').waitFor()
    visit.complaints.expect(/status of 400/)
  })
})

describe('service accounts', () => {
  it('are made, given a key, switched off and on, and removed; the command line makes application keys', async () => {
    const visit = await administers()
    const { page } = visit
    await visit.open('/administration/services')
    await visit.sees('Service accounts')
    await page.getByText('strongroom apikey create NAME').waitFor()
    await page.getByRole('button', { name: 'New service account' }).click()
    const dialog = page.getByRole('dialog')
    const name = newName()
    await dialog.getByLabel('Name', { exact: true }).fill(name)
    await dialog.getByLabel('Description').fill('Mails of the shop')
    await dialog.getByLabel('Allowed addresses').fill('192.0.2.0/24\nnonsense')
    await dialog.getByRole('button', { name: 'Create' }).click()
    await dialog.getByRole('alert').waitFor()
    await dialog.getByLabel('Allowed addresses').fill('192.0.2.0/24\n198.51.100.7')
    await dialog.getByRole('button', { name: 'Create' }).click()
    await visit.sees(name)
    await page.getByText('No credentials yet. Add one so that the application can log in.').waitFor()
    const { publicKey } = generateKeyPairSync('ed25519')
    await page.getByRole('button', { name: 'Add credential' }).click()
    await dialog.getByLabel('Type of credential').selectOption('Public key')
    await dialog.getByLabel('Credential name').fill('2027')
    await dialog
      .getByLabel('Public key (PEM or JWK)')
      .fill(publicKey.export({ type: 'spki', format: 'pem' }).toString())
    await dialog.getByLabel('Key ID').fill('first')
    await dialog.getByRole('button', { name: 'Add credential' }).click()
    await page.getByText('Public key · first').waitFor()
    await page.getByText('Not used yet').waitFor()
    await page.getByRole('button', { name: 'Disable' }).click()
    const question = page.getByRole('alertdialog', { name: `Disable ${name}?` })
    await question.getByText('Its sessions end immediately').waitFor()
    await question.getByRole('button', { name: 'Disable' }).click()
    await page.getByText('Disabled', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Enable' }).click()
    await page.getByText('Active', { exact: true }).waitFor()
    await page.getByRole('button', { name: 'Edit' }).click()
    await dialog.getByLabel('Description').fill('Mails of both shops')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Mails of both shops').waitFor()
    await page.getByRole('button', { name: 'Remove 2027' }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click()
    await page.getByText('No credentials yet. Add one so that the application can log in.').waitFor()
    await page.getByRole('button', { name: 'Remove', exact: true }).click()
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click()
    await visit.sees('Service accounts')
    visit.complaints.expect(/status of 40[03]/)
  })

  it('of another owner: what is added is said to put memberships on hold, and a forbidden kind is refused', async () => {
    const visit = await administers()
    const { page } = visit
    const owner = await administrator()
    const { CALLINFO } = await (await stage.appliance.login(owner)).must('POST', '/service', { name: newName() })
    const { id, name } = CALLINFO['service'] as { id: string; name: string }
    await visit.open(`/administration/services/${id}`)
    await visit.sees(name)
    await page.getByRole('button', { name: 'Add credential' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByText('the memberships of the account are put on hold').waitFor()
    await dialog.getByLabel('Type of credential').selectOption('Issuer and claims')
    await dialog.getByLabel('Credential name').fill('cluster')
    await dialog.getByLabel('Issuer', { exact: true }).fill('https://unknown.example')
    await dialog.getByLabel('Claims').fill('sub=system:serviceaccount:shop:*')
    await dialog.getByRole('button', { name: 'Add credential' }).click()
    await dialog.getByRole('alert').waitFor()
    expect(await dialog.getByLabel('Claims').inputValue()).toBe('sub=system:serviceaccount:shop:*')
    visit.complaints.expect(/status of 40[03]/)
  })
})

describe('the audit trail', () => {
  it('is filtered, shown in detail, and followed', async () => {
    const visit = await stage.visitor()
    const { page } = visit
    const user = await administrator()
    await visit.arrive(user)
    const other = await stage.appliance.login(await administrator())
    await other.must('POST', '/user', {
      username: newName(),
      fullname: 'Some Body',
      email: 'some@example.test',
      status: 129,
      passphrase,
    })
    await visit.open('/administration/audit')
    await visit.sees('Audit trail')
    await page.getByText('user.create').first().waitFor()
    await page.getByText('Filters').click()
    await page.getByLabel('Operation').fill('utils.*')
    await page.getByLabel('Username or user ID').fill(user.username)
    await page.getByRole('button', { name: 'Apply' }).click()
    await page.getByText('No records match in this part of the trail.').waitFor()
    await page.getByText('Follow new records').click()
    const client = await stage.appliance.login(user)
    await client.must('GET', '/utils/state')
    const entry = page.getByRole('main').locator('.records summary').filter({ hasText: 'utils.state' }).first()
    await entry.waitFor()
    await entry.click()
    await page.getByRole('definition').filter({ hasText: '127.0.0.1' }).first().waitFor()
    await page.getByRole('button', { name: 'Clear' }).click()
    expect(await page.getByLabel('Operation').inputValue()).toBe('')
  })

  it('of a vault that one does not see is refused', async () => {
    const visit = await stage.visitor()
    await visit.arrive(await administrator())
    await visit.page.route(/\/audit\?/, (route) =>
      route.continue({ url: `${route.request().url()}&vaultid=${stage.stocked.vaultid}` }),
    )
    await visit.open('/administration/audit')
    await visit.page.getByRole('alert').waitFor()
    expect(await visit.page.locator('.records').count()).toBe(0)
    visit.complaints.expect(/status of 404/)
  })
})

it('the state of the appliance is told, and what to do on the machine', async () => {
  const visit = await administers()
  const { page } = visit
  await visit.open('/administration/state')
  await visit.sees('Status')
  await page.getByText('The appliance is serving calls').waitFor()
  await page.getByRole('listitem').filter({ hasText: 'Audit trail' }).getByText('OK').waitFor()
  await page.getByText('strongroom doctor').waitFor()
  await page.getByRole('button', { name: 'Check again' }).click()
  await page.getByText('The appliance is serving calls').waitFor()
})

describe('who may not', () => {
  it('is shown no way there, and is refused by address', async () => {
    const visit = await stage.member()
    const { page } = visit
    expect(await page.getByRole('link', { name: 'Administration' }).count()).toBe(0)
    for (const part of [
      '',
      '/users',
      '/users/1',
      '/services',
      '/services/1',
      '/audit',
      '/state',
      '/policies',
      '/templates',
      '/templates/1',
    ]) {
      await visit.open(`/administration${part}`)
      await visit.sees('You do not have access to this page')
      await visit.open('/')
      await visit.sees('Vaults')
    }
    expect(
      visit.asked.filter((url) => /\/(user|service|audit|utils|template)(\/|$)/.test(new URL(url).pathname)),
    ).toEqual([])
  })

  it('sees of the administration what the capabilities allow', async () => {
    const visit = await stage.visitor()
    const { page } = visit
    await visit.arrive(await stage.appliance.addUser(['read', 'audit', 'active']))
    await page.getByRole('link', { name: 'Administration' }).click()
    await visit.sees('Audit trail')
    const parts = page.getByRole('navigation', { name: 'Administration sections' }).getByRole('link')
    expect(await parts.allTextContents()).toEqual(['Audit trail'])
    await visit.open('/administration/users')
    await visit.sees('You do not have access to this page')
  })

  it('is refused by the appliance, and told so, where the page was made to believe otherwise', async () => {
    const visit = await stage.member()
    const { page } = visit
    const kept = await page.evaluate(`JSON.parse(localStorage.getItem('strongroom.person'))`)
    await page.route(/\/me$/, (route) =>
      route.fulfill({ json: { CALLINFO: Object.assign({ status: 'SUCCESS' }, kept, { userstatus: '143' }) } }),
    )
    await page.reload()
    await visit.open('/administration/audit')
    await page.getByRole('alert').filter({ hasText: '(1300)' }).waitFor()
    await visit.open('/administration/state')
    await page.getByRole('alert').filter({ hasText: '(1300)' }).waitFor()
    await visit.open(`/administration/users/${stage.stocked.user.id}`)
    await page.getByRole('alert').first().waitFor()
    expect(await page.content()).not.toContain(stage.stocked.user.username)
    visit.complaints.expect(/status of 403/)
  })
})

it('shows what people and attackers write as text', async () => {
  const visit = await administers()
  const { page } = visit
  const client = await stage.appliance.login(await administrator())
  for (const text of hostileTexts) {
    const { CALLINFO } = await client.must('POST', '/user', {
      username: newName(),
      fullname: text,
      email: 'hostile@example.test',
      status: 129,
      passphrase,
    })
    await visit.open(`/administration/users/${String(CALLINFO['id'])}`)
    await visit.sees(text)
    expect(await page.title()).toBe('Users · Strongroom')
    await page.getByRole('button', { name: 'Lock', exact: true }).click()
    await page.getByRole('alertdialog').getByText(text).first().waitFor()
    await page.keyboard.press('Escape')
    await visit.open('/administration/users')
    await page.getByRole('searchbox').fill(text)
    await page.getByText(text, { exact: true }).first().waitFor()
  }
  // A stranger writes into the trail as whom he tries to log in.
  await visit.open('/administration/audit')
  await page.getByText('Filters').click()
  for (const text of hostileTexts) {
    await page.getByLabel('Username or user ID').fill(text)
    await page.getByRole('button', { name: 'Apply' }).click()
  }
  await page.getByText('No records match in this part').waitFor()
  expect(await page.evaluate('window.hit')).toBeUndefined()
  const planted = 'iframe, script:not([src]), [onerror], [onload], [onfocus], style, a[href^="javascript"]'
  expect(await page.locator(planted).count()).toBe(0)
})

it('an administrator finds a user and ends the sessions by the keyboard alone', async () => {
  const user = await stage.appliance.addUser()
  await stage.appliance.login(user)
  const visit = await administers()
  const { page } = visit
  await visit.tabTo('Administration')
  await page.keyboard.press('Enter')
  await visit.sees('Users')
  await visit.tabTo('Search by name, username or email')
  await page.keyboard.type(user.username.slice(0, 15))
  await expect.poll(() => page.locator('.entries > li').count()).toBe(1)
  await visit.tabTo(new RegExp(user.username))
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { level: 2, name: 'Sessions' }).waitFor()
  await page.getByRole('button', { name: 'End all sessions' }).waitFor()
  await visit.tabTo('End all sessions')
  await page.keyboard.press('Enter')
  await page.getByRole('alertdialog').getByText('They are logged out everywhere immediately').waitFor()
  await visit.tabTo('End all sessions')
  await page.keyboard.press('Enter')
  await page.getByText('No open sessions.').waitFor()
})

it.each(looks)('every part is sound in %s colours, %i pixels wide', async (theme, width) => {
  const visit = await administers({ theme, width, height: width === 360 ? 720 : 900 })
  const { page } = visit
  await visit.open('/administration/users')
  await visit.sees('Users')
  await page.locator('.entries > li').first().waitFor()
  await visit.expectSound('administration-users')
  await page.getByRole('button', { name: 'New user' }).click()
  await page.getByRole('dialog').waitFor()
  await visit.expectSound('administration-new-user')
  await page.keyboard.press('Escape')
  const user = await stage.appliance.addUser()
  await stage.appliance.login(user)
  await opensUser(visit, user)
  await page.getByRole('button', { name: 'End all sessions' }).waitFor()
  await visit.expectSound('administration-user')
  await page.getByRole('button', { name: 'Reset pass phrase' }).click()
  await page.getByRole('dialog').waitFor()
  await visit.expectSound('administration-reset')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Add authenticator app' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Add authenticator app' }).click()
  await page.getByRole('alertdialog').waitFor()
  await visit.expectSound('administration-seed')
  await page.getByRole('button', { name: 'Done' }).click()
  await visit.open('/administration/services')
  await visit.sees('Service accounts')
  await visit.expectSound('administration-services')
  const client = await stage.appliance.login(await administrator())
  const { CALLINFO } = await client.must('POST', '/service', { name: newName(), description: 'Mails of the shop' })
  const { id, name } = CALLINFO['service'] as { id: string; name: string }
  await visit.open(`/administration/services/${id}`)
  await visit.sees(name)
  await visit.expectSound('administration-service')
  await visit.open('/administration/audit')
  await visit.sees('Audit trail')
  await page.locator('.records summary').first().click()
  await page.getByText('Filters').click()
  await visit.expectSound('administration-audit')
  await visit.open('/administration/state')
  await visit.sees('Status')
  await page.getByText('The appliance is serving calls').waitFor()
  await visit.expectSound('administration-state')
})
