import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { connect } from 'node:tls'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { twoWorkers, TestAppliance } from '../../support/appliance.ts'
import { expectFault, type Envelope, type TestClient } from '../../support/client.ts'
import { openDatabase } from '../../support/database-owner.ts'
import { expectUnharmed } from '../../support/health.ts'
import { commonPki } from '../../support/pki.ts'
import { makeVault, type TestVault } from '../../support/vault.ts'
import { formWith, objectsIn, readObject, recordsAbout, server, upload } from '../../support/object-kit.ts'

/** More, as base64, than the kernel buffers for a client that does not read. */
const maxBytes = 12 * 1024 * 1024
/** Bytes of a chunk: see decision 15. */
const chunk = 192 * 1024
const directory = mkdtempSync(join(tmpdir(), 'strongroom-files-'))
const run = promisify(execFile)

let appliance: TestAppliance
let database: Database.Database
let vault: TestVault
let admin: TestClient
let ca: string

beforeAll(async () => {
  appliance = await TestAppliance.own({ ...twoWorkers, files: { maxBytes, readPatienceMs: 2_000 } })
  database = openDatabase(appliance)
  vault = await makeVault(appliance)
  ;({ admin } = vault)
  ;({ ca } = commonPki())
})
afterAll(async () => {
  database.close()
  await expectUnharmed(appliance)
  await appliance.close()
})

/** Content with bytes of every value, and without the period of a chunk. */
function contentOf(bytes: number, seed = 1): Buffer {
  const content = Buffer.alloc(bytes)
  for (let at = 0, state = seed; at < bytes; at++) content[at] = (state = (state * 1_103_515_245 + 12_345) >>> 0) >>> 16
  return content
}

const count = (table: string): number =>
  (database.prepare(`SELECT count(*) AS n FROM ${table}`).get() as { n: number }).n
const kept = () => ['vault_objects', 'object_secrets', 'file_uploads', 'file_chunks'].map(count)

async function download(id: string, query = 'filedata=true'): Promise<Buffer> {
  const data = String((await admin.must('GET', `/object/${id}?${query}`))['FILEDATA'])
  expect(data).toMatch(/^[A-Za-z0-9+/]+={0,2}$/)
  return Buffer.from(data, 'base64')
}

async function curl(...args: string[]): Promise<Envelope> {
  const { stdout } = await run('curl', ['--silent', '--max-time', '60', '--cacert', ca, ...args])
  return JSON.parse(stdout) as Envelope
}

function fileWith(name: string, content: Buffer): string {
  const path = join(directory, name)
  writeFileSync(path, content)
  return path
}

