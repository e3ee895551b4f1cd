import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { chromium, type Browser, type BrowserContext, type CDPSession, type Page, type Request } from 'playwright-core'
import { expect, onTestFinished } from 'vitest'
import { totpCode } from '../support/hardware-token.ts'
import type { TestAppliance, TestUser } from '../support/appliance.ts'
import { logInByCookie } from '../support/browser-session.ts'
import { trustingAppliances } from '../support/pki.ts'
import { Complaints } from './complaints.ts'

/** Where pictures of each view are put; nowhere without. */
const pictures = process.env['STRONGROOM_PICTURES']

/** Keeps in each page what it says to screen readers, from the last click or key on. */
const keepsSaid = `{
  const said = (globalThis.said = new Set())
  for (const deed of ['pointerdown', 'keydown']) addEventListener(deed, () => said.clear(), true)
  new MutationObserver(() => {
    for (const place of document.querySelectorAll('[role=status], [role=alert]')) said.add(place.textContent)
  }).observe(document, { subtree: true, childList: true, characterData: true })
}`

/** In pixels; 100rem. */
const widestTable = 1600

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

let browser: Promise<Browser> | undefined
/** Debian's Chromium without the window around the page, which takes a third of its work; one for the test files of a process. */
export const openBrowser = (): Promise<Browser> =>
  (browser ??= chromium.launch({
    executablePath: '/usr/bin/chromium-headless-shell',
    args: ['--no-sandbox', '--disable-gpu', trustingAppliances()],
  }))

export async function closeBrowser(): Promise<void> {
  await (await browser)?.close()
  browser = undefined
}

export interface VisitOptions {
  readonly theme?: 'light' | 'dark'
  readonly width?: number
  readonly height?: number
  readonly locale?: string
  /** The name by which the console is opened, in place of the address. */
  readonly host?: string
  /** The listener by which it is opened, in place of the first. */
  readonly port?: number
  /** Another one than that which all test files share. */
  readonly browser?: Browser
}

type Look = Required<Pick<VisitOptions, 'theme' | 'width' | 'height'>> & Pick<VisitOptions, 'host' | 'port'>

/** A person before a browser, and what the browser complains about. */
export class Visit {
  readonly context: BrowserContext
  readonly page: Page
  readonly appliance: TestAppliance
  readonly complaints = new Complaints()
  /** Every address that was asked for. */
  readonly asked: string[] = []
  /** What was asked for and is not answered yet. */
  readonly #awaited = new Set<Request>()
  #look: Look

  #reader: Page | undefined

  private constructor(context: BrowserContext, page: Page, appliance: TestAppliance, look: Look) {
    this.context = context
    this.page = page
    this.appliance = appliance
    this.#look = look
    page.setDefaultTimeout(45_000)
    context.on('console', (message) => {
      if (['error', 'warning'].includes(message.type()))
        this.complaints.hear(`${message.text()} ${message.location().url}`)
    })
    context.on('weberror', (error) => this.complaints.hear(String(error.error())))
    context.on('request', (request) => {
      this.asked.push(request.url())
      this.#awaited.add(request)
    })
    const isAnswered = (request: Request): void => void this.#awaited.delete(request)
    context.on('requestfinished', isAnswered)
    context.on('requestfailed', isAnswered)
  }

  /** Until the end of the test, which fails where the browser complained. */
  static async start(appliance: TestAppliance, options: VisitOptions = {}): Promise<Visit> {
    const { theme = 'light', width = 1280, height = 800, locale = 'en-GB', host, port, browser: own } = options
    const context = await (own ?? (await openBrowser())).newContext({
      ignoreHTTPSErrors: true,
      colorScheme: theme,
      viewport: { width, height },
      locale,
      reducedMotion: 'reduce',
    })
    await context.addInitScript(keepsSaid)
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    const visit = new Visit(context, await context.newPage(), appliance, {
      theme,
      width,
      height,
      ...(host !== undefined && { host }),
      ...(port !== undefined && { port }),
    })
    onTestFinished(async () => {
      await context.close()
      visit.#expectPeace()
    })
    return visit
  }

