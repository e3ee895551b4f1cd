import { execFile } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readForm } from '../../../src/http/input/upload.ts'
import { Fault } from '../../../src/fault.ts'

const limits = { bodyLimits: { maxBytes: 64 * 1024, maxFileBytes: 1024 * 1024 }, maxFileBytes: 4 * 1024 * 1024 }
const directory = mkdtempSync(join(tmpdir(), 'strongroom-upload-'))
const [small, large, tooLarge, empty] = [
  given('small', 1000),
  given('large', 3_000_000),
  given('too-large', 5_000_000),
  given('empty', 0),
]

let server: Server
/** What the last form was read as; for requests whose client does not wait for the answer. */
const seen: string[] = []

beforeAll(async () => {
  server = createServer((request, response) => {
    void (async () => {
      try {
        const form = await readForm(request, limits)
        const digest = createHash('sha256')
        let size = 0
        for await (const piece of form.file?.content() ?? []) {
          digest.update(piece)
          size += piece.length
        }
        const { filename, mimeType } = form.file ?? {}
        return JSON.stringify({ fields: form.fields, filename, mimeType, size, sha256: digest.digest('hex') })
      } catch (error) {
        return error instanceof Fault ? `${error.code}: ${error.detail ?? ''}` : String(error)
      }
    })().then((text) => {
      seen.push(text)
      response.writeHead(200, { Connection: 'close' }).end(text)
      request.resume()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
afterAll(() => server.close())

function given(name: string, bytes: number): { path: string; sha256: string } {
  const content = randomBytes(bytes)
  const path = join(directory, name)
  writeFileSync(path, content)
  return { path, sha256: createHash('sha256').update(content).digest('hex') }
}

const port = (): number => (server.address() as AddressInfo).port
const run = promisify(execFile)

async function curl(...args: string[]): Promise<string> {
  const { stdout } = await run('curl', ['--silent', '--max-time', '60', ...args, `http://127.0.0.1:${port()}/`])
  return stdout
}

describe('a form, as curl sends it', () => {
  const orders: readonly (readonly [string, { path: string; sha256: string }, (path: string) => string[]])[] = [
    ['a small file behind its fields', small, (path) => ['-F', 'a=1', '-F', 'ü=ö€😀', '-F', `upload=@${path}`]],
    ['a small file before its fields', small, (path) => ['-F', `anything=@${path}`, '-F', 'a=1', '-F', 'ü=ö€😀']],
    ['a large file behind its fields', large, (path) => ['-F', 'a=1', '-F', 'ü=ö€😀', '-F', `f=@${path}`]],
    ['an empty file', empty, (path) => ['-F', 'a=1', '-F', 'ü=ö€😀', '-F', `f=@${path}`]],
  ]
  it.each(orders)('is read whole: %s', async (_what, { path, sha256 }, args) => {
    const read = JSON.parse(await curl(...args(`${path};filename=näme.bin;type=application/x-test`))) as unknown
    expect(read).toMatchObject({
      fields: { a: '1', ü: 'ö€😀' },
      filename: 'näme.bin',
      mimeType: 'application/x-test',
      sha256,
    })
  })

  it('needs no file', async () => {
    expect(JSON.parse(await curl('-F', 'a=1'))).toMatchObject({ fields: { a: '1' }, size: 0 })
  })

  it('names a file without its folders', async () => {
    const read = await curl('-F', `f=@${small.path};filename=../../etc/passwd`)
    expect(JSON.parse(read)).toMatchObject({ filename: 'passwd' })
  })

  const many = Array.from({ length: 257 }, (_, at) => ['-F', `f${at}=x`]).flat()
  const refused: readonly (readonly [string, string[], RegExp])[] = [
    ['two files', ['-F', `a=@${small.path}`, '-F', `b=@${small.path}`], /^request.invalid: Send one file at a time/],
    ['two large files', ['-F', `a=@${large.path}`, '-F', `b=@${large.path}`], /^request.invalid: Send one file/],
    [
      'a field behind a large file',
      ['-F', `a=@${large.path}`, '-F', 'b=1'],
      /^request.invalid: Put every field before/,
    ],
    ['a field twice', ['-F', 'a=1', '-F', 'a=2'], /^request.invalid: The field a is there twice/],
    ['a file over the limit', ['-F', `a=@${tooLarge.path}`], /^request.too_large: .*files\.maxBytes/],
    ['too many fields', many, /^request.too_large: The form has more than 256 fields/],
    ['too long a field', ['-F', `a=${'x'.repeat(70_000)}`], /^request.too_large: .*65536 bytes/],
    ['too long a name', ['-F', `${'n'.repeat(200)}=1`], /^request.invalid: The name of a field must have 128/],
    ['too long a file name', ['-F', `a=@${small.path};filename=${'n'.repeat(300)}`], /^request.invalid: The name of/],
    ['an unknown character set', ['-F', 'a=1;type=text/plain;charset=x'], /^request.invalid: .* field a .* UTF-8/],
    ['an encoded file', ['-F', `a=@${small.path};encoder=base64`], /^request.invalid: .* base64 .*as they are/],
    ['an encoded field', ['-F', 'a=1;encoder=quoted-printable'], /^request.invalid: .* quoted-printable /],
    [
      'a part without a Content-Disposition',
      [
        '-H',
        'Content-Type: multipart/form-data; boundary=b',
        '--data-binary',
        '--b\r\nContent-Type: text/plain\r\n\r\n1\r\n--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--b--\r\n',
      ],
      /^request.invalid: A part of the form cannot be read: it has no Content-Disposition/,
    ],
    [
      'a last part with another Content-Disposition, behind a file',
      ['-F', `f=@${small.path}`, '-F', 'a=1;headers="Content-Disposition: attachment"'],
      /^request.invalid: A part of the form cannot be read: it has no Content-Disposition/,
    ],
    [
      'blanks behind a boundary',
      [
        '-H',
        'Content-Type: multipart/form-data; boundary=b',
        '--data-binary',
        '--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--b \t\r\nContent-Disposition: form-data; name="b"\r\n\r\n2\r\n--b--\r\n',
      ],
      /^request.invalid: A part of the form cannot be read: .* line of its boundary/,
    ],
    ['no boundary', ['-H', 'Content-Type: multipart/form-data', '-d', 'x'], /^request.not_form: .*boundary/],
    [
      'a form without an end',
      ['-H', 'Content-Type: multipart/form-data; boundary=b', '--data-binary', '--b\r\n'],
      /^request.not_form: The form ended too early/,
    ],
    [
      'fields that are too long together',
      ['-F', `a=${'x'.repeat(40_000)}`, '-F', `b=${'x'.repeat(40_000)}`],
      /^request.too_large/,
    ],
    ['a name with a bracket', ['-F', 'a[4294967294]=1'], /^request.invalid: The name of a field/],
    [
      'a file after its end',
      [
        '-H',
        'Content-Type: multipart/form-data; boundary=b',
        '--data-binary',
        `--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n--b--\r\n--b\r\n--b\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\n${'x'.repeat(100_000)}\r\n--b--\r\n`,
      ],
      /^request.not_form: The form goes on/,
    ],
    [
      'a file without an end',
      [
        '-H',
        'Content-Type: multipart/form-data; boundary=b',
        '--data-binary',
        '--b\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\nhalf of it',
      ],
      /^request.not_form: The f(orm|ile) ended too early/,
    ],
  ]
  it.each(refused)('is refused for %s', async (_what, args, expected) => {
    expect(await curl(...args)).toMatch(expected)
  })
})

it('a client that goes away amid its file leaves an upload that has failed and no promise pending', async () => {
  for (const bytes of [1_000, 2_000_000]) {
    const before = seen.length
    const head = '--b\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\n' + 'x'.repeat(bytes)
    const socket = connect(port(), '127.0.0.1')
    socket.write(
      `POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4000000\r\nContent-Type: multipart/form-data; boundary=b\r\n\r\n${head}`,
      () => setTimeout(() => socket.destroy(), 50),
    )
    await expect.poll(() => seen.length).toBe(before + 1)
    expect(seen.at(-1)).toMatch(/^request.not_form: The f(orm|ile) ended too early/)
  }
})

it('a form that is refused is refused at once, whatever more its client sends', async () => {
  const before = seen.length
  const socket = connect(port(), '127.0.0.1')
  socket.write(
    'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4000000\r\nContent-Type: multipart/form-data; boundary=b\r\n\r\n' +
      '--b\r\nContent-Disposition: form-data\r\n\r\nx\r\n--b\r\n',
  )
  await expect.poll(() => seen.length).toBe(before + 1)
  expect(seen.at(-1)).toBe('request.invalid: A field of the form has no name.')
  socket.destroy()
})