describe('POST /object with a file', () => {
  it.each([1, 100, chunk - 1, chunk, chunk + 1, 4 * chunk, 4 * chunk + 1, 2_000_000, maxBytes])(
    'keeps %d bytes as they are',
    async (bytes) => {
      const content = contentOf(bytes)
      const id = await upload(admin, { groupid: vault.id }, content)
      expect((await download(id)).equals(content)).toBe(true)
      const file = database.prepare('SELECT id FROM file_uploads WHERE object_id = ?').get(id) as { id: string }
      const chunks = database.prepare('SELECT sealed FROM file_chunks WHERE upload_id = ?').all(file.id)
      expect(chunks).toHaveLength(Math.ceil(bytes / chunk))
    },
  )

  it('is a File that knows what it holds', async () => {
    const form = formWith({ groupid: vault.id, parentid: '0', description: 'a picture' }, png, 'Näme.PNG')
    const { json } = await admin.call('POST', '/object', form)
    expect(json.CALLINFO).toMatchObject({ message: 'Object successfully saved', general: [] })
    const id = String(json.CALLINFO['objectid'])
    const at = expect.stringMatching(/^20\d\d-[01]\d-[0-3]\d [0-2]\d:[0-5]\d:[0-5]\d$/)
    expect(await readObject(admin, id)).toEqual({
      id,
      parentid: '0',
      templateid: '3',
      groupid: vault.id,
      status: '128',
      objectname: 'Näme.PNG',
      filename: 'Näme.PNG',
      children: '0',
      version: '1',
      notes: false,
      tags: '',
      alarmed: false,
      public: { file1: 'Näme.PNG', description: 'a picture' },
      fileinfo: {
        objectid: id,
        name: 'Näme.PNG',
        size: String(png.length),
        type: 'image/png',
        filepath: '',
        created: at,
        ext: 'png',
        iconpath: '',
      },
    })
    expect((await download(id, 'decrypt=true&filedata=true')).equals(png)).toBe(true)
    expect(recordsAbout(appliance, `object ${id}`)).toContainEqual(
      expect.objectContaining({ operation: 'object.decrypt', subject: `object ${id}: its file`, outcome: 'allowed' }),
    )
    expect(objectsIn(await admin.must('GET', '/find?needle=n%C3%A4me.png'))).toMatchObject([{ id }])
  })

  it('takes what curl sends, whatever the part is called, and the token as a field', async () => {
    const content = contentOf(2_500_000)
    const path = fileWith('curl.bin', content)
    const url = `${appliance.url}/object`
    const token = String(admin.token)
    const asPython = ['-F', `groupid=${vault.id}`, '-F', 'parentid=0', '-F', 'description=x', '-F', `upload=@${path}`]
    const first = await curl('-H', `X-Http-Token: ${token}`, ...asPython, url)
    expect(first.CALLINFO).toMatchObject({ status: 'SUCCESS', message: 'Object successfully saved' })
    expect((await download(String(first.CALLINFO['objectid']))).equals(content)).toBe(true)
    const certificate = fileWith('host.example.test.crt', readFileSync(ca))
    const collected = {
      templateid: '31',
      cn: 'host.example.test',
      issuer: 'CN=Test',
      keylength: '256',
      info: 'collected',
    }
    const fields = { ...collected, file1: 'host.example.test.crt', parentid: '0', groupid: vault.id, token }
    const asX509 = Object.entries(fields).flatMap(([name, value]) => ['-F', `${name}=${value}`])
    const second = await curl('-F', `file=@${certificate};type=application/x-x509-ca-cert`, ...asX509, url)
    expect(second.CALLINFO.status).toBe('SUCCESS')
    expect(second.DATA).toMatchObject({ token, cn: 'host.example.test' })
    expect(await readObject(admin, String(second.CALLINFO['objectid']))).toMatchObject({
      templateid: '31',
      objectname: 'host.example.test',
      public: { cn: 'host.example.test', file1: 'host.example.test.crt', keylength: '256', validfrom: '' },
    })
  })

  it('takes twenty at once', async () => {
    const contents = Array.from({ length: 20 }, (_, at) => contentOf(1_200_000 + at, at + 1))
    const ids = await Promise.all(contents.map((content) => upload(admin, { groupid: vault.id }, content)))
    for (const [at, id] of ids.entries())
      expect((await download(id)).equals(contents[at] ?? Buffer.alloc(0))).toBe(true)
  })

  const two = Buffer.from('\r\n--test-boundary\r\nContent-Disposition: form-data; name="b"; filename="b"\r\n\r\nx')
  const field = Buffer.from('\r\n--test-boundary\r\nContent-Disposition: form-data; name="groupid"\r\n\r\n1')
  const refused: readonly (readonly [
    string,
    () => { raw: Buffer; headers: Record<string, string> },
    number,
    number,
  ])[] = [
    ['an empty file', () => formWith({ groupid: vault.id }, Buffer.alloc(0)), 400, 1611],
    ['one byte too many', () => formWith({ groupid: vault.id }, contentOf(maxBytes + 1)), 413, 1803],
    ['two files', () => formWith({ groupid: vault.id }, two), 400, 1804],
    [
      'two files, the first a large one',
      () => formWith({ groupid: vault.id }, Buffer.concat([contentOf(2_000_000), two])),
      400,
      1804,
    ],
    ['a large file before its fields', () => formWith({}, Buffer.concat([contentOf(2_000_000), field])), 400, 1804],
    ['a file for a template without one', () => formWith({ groupid: vault.id, ...server }, contentOf(9)), 400, 1611],
    ['a file of another kind', () => formWith({ groupid: vault.id, templateid: 31 }, contentOf(9), 'x.exe'), 400, 1611],
    ['a large file in a foreign vault', () => formWith({ groupid: '999' }, contentOf(2_000_000)), 404, 1400],
    [
      'a large file below no parent',
      () => formWith({ groupid: vault.id, parentid: 999 }, contentOf(2_000_000)),
      400,
      1612,
    ],
    [
      'a description with control characters',
      () => formWith({ groupid: vault.id, description: 'a\u0007' }, contentOf(9)),
      400,
      1611,
    ],
    [
      'a file name with a control character',
      () => formWith({ groupid: vault.id }, contentOf(9), 'a\u0085b'),
      400,
      1804,
    ],
    [
      'a form that ends amid a large file',
      () => {
        const { raw, headers } = formWith({ groupid: vault.id }, contentOf(2_000_000))
        return { raw: raw.subarray(0, 1_900_000), headers }
      },
      400,
      1812,
    ],
  ]
  it.each(refused)('refuses %s and leaves nothing behind', async (_what, form, status, code) => {
    const before = kept()
    expectFault(await admin.call('POST', '/object', form()), status, code)
    expect(kept()).toEqual(before)
  })

  it('says of an empty file that none is stored, for sending it again would not help', async () => {
    const answer = await admin.call('POST', '/object', formWith({ groupid: vault.id }, Buffer.alloc(0)))
    expect(answer.json.ERRORS).toEqual(['The file is empty, and an empty file is not stored: choose another one.'])
  })

  it('takes a session token in the form behind a file of 64 KiB at most, and before a larger one', async () => {
    const token = `\r\n--test-boundary\r\nContent-Disposition: form-data; name="token"\r\n\r\n${admin.token}`
    const send = (fields: object, content: Buffer) =>
      appliance.client().call('POST', '/object', formWith({ ...fields, groupid: vault.id }, content))
    expect((await send({}, Buffer.concat([contentOf(65_536), Buffer.from(token)]))).status).toBe(200)
    const unseen = await send({}, Buffer.concat([contentOf(200_000), Buffer.from(token)]))
    expectFault(unseen, 403, 1200)
    expect(unseen.json.ERRORS?.join()).toContain('in a field before the file')
    expect((await send({ token: admin.token }, contentOf(200_000))).status).toBe(200)
  })

  it('leaves nothing behind of an upload whose client goes away', async () => {
    const before = kept()
    const { raw, headers } = formWith({ groupid: vault.id }, contentOf(2_000_000))
    const { hostname, port, pathname } = new URL(`${appliance.url}/object`)
    const socket = connect({ host: hostname, port: Number(port), ca: appliance.ca })
    socket.on('error', () => undefined)
    socket.write(
      `POST ${pathname} HTTP/1.1\r\nHost: x\r\nContent-Length: ${raw.length}\r\nX-Http-Token: ${admin.token}\r\nContent-Type: ${headers['Content-Type']}\r\n\r\n`,
    )
    socket.write(raw.subarray(0, 1_900_000))
    await expect.poll(() => count('file_chunks')).toBeGreaterThan(before[3] ?? 0)
    socket.destroy()
    await expect.poll(kept).toEqual(before)
  })

  it('needs Write; to download Read suffices, and a stranger finds nothing', async () => {
    const reader = await vault.member('Read')
    const stranger = await appliance.login()
    const content = contentOf(5_000)
    const id = await upload(admin, { groupid: vault.id }, content)
    expectFault(await reader.call('POST', '/object', formWith({ groupid: vault.id }, content)), 403, 1301)
    expectFault(await stranger.call('POST', '/object', formWith({ groupid: vault.id }, content)), 404, 1400)
    expect((await reader.must('GET', `/object/${id}?filedata=true`))['FILEDATA']).toBe(content.toString('base64'))
    expectFault(await stranger.get(`/object/${id}?filedata=true`), 404, 1610)
  })
})

