import { beforeAll, describe, expect, it } from 'vitest'
import { TestAppliance } from '../../support/appliance.ts'
import { applianceForTests } from '../../support/for-tests.ts'
import { expectFault, type TestClient } from '../../support/client.ts'

const appliance = applianceForTests(() => TestAppliance.own({ files: { maxBytes: limit } }))
let client: TestClient

const limit = 1_000_000
const zip = Buffer.concat([Buffer.from('PK\u0003\u0004\u0014\0\0\0'), Buffer.alloc(56, 1)])
const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')

beforeAll(async () => {
  client = await appliance.login(await appliance.addUser(['active']))
})

const call = (body: unknown) => client.post('/utils/get_mime_type', body)
const detect = async (data: Buffer, extension: string, size?: unknown) => {
  const { status, json } = await call({ data: data.toString('base64'), extension, ...(size !== undefined && { size }) })
  expect(status).toBe(200)
  return json['RESULT']
}

describe('POST /utils/get_mime_type', () => {
  it('tells the type, repeats the size and tells the largest', async () => {
    const { json } = await call({ data: png.toString('base64'), extension: 'png', size: 1234 })
    expect([json.CALLINFO.handler, json['RESULT']]).toEqual([
      'UtilsHandler',
      { mimetype: 'image/png', size: 1234, max_file_size: limit },
    ])
  })

  it('tells no size when none was sent, and takes digits for one', async () => {
    expect(await detect(png, 'png')).toEqual({ mimetype: 'image/png', max_file_size: limit })
    expect(await detect(png, 'png', '0')).toEqual({ mimetype: 'image/png', size: 0, max_file_size: limit })
  })

  it.each([
    ['key', zip, 'application/vnd.apple.keynote'],
    ['.key', zip, 'application/vnd.apple.keynote'],
    ['.KEY', zip, 'application/vnd.apple.keynote'],
    ['..key', zip, 'application/zip'],
    ['', zip, 'application/zip'],
    ['.csv', Buffer.from('a,b\r\n1,2\r\n'), 'text/csv'],
    ['txt', Buffer.alloc(0), 'text/plain'],
    ['x'.repeat(25), Buffer.alloc(64, 0xff), 'application/octet-stream'],
    [`.${'\u{1f511}'.repeat(25)}`, Buffer.alloc(64, 0xff), 'application/octet-stream'],
  ])('knows %j', async (extension, data, mimetype) => {
    expect(await detect(data, extension)).toMatchObject({ mimetype })
  })

  it('takes a file as large as the limit, and refuses one byte more with 413', async () => {
    expect(await detect(png, 'png', limit)).toMatchObject({ size: limit })
    const answer = await call({ data: png.toString('base64'), extension: 'png', size: limit + 1 })
    expectFault(answer, 413, 1803)
    expect(answer.json.ERRORS?.[0]).toContain('files.maxBytes')
  })

  const good = { data: png.toString('base64'), extension: 'png' }
  const refused: readonly (readonly [string, unknown])[] = [
    ['no data', { ...good, data: undefined }],
    ['null for data', { ...good, data: null }],
    ['a number for data', { ...good, data: 1 }],
    ['an array for data', { ...good, data: ['AAAA'] }],
    ['data that is no base64', { ...good, data: 'not base64!' }],
    ['data without its padding', { ...good, data: 'AA' }],
    ['data of the other alphabet', { ...good, data: '_-8=' }],
    ['data with a line end', { ...good, data: 'AAAA\n' }],
    ['65 bytes of data', { ...good, data: Buffer.alloc(65).toString('base64') }],
    ['a megabyte of data', { ...good, data: Buffer.alloc(750_000).toString('base64') }],
    ['no extension', { ...good, extension: undefined }],
    ['null for an extension', { ...good, extension: null }],
    ['a number for an extension', { ...good, extension: 7 }],
    ['an extension of 26 characters', { ...good, extension: 'x'.repeat(26) }],
    ['an extension of a dot and 26 characters', { ...good, extension: `.${'x'.repeat(26)}` }],
    ['an extension with a line end', { ...good, extension: 'png\n' }],
    ['an extension with a slash', { ...good, extension: '../png' }],
    ['null for a size', { ...good, size: null }],
    ['a negative size', { ...good, size: -1 }],
    ['a size with a fraction', { ...good, size: 1.5 }],
    ['a hexadecimal size', { ...good, size: '0x10' }],
    ['an empty size', { ...good, size: '' }],
    ['a size beyond all numbers', { ...good, size: 1e300 }],
    ['an array for a size', { ...good, size: [1] }],
  ]
  it.each(refused)('refuses %s with 400', async (_what, body) => {
    expectFault(await call(body), 400, 1804)
  })

  it('is for those who are logged in', async () => {
    expectFault(await appliance.client().post('/utils/get_mime_type', good), 403, 1200)
  })
})