  get origin(): string {
    const url = new URL(this.appliance.url)
    url.hostname = this.#look.host ?? url.hostname
    url.port = String(this.#look.port ?? url.port)
    return url.origin
  }

  async open(fragment = '/'): Promise<void> {
    await this.page.goto(`${this.origin}/#${fragment}`)
  }

  /** Gives the browser a device that makes passkeys, and confirms what it is asked. */
  async withAuthenticator(): Promise<{ readonly device: CDPSession; readonly authenticatorId: string }> {
    const device = await this.context.newCDPSession(this.page)
    await device.send('WebAuthn.enable')
    const { authenticatorId } = await device.send('WebAuthn.addVirtualAuthenticator', {
      options: {
        protocol: 'ctap2',
        transport: 'internal',
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified: true,
        automaticPresenceSimulation: true,
      },
    })
    return { device, authenticatorId }
  }

  /** Fills in the login with a code of the authenticator app, or one that is wrong. */
  async fillIn(user: TestUser, otp = totpCode(user.totpSecret)): Promise<void> {
    const { page } = this
    await page.getByLabel('Username').fill(user.username)
    await page.getByLabel('Pass phrase', { exact: true }).fill(user.passphrase)
    await page.getByLabel('Application key').fill(this.appliance.applicationKey)
    await page.getByLabel('Code from the app').fill(otp)
    await page.getByRole('button', { name: 'Log in' }).click()
  }

  /**
   * Opens the console with a session, as after a login in this browser: with its cookie and what the page keeps. To be
   * called before the page has opened.
   */
  async arrive(user: TestUser): Promise<void> {
    const { cookie, answer } = await logInByCookie(this.appliance, user)
    const [name = '', value = ''] = cookie.split('=')
    await this.context.addCookies([
      { name, value, url: `${this.origin}/`, secure: true, httpOnly: true, sameSite: 'Strict' },
    ])
    const { userid, username, fullname, userstatus } = answer.json.CALLINFO
    const kept = JSON.stringify(JSON.stringify({ userid, username, fullname, userstatus }))
    const once = await this.page.addInitScript(
      `localStorage.setItem('strongroom.person', ${kept}); localStorage.setItem('strongroom.active', String(Date.now()))`,
    )
    await this.open()
    await once.dispose()
    await this.sees('Vaults')
  }

  /** Logs in by the form, with a code of the authenticator app. */
  async logIn(user: TestUser): Promise<void> {
    await this.open()
    await this.fillIn(user)
    await this.sees('Vaults')
  }

  /** The heading of the view. */
  async sees(heading: string): Promise<void> {
    await this.page.getByRole('heading', { level: 1, name: heading, exact: true }).waitFor()
  }

  /** What the page says for some seconds, or has said since the last click or key: a busy machine looks for it late. */
  async hears(sentence: string): Promise<void> {
    const isHeard = `(() => {
      for (const place of document.querySelectorAll('[role=status], [role=alert]')) said.add(place.textContent)
      return [...said].some((text) => text.includes(${JSON.stringify(sentence)}))
    })()`
    await expect.poll(() => this.page.evaluate(isHeard), { message: sentence }).toBe(true)
  }

  /** Waits until every call is answered: one that is still under way would learn, too, that a session has ended. */
  async rests(): Promise<void> {
    await expect.poll(() => this.#awaited.size).toBe(0)
  }

  /** What a screen reader calls what has the focus. */
  async focused(): Promise<string> {
    const name: string = await this.page.evaluate(
      `((one) => one.getAttribute('aria-label') ?? one.labels?.[0]?.textContent ?? one.textContent)(document.activeElement).trim()`,
    )
    return name
  }

  /** Goes on by a key to what has this name. @throws Error where it does not come in so many presses */
  async tabTo(name: string | RegExp, { key = 'Tab', most = 40 } = {}): Promise<void> {
    for (let presses = 0; presses < most; presses += 1) {
      await this.page.keyboard.press(key)
      const text = await this.focused()
      if (typeof name === 'string' ? text === name : name.test(text)) return
    }
    throw new Error(`${key} does not come to ${String(name)}, but to ${await this.focused()}`)
  }

  /** What axe-core finds against WCAG 2.2 AA, and its best practices. */
  async findings(): Promise<string[]> {
    // By the debugger's way in, which the policy of the page does not reach; once for each load of the page.
    if (await this.page.evaluate(`globalThis.axe === undefined`)) await this.page.evaluate(axeSource)
    const found: { id: string; nodes: { target: unknown; failureSummary?: string }[] }[] = await this.page.evaluate(
      `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) => violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ target, failureSummary }) => ({ target, failureSummary })) })))`,
    )
    return found.flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => `${id} ${String(target)}: ${failureSummary}`),
    )
  }