describe('PUT /object/:objectid with a file', () => {
  it('replaces it, and keeps the rest', async () => {
    const [before, after] = [contentOf(500_000, 1), contentOf(700_000, 2)]
    const id = await upload(admin, { groupid: vault.id, description: 'kept' }, before, 'one.txt')
    const { json } = await admin.call('PUT', `/object/${id}`, formWith({}, after, 'two.txt'))
    expect(json.CALLINFO.status).toBe('SUCCESS')
    expect((await download(id)).equals(after)).toBe(true)
    expect(await readObject(admin, id)).toMatchObject({
      objectname: 'two.txt',
      filename: 'two.txt',
      public: { file1: 'two.txt', description: 'kept' },
      fileinfo: { size: '700000' },
    })
    await admin.must('PUT', `/object/${id}`, { file1: 'three.txt', description: 'new' })
    expect(await readObject(admin, id)).toMatchObject({
      filename: 'two.txt',
      public: { file1: 'two.txt', description: 'new' },
    })
    expect((await download(id)).equals(after)).toBe(true)
  })

  it('of two at once keeps one whole', async () => {
    const id = await upload(admin, { groupid: vault.id }, contentOf(10))
    const contents = [contentOf(900_000, 3), contentOf(900_000, 4)]
    await Promise.all(contents.map((content) => admin.call('PUT', `/object/${id}`, formWith({}, content))))
    const found = await download(id)
    expect(contents.filter((content) => content.equals(found))).toHaveLength(1)
  })
})

