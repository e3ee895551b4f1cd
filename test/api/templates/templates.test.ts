import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { applianceForTests } from '../../support/for-tests.ts'
import { expectFault, type TestClient } from '../../support/client.ts'
import { createObject } from '../../support/object-kit.ts'
import { makeVault } from '../../support/vault.ts'

interface Entry {
  readonly INFO: Record<string, unknown>
  readonly STRUCTURE: Record<string, Record<string, unknown>>
}

interface Row {
  readonly id?: string
  readonly name: string
  readonly ico: string
  readonly fields?: string
  readonly info?: Record<string, unknown>
  readonly encrypted?: string[]
}

const published = JSON.parse(readFileSync(new URL('../../vectors/templates.json', import.meta.url), 'utf8')) as {
  templates: Row[]
  without_marks: Row[]
  icons: string[]
}

const seed = 'gezd gnbv gy3t qojq'

const appliance = applianceForTests()
let client: TestClient
let entries: Entry[]

beforeAll(async () => {
  client = await appliance.login()
  entries = (await client.must('GET', '/template'))['TEMPLATE'] as Entry[]
})

const named = (name: string): Entry => entries.find(({ INFO }) => INFO['name'] === name) ?? { INFO: {}, STRUCTURE: {} }

/** A template in the notation of the published table. */
const formOf = ({ STRUCTURE }: Entry): string =>
  Object.entries(STRUCTURE)
    .map(([name, { log, encrypted, opt }]) => `${name}${log ? '(log)' : ''}${encrypted ? '*' : ''}${opt ? '?' : ''}`)
    .join(', ')

