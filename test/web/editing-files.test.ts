import { randomBytes } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { join } from 'node:path'
import { Transform, type TransformOptions } from 'node:stream'
import { crc32, deflateSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { makeCertificate, makeSamples, keyKinds, type Samples } from '../support/file-samples.ts'
import { createObject, objectsIn, upload, type ObjectRecord } from '../support/object-kit.ts'
import { totpCode } from '../support/hardware-token.ts'
import { temporaryFolder } from '../support/temporary.ts'
import { portOf } from '../support/wire.ts'
import { consoleStage } from './console-stage.ts'
import { hostileTexts } from './hostile-corpus.ts'
import type { Visit, VisitOptions } from './browser-kit.ts'

const stage = consoleStage()
let samples: Samples
let vaultid: string
beforeAll(async () => {
  samples = makeSamples()
  const { VAULT } = await stage.stocked.client.must('POST', '/vault', { vaultname: 'Files' })
  vaultid = (VAULT as { id: string }[])[0]?.id ?? ''
})
afterAll(() => samples.cleanup())

async function writer(options?: VisitOptions): Promise<Visit> {
  const user = await stage.appliance.addUser()
  await stage.stocked.client.must('POST', `/vault/${vaultid}/member/${user.id}`, { status: 2 })
  const visit = await stage.visitor(options)
  await visit.arrive(user)
  return visit
}

const allOf = async (): Promise<ObjectRecord[]> =>
  objectsIn(await stage.stocked.client.must('GET', `/vault/${vaultid}`), 'OBJECTS')
const called = async (name: string): Promise<ObjectRecord[]> =>
  (await allOf()).filter(({ objectname }) => objectname === name)
const contentOf = async (id: string): Promise<Buffer> =>
  Buffer.from(String((await stage.stocked.client.must('GET', `/object/${id}?filedata=true`))['FILEDATA']), 'base64')

/** Drops files into the middle of the page. */
async function drop({ page }: Visit, files: readonly { name: string; content: Buffer }[]): Promise<void> {
  const given = files.map(({ name, content }) => ({ name, base64: content.toString('base64') }))
  const dataTransfer = await page.evaluateHandle(
    `{
      const transfer = new DataTransfer()
      for (const { name, base64 } of ${JSON.stringify(given)})
        transfer.items.add(new File([Uint8Array.from(atob(base64), (one) => one.charCodeAt(0))], name))
      transfer
    }`,
  )
  await page.dispatchEvent('main', 'drop', { dataTransfer })
}

/** Chooses from the browser's own dialog. */
async function choose({ page }: Visit, button: string, name: string, buffer: Buffer): Promise<void> {
  const chooser = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: button }).click()
  await (await chooser).setFiles({ name, mimeType: 'application/octet-stream', buffer })
}

async function beginFile(visit: Visit, name: string, content: Buffer): Promise<void> {
  await visit.open(`/vault/${vaultid}/0/new`)
  await visit.sees('New object')
  await choose(visit, 'Choose a file', name, content)
  await visit.page.getByRole('button', { name: 'Choose another file' }).waitFor()
}