describe('a file that somebody edits in the database', () => {
  const tampering: readonly (readonly [string, string])[] = [
    [
      'two chunks exchanged',
      'UPDATE file_chunks SET place = 99 - place WHERE upload_id = $file AND place IN (0, 1); UPDATE file_chunks SET place = place - 98 WHERE upload_id = $file AND place > 90',
    ],
    ['its last chunk gone', 'DELETE FROM file_chunks WHERE upload_id = $file AND place = 2'],
    ['its first chunk gone', 'DELETE FROM file_chunks WHERE upload_id = $file AND place = 0'],
    [
      'a chunk of another file',
      'UPDATE file_chunks SET sealed = (SELECT sealed FROM file_chunks WHERE upload_id = $other AND place = 1) WHERE upload_id = $file AND place = 1',
    ],
    [
      'a chunk without its end',
      'UPDATE file_chunks SET sealed = substr(sealed, 1, 1000) WHERE upload_id = $file AND place = 0',
    ],
    [
      'the manifest of another',
      'UPDATE object_secrets SET sealed_text = (SELECT sealed_text FROM object_secrets WHERE object_id = $otherId) WHERE object_id = $id',
    ],
  ]
  it.each(tampering)('is not handed out: %s', async (_what, sql) => {
    const [id, otherId] = [
      await upload(admin, { groupid: vault.id }, contentOf(500_000, 1)),
      await upload(admin, { groupid: vault.id }, contentOf(500_000, 2)),
    ]
    const uploadOf = (object: string) =>
      (database.prepare('SELECT id FROM file_uploads WHERE object_id = ?').get(object) as { id: string }).id
    const values = { $file: `'${uploadOf(id)}'`, $other: `'${uploadOf(otherId)}'`, $otherId: otherId, $id: id }
    database.exec(sql.replaceAll(/\$\w+/g, (name) => values[name as keyof typeof values]))
    const answer = await admin.get(`/object/${id}?filedata=true`)
    expectFault(answer, 503, 1614)
    expect(answer.json).not.toHaveProperty('FILEDATA')
  })
})

describe('the room for downloads', () => {
  it('is given back by answers, refusals and clients that go away', async () => {
    const id = await upload(admin, { groupid: vault.id }, contentOf(maxBytes))
    const broken = await upload(admin, { groupid: vault.id }, contentOf(maxBytes))
    database.exec(
      `DELETE FROM file_chunks WHERE place = 60 AND upload_id = (SELECT id FROM file_uploads WHERE object_id = ${broken})`,
    )
    for (let round = 0; round < 2; round++) {
      expectFault(await admin.get(`/object/${broken}?filedata=true`), 503, 1614)
      await goAway(`/object/${id}?filedata=true`, 'at its first bytes')
      await download(id)
    }
    await Promise.all(Array.from({ length: 8 }, () => admin.get(`/object/${id}?filedata=true`)))
    await expect.poll(async () => (await admin.get(`/object/${id}?filedata=true`)).status).toBe(200)
  })

  it('runs out for a user whose clients do not read their answers, which is said, and not for others', async () => {
    const id = await upload(admin, { groupid: vault.id }, contentOf(maxBytes))
    const reader = await vault.member('Read')
    // Two workers, each with room for two such files.
    const idle = await Promise.all(Array.from({ length: 12 }, () => goAway(`/object/${id}?filedata=true`, 'later')))
    // By a new connection each time, because it depends on the load which worker has the idle clients.
    const ask = () => appliance.client(admin.token).get(`/object/${id}?filedata=true`)
    await expect.poll(async () => (await ask()).status).toBe(429)
    const busy = await ask()
    if (busy.status === 429) expect(busy.headers['retry-after']).toBe('2')
    for (let round = 0; round < 8; round++)
      expect((await appliance.client(reader.token).get(`/object/${id}?filedata=true`)).status).toBe(200)
    for (const close of idle) close()
    await expect.poll(async () => (await admin.get(`/object/${id}?filedata=true`)).status).toBe(200)
  })
})

/** Makes a call without reading the answer. Resolves when the connection has ended, or to a function that ends it. */
function goAway(path: string, when: 'at its first bytes' | 'later'): Promise<() => void> {
  const { hostname, port, pathname, search } = new URL(`${appliance.url}${path}`)
  return new Promise((resolve) => {
    const socket = connect({ host: hostname, port: Number(port), ca: appliance.ca }, () => {
      socket.write(`GET ${pathname}${search} HTTP/1.1\r\nHost: x\r\nX-Http-Token: ${admin.token}\r\n\r\n`, () => {
        if (when === 'later') resolve(() => socket.destroy())
      })
    })
    socket.on('error', () => undefined)
    if (when === 'later') socket.pause()
    else
      socket.once('data', () => {
        socket.destroy()
        resolve(() => undefined)
      })
  })
}

/** An image of one pixel. */
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