  /** What the clipboard holds. The console may not read it, by its own policy: another page of the browser does. */
  async clipboard(): Promise<string> {
    if (this.#reader === undefined) {
      this.#reader = await this.context.newPage()
      await this.#reader.goto(`${this.appliance.url}/authinfo/logintypes`)
    }
    return this.#reader.evaluate('navigator.clipboard.readText()')
  }

  /** Whether the browser asks before it loads the page again or closes it. */
  isHeld(): Promise<boolean> {
    return this.page.evaluate(`!dispatchEvent(new Event('beforeunload', { cancelable: true }))`)
  }

  /** By how many pixels the page is wider than the window. */
  excess(): Promise<number> {
    return this.page.evaluate('document.documentElement.scrollWidth - innerWidth')
  }

  /** The view has no finding of axe-core and is no wider than the window; where pictures are wanted there is one of it. */
  async expectSound(name: string): Promise<void> {
    expect({ name, findings: await this.findings() }).toEqual({ name, findings: [] })
    expect(await this.excess()).toBeLessThanOrEqual(0)
    if (pictures === undefined) return
    const { theme, width } = this.#look
    await this.page.screenshot({ path: `${pictures}/${name}-${theme}-${width}.png` })
  }

  /** The same in both colours, at the width of a desk and at that of a telephone. */
  async expectSoundInAll(name: string): Promise<void> {
    const before = this.#look
    for (const theme of ['light', 'dark'] as const)
      for (const width of [1280, 360]) {
        await this.#lookAs({ ...before, theme, width })
        await this.expectSound(name)
      }
    await this.#lookAs(before)
  }

  /** At 4K nothing is wider than the window, and nothing that is read wider than the widest table. */
  async expectReadableAt4k(): Promise<void> {
    const before = this.#look
    await this.#lookAs({ ...before, width: 3840, height: 2160 })
    expect(await this.excess()).toBeLessThanOrEqual(0)
    const widths: number[] = await this.page.evaluate(
      `[...document.querySelectorAll('main :is(h1, p, dd, li, input, [role=grid], [role=table])')].map((one) => one.getBoundingClientRect().width)`,
    )
    expect(Math.max(...widths)).toBeGreaterThan(0)
    expect(Math.max(...widths)).toBeLessThanOrEqual(widestTable)
    await this.#lookAs(before)
  }

  async #lookAs(look: Look): Promise<void> {
    this.#look = look
    await this.page.emulateMedia({ colorScheme: look.theme })
    await this.page.setViewportSize(look)
  }

  /** Nothing was wrong in the browser but what was to be, and nothing came from elsewhere. */
  #expectPeace(): void {
    this.complaints.expectNoOther()
    const own = [this.origin, new URL(this.appliance.url).origin]
    expect(this.asked.length).toBeGreaterThan(0)
    expect(this.asked.filter((url) => !/^(blob|data):/.test(url) && !own.includes(new URL(url).origin))).toEqual([])
  }
}