describe('files', () => {
  it('that are dropped anywhere in a vault become the right objects, one after the other', async () => {
    const certificate = makeCertificate(samples, 'web', keyKinds['ec-p256'] ?? [], '-subj', '/CN=shop.example.test')
    const visit = await writer()
    const { page } = visit
    await visit.open(`/vault/${vaultid}`)
    await visit.sees('Files')
    await drop(visit, [
      { name: 'shop.crt', content: certificate },
      { name: 'shop.key', content: samples.read('web.key') },
      { name: 'letter.txt', content: Buffer.from('Dear reader') },
    ])
    await page.getByText('File 1 of 3').waitFor()
    await page.getByText('X.509 certificate').waitFor()
    expect(await page.getByLabel('Common name').inputValue()).toBe('shop.example.test')
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByText('File 2 of 3').waitFor()
    await page.getByText('Private key').waitFor()
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByText('File 3 of 3').waitFor()
    await page.getByLabel('Description').fill('Of spring')
    await page.getByRole('button', { name: 'Create' }).click()
    await visit.sees('Files')
    await page.getByRole('link', { name: 'letter.txt' }).waitFor()
    const made = await allOf()
    expect(made.map(({ templateid, filename }) => [templateid, filename])).toEqual([
      ['31', 'shop.crt'],
      ['34', 'shop.key'],
      ['3', 'letter.txt'],
    ])
    expect(await contentOf(made[0]?.id ?? '')).toEqual(certificate)
  })

  it('are stored under their names, and the lines of a text beside them as they were typed', async () => {
    const visit = await writer()
    const name = 'a "b" é\u202e.bin'
    const content = Buffer.from([0, 13, 10, 13, 255, 10, 45, 45])
    await beginFile(visit, name, content)
    await visit.page.getByLabel('Description').fill('one\ntwo\n\n--\nþree 𝄞')
    await visit.page.getByRole('button', { name: 'Create' }).click()
    await visit.sees('Files')
    const [made] = await called(name)
    expect(made).toMatchObject({ filename: name, public: { description: 'one\ntwo\n\n--\nþree 𝄞' } })
    expect(await contentOf(made?.id ?? '')).toEqual(content)
  })

  it('can be given up on their way, and nothing that was typed is lost', async () => {
    const visit = await writer()
    const { page } = visit
    await beginFile(visit, 'large.bin', Buffer.alloc(3 * 1024 * 1024, 7))
    await page.getByLabel('Description').fill('met')
    const address = `${stage.appliance.url}/object`
    await page.route(address, () => undefined)
    await page.getByRole('button', { name: 'Create' }).click()
    await page.getByRole('progressbar', { name: 'Uploading large.bin' }).waitFor()
    await page.getByRole('button', { name: 'Cancel upload' }).click()
    await page.getByText('Upload cancelled.').waitFor()
    expect(await page.getByLabel('Description').inputValue()).toBe('met')
    expect(await called('large.bin')).toEqual([])
    await page.unroute(address)
    await page.getByRole('button', { name: 'Create' }).click()
    await visit.sees('Files')
    const [made] = await called('large.bin')
    expect(made).toMatchObject({ public: { description: 'met' }, fileinfo: { size: String(3 * 1024 * 1024) } })
  })

  it('of 64 MiB go up in sight on a slow network, are given up, outlive a cut, and come down again', async () => {
    const content = randomBytes(64 * 1024 * 1024)
    const path = join(temporaryFolder(), `${randomBytes(8).toString('hex')}.bin`)
    writeFileSync(path, content)
    const wire = await wireToAppliance()
    const visit = await writer({ port: wire.port })
    const { page } = visit
    await visit.open(`/vault/${vaultid}/0/new`)
    await visit.sees('New object')
    const chooser = page.waitForEvent('filechooser')
    await page.getByRole('button', { name: 'Choose a file' }).click()
    await (await chooser).setFiles(path)
    await page.getByLabel('Description').fill('met')
    const create = page.getByRole('button', { name: 'Create' })
    wire.carry(1024 * 1024)
    await create.click()
    // Each value that is drawn, once.
    const shares: number[] = await page.evaluate(`new Promise((resolve) => {
      const shares = []
      const look = () => {
        const { value } = document.querySelector('progress') ?? {}
        if (value > 0 && value !== shares.at(-1)) shares.push(value)
        if (shares.length === 5) resolve(shares)
        else requestAnimationFrame(look)
      }
      look()
    })`)
    expect(shares).toEqual(shares.toSorted((one, other) => one - other))
    expect(shares.at(-1)).toBeLessThan(1)
    await page.getByRole('button', { name: 'Cancel upload' }).click()
    await page.getByText('Upload cancelled.').waitFor()

    await create.click()
    await expect.poll(() => page.evaluate(`document.querySelector('progress')?.value ?? 0`)).toBeGreaterThan(0)
    wire.cut()
    await page.getByText('The appliance cannot be reached.').waitFor()
    visit.complaints.expect(/net::ERR_/)
    expect(await page.getByLabel('Description').inputValue()).toBe('met')
    wire.mend()
    wire.carry(Infinity)
    await create.click()
    // A busy machine takes its time for so much.
    await page.getByRole('heading', { level: 1, name: 'Files', exact: true }).waitFor({ timeout: 90_000 })
    const [made, ...more] = (await allOf()).filter(({ fileinfo }) => fileinfo?.size === String(content.length))
    expect(more).toEqual([])
    expect(made).toMatchObject({ public: { description: 'met' } })
    await visit.open(`/object/${made?.id}`)
    const saving = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Download' }).click()
    expect(readFileSync(await (await saving).path()).equals(content)).toBe(true)
  })

  it('take the place of others', async () => {
    const id = await upload(stage.stocked.client, { groupid: vaultid, templateid: '3' }, Buffer.from('old'), 'old.txt')
    const visit = await writer()
    await visit.open(`/object/${id}/edit`)
    await visit.sees('Edit old.txt')
    await choose(visit, 'Choose another file', 'new.txt', Buffer.from('new'))
    await visit.page.getByText('Replaces old.txt.').waitFor()
    await visit.page.getByRole('button', { name: 'Save' }).click()
    await visit.page.getByText('text/plain').waitFor()
    expect(await contentOf(id)).toEqual(Buffer.from('new'))
  })

  it('that a template does not take, and empty ones, are refused before they are sent', async () => {
    const visit = await writer()
    const { page } = visit
    await beginFile(visit, 'empty.txt', Buffer.alloc(0))
    await page.getByText('This file is empty. Choose another one.').waitFor()
    await page.getByRole('button', { name: 'Create' }).click()
    const other = await writer()
    await beginFile(other, 'other.pem', makeCertificate(samples, 'other', keyKinds['ed25519'] ?? []))
    await choose(other, 'Choose another file', 'picture.png', Buffer.from('x'))
    await other.page
      .getByText('Choose a file that ends with crt, cer, pem, der. This template accepts no others.')
      .waitFor()
    await other.page.getByRole('button', { name: 'Create' }).click()
    for (const { asked } of [visit, other]) expect(asked.filter((url) => url.endsWith('/object'))).toEqual([])
  })
})