describe('GET /template', () => {
  it.each(published.templates)('has $id, $name, as published', ({ id, name, ico, fields, info }) => {
    const entry = named(name)
    expect(entry.INFO).toEqual({ id, name, ico, active: true, wb: true, ...info })
    expect(formOf(entry)).toBe(fields)
  })

  it.each(published.without_marks)('has $name, of which less is published', ({ id, name, ico, fields, encrypted }) => {
    const { INFO, STRUCTURE } = named(name)
    expect(INFO).toMatchObject({ ico, ...(id !== undefined && { id }) })
    if (fields !== undefined) expect(Object.keys(STRUCTURE).join(', ')).toBe(fields)
    const sealed = Object.keys(STRUCTURE).filter((field) => STRUCTURE[field]?.['encrypted'])
    if (encrypted !== undefined) expect(sealed).toEqual(encrypted)
    else expect(sealed.length).toBeGreaterThan(0)
  })

  it('writes every attribute in the type that clients expect', () => {
    for (const { INFO, STRUCTURE } of entries) {
      expect(INFO).toMatchObject({ id: expect.stringMatching(/^\d+$/), active: true, wb: expect.any(Boolean) })
      expect(published.icons).toContain(INFO['ico'])
      for (const field of Object.values(STRUCTURE)) {
        expect(field).toMatchObject({
          translation: expect.stringMatching(/./),
          type: expect.stringMatching(/^(text|text-passwdgen|textarea|file)$/),
          ...Object.fromEntries(
            ['encrypted', 'show', 'policy', 'alarm', 'opt', 'cc', 'nc'].map((flag) => [flag, expect.any(Boolean)]),
          ),
        })
        // Only encrypted fields can be guarded, and every generated secret is encrypted.
        if (!field['encrypted']) expect([field['policy'], field['alarm'], field['nc']]).toEqual([false, false, false])
        if (field['type'] === 'text-passwdgen') expect(field['encrypted']).toBe(true)
      }
    }
  })

  it('guards passwords and hides what is only for the workbench', () => {
    for (const name of ['Server', 'Login', 'Short login', 'Login Info'])
      expect(named(name).STRUCTURE['password']).toMatchObject({
        type: 'text-passwdgen',
        encrypted: true,
        policy: true,
        alarm: true,
        cc: true,
        nc: true,
        opt: false,
      })
    // The pass phrase of a file was chosen when the file was made.
    for (const name of ['PKCS#12 key store', 'Private key', 'SSH key', 'OpenPGP file'])
      expect(named(name).STRUCTURE['password']).toMatchObject({
        encrypted: true,
        policy: false,
        alarm: true,
        opt: true,
      })
    expect(named('Server').STRUCTURE['cryptedinfo']).toMatchObject({ type: 'textarea', show: false, opt: true })
    expect(named('Login').STRUCTURE['host']).toMatchObject({ translation: 'Host / IP' })
    expect(named('Note').STRUCTURE['note']).toMatchObject({ nc: true })
  })

  it('has the seed of one-time codes in a template of its own, encrypted, optional and outside the policy', async () => {
    const login = named('Login with one-time code')
    expect(login.INFO).toMatchObject({ id: '37', ico: 'ico_server', active: true })
    expect(formOf(login)).toBe('name, url?, username, password*, totp*?, info?, cryptedinfo*?')
    const traits = { type: 'text', encrypted: true, opt: true, alarm: true, nc: true, cc: true, policy: false }
    expect(login.STRUCTURE['totp']).toMatchObject(traits)

    const vault = await makeVault(appliance, 'Logins', client)
    // The body that csv-importer sends for a row with fewer values than its template has fields.
    const row = { groupid: vault.id, parentid: '0', username: 'dns', password: 'S3cret-pass.phrase', totp: null }
    for (const templateid of ['20', '37']) await client.must('POST', '/object', { ...row, templateid, name: 'short' })
    const id = await createObject(client, vault.id, { ...row, templateid: '37', name: 'Registrar', totp: seed })
    const [object] = (await client.must('GET', `/object/${id}?decrypt=true`))['OBJECT'] as Record<string, unknown>[]
    expect(object).toMatchObject({
      status: '128',
      public: { name: 'Registrar', url: '', username: 'dns', info: '' },
      crypted: { password: 'S3cret-pass.phrase', totp: seed, cryptedinfo: '' },
    })
  })

  it('names each id once, in order, below those of the site', () => {
    const ids = entries.map(({ INFO }) => Number(INFO['id']))
    expect(ids).toEqual([...new Set(ids)].toSorted((a, b) => a - b))
    expect(Math.max(...ids)).toBeLessThanOrEqual(1000)
  })

  it('has no field that could be taken for a member of an object, or that JavaScript would reorder', () => {
    const names = entries.flatMap(({ STRUCTURE }) => Object.keys(STRUCTURE))
    for (const name of names) expect(name).toMatch(/^[a-z][a-z0-9]*$/)
    for (const taken of ['token', 'templateid', 'groupid', 'parentid', 'objectname', 'id'])
      expect(names).not.toContain(taken)
  })

  it('marks with file1 exactly the templates that hold a file', () => {
    for (const { INFO, STRUCTURE } of entries)
      expect([INFO['name'], STRUCTURE['file1']?.['type']]).toEqual([INFO['name'], INFO['file'] ? 'file' : undefined])
  })
})

describe('GET /template/:templateid', () => {
  it('answers every template of the list, as one object and in the notation of TEMPLATES', async () => {
    for (const entry of entries) {
      const json = await client.must('GET', `/template/${String(entry.INFO['id'])}`)
      expect(json.CALLINFO.handler).toBe('TemplateHandler')
      expect(JSON.stringify(json['TEMPLATE'])).toBe(JSON.stringify(entry))
      expect(json['TEMPLATES']).toEqual([
        {
          id: entry.INFO['id'],
          info: entry.INFO,
          structure: Object.entries(entry.STRUCTURE).map(([fieldname, attributes]) => ({ ...attributes, fieldname })),
        },
      ])
    }
  })

  const unknown = [
    '0',
    '-1',
    '6',
    '999',
    '1001',
    '01',
    '1.0',
    '0x1',
    '1e0',
    'abc',
    '9007199254740993',
    '%00',
    '1%20',
    '%F0%9F%94%91',
  ]
  it.each(unknown)('answers 404 with the words that clients know for %s', async (id) => {
    const answer = await client.get(`/template/${id}`)
    expectFault(answer, 404, 1600)
    expect(answer.json.ERRORS).toEqual(['NO SUCH TEMPLATE'])
  })

  it('needs a session', async () => {
    for (const path of ['/template', '/template/1']) expectFault(await client.get(path, { token: null }), 403, 1200)
  })
})
