import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeCertificate, makeSamples, type Samples } from '../../support/file-samples.ts'
import { formWith, objectsIn } from '../../support/object-kit.ts'
import { TestAppliance } from '../../support/appliance.ts'
import { expectFault, type Answer, type Envelope, type TestClient } from '../../support/client.ts'

let appliance: TestAppliance
let client: TestClient
let samples: Samples

beforeAll(async () => {
  samples = makeSamples()
  const names = [
    '-addext',
    'subjectAltName=DNS:www.example.test,DNS:example.test',
    '-addext',
    'keyUsage=digitalSignature',
  ]
  makeCertificate(samples, 'www', ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256'], ...names)
  appliance = await TestAppliance.shared()
  writeFileSync(join(appliance.directory, 'ca.pem'), appliance.ca)
  client = await appliance.login()
})
afterAll(async () => {
  samples.cleanup()
  await appliance.close()
})

const run = promisify(execFile)

/** The answer to a form that curl posts. */
async function curl(...args: string[]): Promise<Answer> {
  const { stdout } = await run(
    'curl',
    [
      '-sS',
      '--max-time',
      '60',
      '--cacert',
      join(appliance.directory, 'ca.pem'),
      '-w',
      '\n%{http_code}',
      ...args,
      `${appliance.url}/filecollect`,
    ],
    { maxBuffer: 64 * 1024 * 1024 },
  )
  const at = stdout.lastIndexOf('\n')
  return { status: Number(stdout.slice(at + 1)), headers: {}, json: JSON.parse(stdout.slice(0, at)) as Envelope }
}

const header = (): string[] => ['-H', `X-Http-Token: ${client.token ?? ''}`]
const form = (name: string, more = ''): string[] => ['-F', `upload=@${samples.path(name)}${more}`]

async function collected(...args: string[]): Promise<Envelope> {
  const { status, json } = await curl(...header(), ...args)
  expect(json.ERRORS ?? []).toEqual([])
  expect([status, json.CALLINFO.status, json.CALLINFO.handler]).toEqual([200, 'SUCCESS', 'FilecollectHandler'])
  return json
}

describe('POST /filecollect', () => {
  it('serves a client that sends the token as a field and takes text alone', async () => {
    const token = client.token ?? ''
    const file = [
      '-F',
      `file=@${samples.path('www.pem')};filename=www.example.test.crt;type=application/x-x509-ca-cert`,
    ]
    const { status, json } = await curl('-F', 'file1=www.example.test.crt', ...file, '-F', `token=${token}`)
    expect(status).toBe(200)
    expect(json.DATA).toEqual({
      file1: 'www.example.test.crt',
      templateid: '31',
      cn: 'www.example.test',
      issuer: expect.stringMatching(/^C=SE, O=Example\\, Inc\. \\"Ö\\", OU=One, OU=Two, CN=www\.example\.test$/),
      validfrom: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
      validto: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
      algorithm: 'EC',
      keylength: '256',
      keyusage: 'Digital Signature',
      altnamedns: 'www.example.test, example.test',
      token,
    })
    for (const value of Object.values(json.DATA)) expect(value).toBeTypeOf('string')
    expect(json.CALLINFO.token).toBe(token)
  })

  it('fills in the form of the template that it names', async () => {
    const { DATA, STRUCTURE } = await collected(...form('www.pem'))
    const [entry] = (await client.must('GET', '/template/31'))['TEMPLATES'] as [
      { structure: Record<string, unknown>[] },
    ]
    const data = DATA as Record<string, string>
    const expected = entry.structure.map(({ fieldname, ...attributes }) => [
      fieldname,
      { ...attributes, val: data[String(fieldname)] ?? '', alarmed: '', ischanged: false },
    ])
    expect(Object.entries(STRUCTURE as object)).toEqual(expected)
    expect(Object.keys(STRUCTURE as object)[0]).toBe('file1')
    expect(data['file1']).toBe('www.pem')
  })

  it('answers what makes an object of the file, sent on as it is', async () => {
    const [{ id: groupid }] = (await client.must('POST', '/vault', { vaultname: 'PKI' }))['VAULT'] as [{ id: string }]
    const { DATA } = await collected(...form('www.pem'))
    const fields = { ...(DATA as Record<string, string>), info: '443', parentid: '0', groupid }
    const { raw, headers } = formWith(fields, samples.read('www.pem'), 'www.example.test.crt', 'file')
    const { status, json } = await client.call('POST', '/object', { raw, headers })
    expect([status, json.ERRORS]).toEqual([200, undefined])
    const vault = await client.must('GET', `/vault/${groupid}`)
    const { cn, validto, altnamedns } = DATA as Record<string, string>
    expect(objectsIn(vault, 'OBJECTS')).toMatchObject([
      { templateid: '31', public: { cn, validto, altnamedns, info: '443' } },
    ])
    expect(vault['TEMPLATES']).toMatchObject([{ id: '31' }])
  })

  it('sees a certificate in its first 64 bytes, with fields of text and nothing in them', async () => {
    samples.write('head', samples.read('www.pem').subarray(0, 64))
    const { DATA } = await collected(...form('head', ';filename=a.pem'), '-F', 'description=x')
    expect(DATA).toMatchObject({
      templateid: '31',
      file1: 'a.pem',
      description: 'x',
      cn: '',
      issuer: '',
      keylength: '',
      altnamedns: '',
    })
  })

  it('names other templates by number, and says nothing of what only people know', async () => {
    samples.write('notes.txt', 'nothing special')
    const file = await collected(...form('notes.txt'))
    expect(file.DATA).toEqual({ templateid: 3, file1: 'notes.txt', token: client.token })
    expect(Object.keys(file['STRUCTURE'] as object)).toEqual(['file1', 'description'])
    const key = await collected(...form('www.key'))
    expect(key.DATA).toEqual({
      templateid: 34,
      file1: 'www.key',
      algorithm: 'EC',
      keylength: '256',
      token: client.token,
    })
  })

  it('shows nothing of a private key, neither to its sender nor in the journal', async () => {
    const text = samples.read('www.key').toString().split('\n')[1] ?? ''
    const answer = JSON.stringify(await collected(...form('www.key')))
    expect(text.length).toBeGreaterThan(50)
    expect(answer).not.toContain(text)
    expect(appliance.journal).not.toContain(text)
  })

  it('opens a PKCS#12 with its pass phrase, which it keeps to itself', async () => {
    const passphrase = 'correct zebra horse'
    const bundle = ['-inkey', 'www.key', '-in', 'www.pem', '-out', 'www.p12', '-passout', `pass:${passphrase}`]
    samples.openssl('pkcs12', '-export', ...bundle)
    const closed = await collected(...form('www.p12'))
    expect(closed.DATA).toMatchObject({ templateid: 33, file1: 'www.p12', cn: '', fingerprint: '' })
    const certificate = (await collected(...form('www.pem'))).DATA as Record<string, string>
    const opened = await collected(...form('www.p12'), '-F', `passphrase=${passphrase}`)
    const printed = samples.openssl('x509', '-in', 'www.pem', '-noout', '-fingerprint', '-sha256')
    expect(opened.DATA).toEqual({
      ...certificate,
      templateid: 33,
      file1: 'www.p12',
      fingerprint: printed.trim().split('=')[1]?.replaceAll(':', '').toLowerCase(),
    })
    expect(opened['STRUCTURE']).toMatchObject({ cn: { val: 'www.example.test' }, password: { val: '' } })
    expect(opened.CALLINFO['general']).toEqual([])
    const refused = await collected(...form('www.p12'), '-F', 'passphrase=wrong zebra')
    expect(refused.DATA).toEqual(closed.DATA)
    expect(refused.CALLINFO['general']).toEqual([expect.stringMatching(/^The file was not opened: /)])
    for (const place of [opened, refused, appliance.journal]) expect(JSON.stringify(place)).not.toContain('zebra')
  })

  it('takes the name from a field where the part has none', async () => {
    const body = `--b\r\nContent-Disposition: form-data; name="file1"\r\n\r\nmine.txt\r\n--b\r\nContent-Disposition: form-data; name="f"\r\nContent-Type: application/octet-stream\r\n\r\nx\r\n--b--\r\n`
    const json = await collected('-H', 'Content-Type: multipart/form-data; boundary=b', '--data-binary', body)
    expect(json.DATA).toMatchObject({ templateid: 3, file1: 'mine.txt' })
  })

  it('answers quickly for large files and for hostile ones', async () => {
    const pem = samples.read('www.pem')
    const body = Buffer.alloc(10_000_000, randomBytes(3000).toString('base64'))
    const large: readonly (readonly [string, Buffer, unknown])[] = [
      ['a certificate of 10 MB', Buffer.concat([Buffer.from('-----BEGIN CERTIFICATE-----\n'), body]), 3],
      ['a certificate and 10 MB', Buffer.concat([pem, body]), 3],
      ['DER that announces 4 GiB', Buffer.concat([Buffer.from('3084ffffffff3082ffff', 'hex'), body]), 3],
      ['DER nested a million times', Buffer.alloc(10_000_000, Buffer.from('3080', 'hex')), 3],
      ['a ZIP bomb', Buffer.concat([Buffer.from('504b0304', 'hex'), Buffer.alloc(10_000_000)]), 3],
    ]
    for (const [what, content, templateid] of large) {
      samples.write('large', content)
      expect((await collected(...form('large'))).DATA, what).toMatchObject({ templateid })
    }
    // The workers are free again: the next call is served at once.
    await client.must('POST', '/auth/check')
  }, 120_000)
})

describe('POST /filecollect refuses', () => {
  const bad: readonly (readonly [string, () => string[], number, number])[] = [
    ['JSON', () => ['-H', 'Content-Type: application/json', '-d', '{"file":"x"}'], 400, 1812],
    ['no body', () => ['-X', 'POST'], 400, 1812],
    ['a form without a file', () => ['-F', 'file1=x'], 400, 1812],
    ['two files', () => [...form('www.pem'), ...form('www.key')], 400, 1804],
    ['a field twice', () => [...form('www.pem'), '-F', 'file1=a', '-F', 'file1=b'], 400, 1804],
    ['a name of 300 characters', () => form('www.pem', `;filename=${'n'.repeat(300)}`), 400, 1804],
  ]
  it.each(bad)('%s', async (_what, args, status, code) => {
    expectFault(await curl(...header(), ...args()), status, code)
  })

  it('anybody without a session', async () => {
    expectFault(await curl(...form('www.pem')), 403, 1200)
    expectFault(await curl('-H', `X-Http-Token: ${'x'.repeat(42)}`, ...form('www.pem')), 403, 1200)
    expectFault(await curl(...form('www.pem'), '-F', `token=${'x'.repeat(42)}`), 403, 1200)
  })

  it('other methods', async () => {
    expectFault(await client.get('/filecollect'), 405, 1802)
  })
})