describe('a preview', () => {
  const show = async (visit: Visit, name: string, content: Buffer): Promise<void> => {
    const id = await upload(stage.stocked.client, { groupid: vaultid, templateid: '3' }, content, name)
    await visit.open(`/object/${id}`)
    await visit.sees(name)
    await visit.page.getByRole('button', { name: 'Preview' }).click()
  }

  it('draws a picture, and leaves nothing of it behind', async () => {
    const visit = await writer()
    const { page } = visit
    await show(visit, 'dot.png', png())
    const image = page.getByRole('img', { name: 'dot.png' })
    await image.waitFor()
    await expect.poll(() => page.evaluate(`document.querySelector('figure img').naturalWidth`)).toBe(1)
    const address = await image.getAttribute('src')
    expect(address).toMatch(/^blob:/)
    await visit.expectSoundInAll('preview-picture')
    await page.getByRole('button', { name: 'Hide preview' }).click()
    await image.waitFor({ state: 'detached' })
    expect(await page.evaluate(`fetch(${JSON.stringify(address)}).then(() => 'there', () => 'gone')`)).toBe('gone')
    visit.complaints.expect(/blob:.*Content Security Policy/)
  })

  it('of a text is without a finding of axe-core, whatever its width', async () => {
    const visit = await writer()
    await show(visit, 'letter.txt', Buffer.from(`Dear reader\n${'long'.repeat(500)}\n${'line\n'.repeat(200)}`))
    await visit.page.getByRole('figure').getByText('Dear reader').waitFor()
    await visit.expectSoundInAll('preview-text')
  })

  it.each([
    ['page.html', '<!doctype html><script>window.hit=1</script>'],
    [
      'drawing.svg',
      '<svg xmlns="http://www.w3.org/2000/svg" onload="window.hit=1"><script>window.hit=1</script></svg>',
    ],
    ['lie.txt', '<html><body onload=parent.hit=1><iframe src="javascript:parent.hit=1">'],
    ['data.json', '{"__proto__": "<img src=x onerror=window.hit=1>"}'],
  ])('shows %s as the text that it is', async (name, content) => {
    const visit = await writer()
    await show(visit, name, Buffer.from(content))
    await visit.page.getByRole('figure').getByText(content, { exact: true }).waitFor()
    expect(await visit.page.evaluate('window.hit')).toBeUndefined()
    expect(await visit.page.locator('figure :not(pre)').count()).toBe(0)
  })

  it('of a picture that holds a page draws what there is of a picture, and runs nothing', async () => {
    const visit = await writer()
    const { page } = visit
    await show(visit, 'both.png', Buffer.concat([png(), Buffer.from('<script>window.hit=1</script>')]))
    await page.getByRole('img', { name: 'both.png' }).waitFor()
    const gif = Buffer.from('GIF89a/*<script>window.hit=1</script>*/=1;window.hit=1//')
    await show(visit, 'both.gif', gif)
    await page.getByRole('img', { name: 'both.gif' }).waitFor()
    expect(await page.evaluate('window.hit')).toBeUndefined()
  })
})

it('takes hostile texts in every field and every file name as texts', async () => {
  const visit = await writer()
  const { page } = visit
  for (const text of hostileTexts) {
    await visit.open(`/vault/${vaultid}/0/new`)
    await page.getByRole('button', { name: /^Login Info/ }).click()
    for (const label of ['Name', 'URL', 'Username', 'Password'])
      await page
        .getByLabel(label, { exact: label !== 'URL' })
        .first()
        .fill(text)
    await page.getByRole('button', { name: 'Show Password' }).click()
    await page.getByRole('button', { name: 'Create' }).click()
    await visit.sees(text)
    await page.getByRole('button', { name: 'Show Password' }).click()
    await expect.poll(() => page.getByText(text, { exact: true }).count()).toBeGreaterThanOrEqual(4)
    await page.getByRole('link', { name: 'Edit' }).click()
    await visit.sees(`Edit ${text}`)
    expect(await page.getByLabel('Username').inputValue()).toBe(text)
    await beginFile(visit, `${text.replaceAll(/[/\\]/g, '')}.txt`, Buffer.from(text))
    await page.getByRole('button', { name: 'Create' }).click()
    await visit.sees('Files')
  }
  expect(await page.evaluate('window.hit')).toBeUndefined()
  expect(await page.locator('iframe, [onerror], [onload], a[href^="javascript"]').count()).toBe(0)
})

