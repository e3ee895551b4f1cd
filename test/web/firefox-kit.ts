import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import puppeteer, { type Browser, type BrowserContext, type Page } from 'puppeteer-core'
import { onTestFinished } from 'vitest'
import type { TestAppliance, TestUser } from '../support/appliance.ts'
import { totpCode } from '../support/hardware-token.ts'
import { Complaints } from './complaints.ts'

/** Where Firefox saves what a page gives it. */
const downloads = mkdtempSync(join(tmpdir(), 'strongroom-downloads-'))

let browser: Promise<Browser> | undefined
/** Debian's Firefox ESR, by WebDriver BiDi; one for the test files of a process. */
const openFirefox = (): Promise<Browser> =>
  (browser ??= puppeteer.launch({
    browser: 'firefox',
    executablePath: '/usr/bin/firefox-esr',
    acceptInsecureCerts: true,
    extraPrefsFirefox: {
      'browser.download.folderList': 2,
      'browser.download.dir': downloads,
      'intl.accept_languages': 'en-GB',
    },
  }))
export async function closeFirefox(): Promise<void> {
  await (await browser)?.close()
  browser = undefined
}

/** What a screen reader calls it. */
interface Named {
  readonly role: string
  readonly name: string
}

/** A person before Firefox. */
export class FirefoxVisit {
  readonly context: BrowserContext
  readonly page: Page
  readonly appliance: TestAppliance
  readonly downloads = downloads
  readonly complaints = new Complaints()

  private constructor(context: BrowserContext, page: Page, appliance: TestAppliance) {
    this.context = context
    this.page = page
    this.appliance = appliance
    page.setDefaultTimeout(60_000)
    page.on('pageerror', (error) => this.complaints.hear(String(error)))
    page.on('console', (message) => {
      if (['error', 'warn'].includes(message.type())) this.complaints.hear(message.text())
    })
  }

  /** Until the end of the test, which fails where the browser complained. */
  static async start(appliance: TestAppliance): Promise<FirefoxVisit> {
    const context = await (await openFirefox()).createBrowserContext()
    const page = await context.newPage()
    await page.setViewport({ width: 1280, height: 800 })
    // Firefox writes what its policy refuses into a console of its own, which a test does not hear.
    await page.evaluateOnNewDocument(`addEventListener('securitypolicyviolation', (event) =>
      console.error('refused by the policy: ' + event.effectiveDirective + ' ' + event.blockedURI))`)
    const visit = new FirefoxVisit(context, page, appliance)
    onTestFinished(async () => {
      await context.close()
      visit.complaints.expectNoOther()
    })
    return visit
  }

  async open(fragment = '/'): Promise<void> {
    await this.page.goto(`${new URL(this.appliance.url).origin}/#${fragment}`)
  }

  async sees(heading: string): Promise<void> {
    await this.waitFor({ role: 'heading', name: heading })
  }

  async waitFor({ role, name }: Named): Promise<void> {
    await this.page.locator(`::-p-aria([name="${name}"][role="${role}"])`).wait()
  }

  async waitForText(text: string): Promise<void> {
    await this.page.locator(`::-p-text(${text})`).wait()
  }

  /** What the page says for some seconds, listened for from before the deed that makes it say so. */
  async hear(text: string, deed: () => Promise<void>): Promise<void> {
    await Promise.all([this.waitForText(text), deed()])
  }

  /** The button of the dialog that is open. */
  async submit(): Promise<void> {
    await this.page.locator('[role=dialog] button[type=submit]').click()
  }

  async press(name: string, role = 'button'): Promise<void> {
    await this.page.locator(`::-p-aria([name="${name}"][role="${role}"])`).click()
  }

  /** In place of what stands in the field with this label. */
  async type(label: string, text: string): Promise<void> {
    const named = JSON.stringify(label)
    const found = await this.page.waitForFunction(
      `[...document.querySelectorAll('label')].find((one) => one.textContent === ${named})?.control ?? document.querySelector('input[aria-label=' + CSS.escape(${named}) + ']')`,
    )
    const field = found.asElement()
    if (field === null) throw new Error(`There is no field ${label}.`)
    await field.click({ count: 3 })
    await this.page.keyboard.type(text)
  }

  async logIn(user: TestUser, otp = totpCode(user.totpSecret)): Promise<void> {
    await this.open()
    await this.type('Username', user.username)
    await this.type('Pass phrase', user.passphrase)
    await this.type('Application key', this.appliance.applicationKey)
    await this.type('Code from the app', otp)
    await this.press('Log in')
  }

  async text(): Promise<string> {
    return String(await this.page.evaluate('document.body.textContent'))
  }
}
