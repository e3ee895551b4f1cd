import { describe, expect, it } from 'vitest'
import type { Visit } from './browser-kit.ts'
import { memberOf } from './console-vault.ts'
import { consoleStage } from './console-stage.ts'

const stage = consoleStage()

const secret = 'S3cret-pass.phrase'

/** A member before an object, whose browser writes to the clipboard as long as `mayWrite` is true. */
async function memberBefore(): Promise<Visit & { clipboard: () => Promise<unknown> }> {
  const visit = await stage.visitor()
  const { page, context } = visit
  await page.clock.install()
  await page.addInitScript(`
    globalThis.mayWrite = true
    const write = Clipboard.prototype.writeText
    Clipboard.prototype.writeText = function (text) {
      return mayWrite ? write.call(this, text) : Promise.reject(new DOMException('no', 'NotAllowedError'))
    }
  `)
  await visit.arrive(await memberOf(stage.stocked, stage.appliance))
  await visit.open(`/object/${stage.stocked.server}`)
  await visit.sees('core1.example.test')
  // The console may not read it, by its own policy: another page of the browser does.
  const reader = await context.newPage()
  await reader.goto(`${stage.appliance.url}/docs`)
  await reader.evaluate(`navigator.clipboard.writeText('mine')`)
  return Object.assign(visit, { clipboard: () => reader.evaluate('navigator.clipboard.readText()') })
}

describe('a copied secret', () => {
  it('that the browser does not let go by itself goes with the next click or key', async () => {
    const visit = await memberBefore()
    const { page, clipboard } = visit
    const copy = page.getByRole('button', { name: 'Copy Password' })
    await copy.click()
    await page.getByText('Password copied.').waitFor()
    await page.evaluate('mayWrite = false')
    await page.clock.runFor(31_000)
    await page.getByText('A copied secret is still on the clipboard.').waitFor()
    await page.getByRole('button', { name: 'Clear now' }).waitFor()
    expect(await clipboard()).toBe(secret)
    await page.evaluate('mayWrite = true')
    await page.keyboard.press('Shift')
    await visit.hears('Clipboard cleared.')
    expect(await clipboard()).toBe('')
  })

  it('can be cleared while a dialog is open, by the mouse and by the keyboard', async () => {
    const { user } = stage.stocked
    const visit = await stage.visitor()
    const { page } = visit
    await visit.logIn(user)
    await visit.open(`/object/${stage.stocked.server}`)
    const dialog = page.getByRole('dialog')
    /** Whether the page keeps a key from the browser. */
    const isTaken = async (key: string): Promise<unknown> => {
      await page.evaluate(`addEventListener('keydown', function hear({ key, defaultPrevented }) {
        if (key !== 'F6') return
        globalThis.isTaken = defaultPrevented
        removeEventListener('keydown', hear)
      })`)
      await page.keyboard.press(key)
      return page.evaluate('globalThis.isTaken')
    }
    for (const clear of [
      () => page.getByRole('button', { name: 'Clear now' }).click(),
      async () => {
        expect(await isTaken('Control+F6')).toBe(false)
        expect(await isTaken('F6')).toBe(true)
        expect(await visit.focused()).toBe('Clear now')
        // The browser has it, which leads to its address bar.
        expect(await isTaken('F6')).toBe(false)
        await page.keyboard.press('Enter')
        await visit.hears('Clipboard cleared.')
        // The keyboard is back in the dialog, although the button is gone.
        await page.keyboard.press('Tab')
        expect(await dialog.locator(':focus').count()).toBe(1)
      },
    ]) {
      await page.getByRole('button', { name: 'Copy Password' }).click()
      await page.getByText('Password copied.').waitFor()
      await page.getByRole('button', { name: 'Move' }).click()
      await dialog.waitFor()
      await clear()
      await visit.hears('Clipboard cleared.')
      expect(await visit.clipboard()).toBe('')
      await dialog.getByRole('button', { name: 'Cancel' }).click()
    }
  })

  it('gives way to an open value, which is announced and stays', async () => {
    const visit = await memberBefore()
    const { page, clipboard } = visit
    await page.getByRole('button', { name: 'Copy Password' }).click()
    await page.getByText('Password copied.').waitFor()
    await page.getByRole('button', { name: 'Copy Username' }).click()
    await visit.hears('Username copied.')
    await page.getByText('Password copied.').waitFor({ state: 'detached' })
    await page.clock.runFor(61_000)
    expect(await clipboard()).toBe('netops')
    await page.evaluate('mayWrite = false')
    await page.getByRole('button', { name: 'Copy Host' }).click()
    await visit.hears(
      'The browser does not allow this page to write to the clipboard. Allow it in the browser’s settings and try again.',
    )
    expect(await page.getByText('Host copied.').count()).toBe(0)
    expect(await visit.findings()).toEqual([])
  })

  it('keeps its time over a reload', async () => {
    const visit = await memberBefore()
    const { page, clipboard } = visit
    await page.getByRole('button', { name: 'Copy Password' }).click()
    await page.getByText('Password copied.').waitFor()
    expect(await page.evaluate('JSON.stringify({ ...sessionStorage, ...localStorage })')).not.toContain(secret)
    await page.reload()
    await page.getByText('Password copied.').waitFor()
    expect(await clipboard()).toBe(secret)
    await page.clock.runFor(31_000)
    await visit.hears('Clipboard cleared.')
    expect(await clipboard()).toBe('')
    await page.reload()
    expect(await page.getByText('The clipboard').count()).toBe(0)
  })

  it('keeps its time where a later copy is refused, which is not said for ever', async () => {
    const visit = await memberBefore()
    const { page, clipboard } = visit
    const copy = page.getByRole('button', { name: 'Copy Password' })
    await copy.click()
    await page.getByText('Password copied.').waitFor()
    await page.evaluate('mayWrite = false')
    await copy.click()
    await visit.hears('does not allow this page to write')
    await page.evaluate('mayWrite = true')
    await page.clock.runFor(5_000)
    await page.getByText('Password copied.').waitFor()
    // What tells of it goes after seconds, of which the calls above have taken some.
    await page.clock.runFor(27_000)
    await expect.poll(clipboard).toBe('')
  })

  it('does not come after the logout', async () => {
    const { page, clipboard } = await memberBefore()
    let release = (): void => undefined
    const released = new Promise<void>((resolve) => (release = resolve))
    await page.route('**/object/*decrypt=true', async (route) => {
      await released
      const json = { CALLINFO: { status: 'SUCCESS' }, OBJECT: [{ crypted: { password: secret } }] }
      await route.fulfill({ json }).catch(() => undefined)
    })
    await page.getByRole('button', { name: 'Copy Password' }).click()
    await page.getByRole('button', { name: 'Log out' }).click()
    await page.getByText('You have logged out.').waitFor()
    release()
    await new Promise((resolve) => void setTimeout(resolve, 500))
    expect(await clipboard()).toBe('mine')
  })
})