it('makes links of open values that are addresses of the web, and of no others', async () => {
  const client = stage.stocked.client
  const visit = await writer()
  const { page } = visit
  const seen = async (url: string): Promise<string | null> => {
    const id = await createObject(client, vaultid, {
      templateid: '20',
      name: 'Link',
      url,
      username: 'u',
      password: 'p',
    })
    await visit.open(`/object/${id}`)
    const shown = url.replace('\u202e', '[U+202E]')
    await page.getByRole('definition').filter({ hasText: shown }).first().waitFor()
    const link = page.getByRole('definition').getByRole('link')
    return (await link.count()) === 0
      ? null
      : page.evaluate(`(({ href, rel, target }) => [href, rel, target].join(' '))(document.querySelector('dd a'))`)
  }
  expect(await seen('https://bank.example.test/a?b=c')).toBe(
    'https://bank.example.test/a?b=c noopener noreferrer _blank',
  )
  expect(await seen('HTTP://host:8080')).toBe('http://host:8080/ noopener noreferrer _blank')
  for (const url of [
    'javascript:alert(1)//https://x',
    'https://bank.example@evil.example/',
    'ftp://host/',
    'data:text/html,<script>1</script>',
    'see https://host/',
    'https://host/ and more',
    'https://\u202ehost/',
    '//host/',
  ])
    expect([url, await seen(url)]).toEqual([url, null])
})

it('shows the codes of a stored seed, and for how long each is good', async () => {
  const secret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'
  const password = `otpauth://totp/Site:me?secret=${secret}&issuer=Site`
  const id = await createObject(stage.stocked.client, vaultid, { password })
  const visit = await writer()
  const { page } = visit
  await visit.open(`/object/${id}`)
  await page.getByRole('button', { name: 'Show Password' }).click()
  const code = page.getByLabel('Code for Password', { exact: true })
  await expect.poll(async () => (await code.textContent())?.replace(' ', '') === totpCode(secret)).toBe(true)
  await page.getByRole('meter', { name: /^Changes in \d+ seconds?$/ }).waitFor()
  await visit.expectSoundInAll('totp')
  await page.getByRole('button', { name: 'Copy Code for Password' }).click()
  await page.getByText('Code for Password copied.').waitFor()
  await page.getByRole('button', { name: 'Hide Password' }).click()
  await code.waitFor({ state: 'detached' })
})

/** A wire to the appliance; what the browser itself calls offline, or slow, is not so for a call that is under way. */
interface Wire {
  readonly port: number
  cut(): void
  mend(): void
  /** No more than this towards the appliance, on each connection. */
  carry(bytesPerSecond: number): void
}

async function wireToAppliance(): Promise<Wire> {
  const ends = new Set<Socket>()
  let isCut = false
  let rate = Infinity
  const server = createServer((near) => {
    if (isCut) return void near.destroy()
    const far = connect(portOf(stage.appliance), '127.0.0.1')
    for (const [end, other] of [
      [near, far],
      [far, near],
    ] as const) {
      ends.add(end)
      // A grant of HTTP/2 that is held back makes any wire a slow one.
      end.setNoDelay()
      end.on('error', () => end.destroy())
      end.on('close', () => ends.delete(end) && other.destroy())
    }
    const transform: TransformOptions['transform'] = (chunk: Buffer, _, done) =>
      rate === Infinity ? done(null, chunk) : void setTimeout(done, (1000 * chunk.length) / rate, null, chunk)
    near.pipe(new Transform({ transform })).pipe(far).pipe(near)
    return undefined
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const cut = (): void => {
    isCut = true
    for (const end of ends) end.destroy()
  }
  onTestFinished(() => {
    cut()
    server.close()
  })
  return {
    port: (server.address() as AddressInfo).port,
    cut,
    mend: () => void (isCut = false),
    carry: (bytesPerSecond) => void (rate = bytesPerSecond),
  }
}

/** A picture of one dot. */
function png(): Buffer {
  const chunk = (type: string, data: Buffer): Buffer => {
    const body = Buffer.concat([Buffer.from(type), data])
    const length = Buffer.alloc(4)
    length.writeUInt32BE(data.length)
    const check = Buffer.alloc(4)
    check.writeUInt32BE(crc32(body))
    return Buffer.concat([length, body, check])
  }
  const header = Buffer.from([0, 0, 0, 1, 0, 0, 0, 1, 8, 0, 0, 0, 0])
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(Buffer.from([0, 128]))),
    chunk('IEND', Buffer.alloc(0)),
  ])
}
