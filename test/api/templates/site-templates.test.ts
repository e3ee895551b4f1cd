import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import type { Template } from '../../../src/features/templates/template.ts'
import { strongroom, type Outcome } from '../../support/console-kit.ts'
import { examineTemplate } from '../../../src/features/templates/template-document.ts'
import { twoWorkers, type TestAppliance } from '../../support/appliance.ts'
import { onBothDatabases } from '../../support/both-databases.ts'
import { applianceForTests } from '../../support/for-tests.ts'
import { expectFault, type TestClient } from '../../support/client.ts'
import { createObject, objectsIn } from '../../support/object-kit.ts'

interface Document {
  readonly INFO: Record<string, unknown>
  readonly STRUCTURE: Record<string, Record<string, unknown>>
}

const example = JSON.parse(
  readFileSync(new URL('../../../config/template.example.json', import.meta.url), 'utf8'),
) as Document

/** The example with another id and with changes. */
function documentOf(id: number, change: (document: Document) => void = () => undefined): Document {
  const document = structuredClone(example)
  document.INFO['id'] = String(id)
  change(document)
  return document
}

function templateOf(document: Document): Template {
  const examined = examineTemplate(document)
  if ('problems' in examined) throw new Error(examined.problems.join('\n'))
  return examined.template
}

/** Tests with the running daemon and the console, on either kind of store. */
function servesTemplatesOfTheSite(start: () => Promise<TestAppliance>): void {
  const appliance = applianceForTests(start)
  let client: TestClient

  beforeAll(async () => {
    client = await appliance.login()
  })

  const console = (...args: string[]): Promise<Outcome> => strongroom(appliance.configFile, args)
  function file(content: unknown): string {
    const path = join(appliance.directory, 'template.json')
    writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
    return path
  }
  const add = (document: Document): Promise<Outcome> => console('template', 'add', file(document))
  const replace = (document: Document): Promise<Outcome> => console('template', 'add', '--replace', file(document))
  /** The templates of every worker: connections of new clients are distributed over them. */
  async function served(id: number): Promise<Document[]> {
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => appliance.client(client.token).get(`/template/${id}`)),
    )
    return answers.flatMap(({ status, json }) => (status === 200 ? [json['TEMPLATE'] as Document] : []))
  }
  const names = async (): Promise<unknown[]> =>
    ((await client.must('GET', '/template'))['TEMPLATE'] as Document[]).map(({ INFO }) => INFO['name'])

  it('adds one from a file, and every worker serves it at once, fields in the order of the file', async () => {
    const before = await names()
    expect(await add(documentOf(1001))).toEqual({
      status: 0,
      stdout: 'Template 1001, Server/IP, is added.\n',
      stderr: '',
    })
    const [first, ...others] = await served(1001)
    expect(others).toEqual([first, first, first])
    expect(first?.INFO).toEqual({ id: '1001', name: 'Server/IP', ico: 'ico_server', active: true, wb: true })
    expect(Object.keys(first?.STRUCTURE ?? {})).toEqual(Object.keys(example.STRUCTURE))
    expect(first?.STRUCTURE['password']).toMatchObject(example.STRUCTURE['password'] ?? {})
    expect(await names()).toEqual([...before, 'Server/IP'])
    expect((await console('template', 'list')).stdout).toMatch(
      /^1001 +Server\/IP +of the site +host ip username password\* info\? cryptedinfo\*\?$/m,
    )
  })

  it('takes what the interface answers as a file', async () => {
    const { TEMPLATE } = await client.must('GET', '/template/1')
    const { INFO, STRUCTURE } = TEMPLATE as Document
    expect((await add({ INFO: { ...INFO, id: '1002' }, STRUCTURE })).status).toBe(0)
    expect((await served(1002))[0]?.STRUCTURE).toEqual(STRUCTURE)
  })

  it('gives an id once', async () => {
    expect(await add(documentOf(1001))).toMatchObject({ status: 1, stderr: expect.stringContaining('1001 is taken') })
  })

  it('changes words and adds what may be empty', async () => {
    const changed = documentOf(1001, ({ INFO, STRUCTURE }) => {
      INFO['name'] = 'Router'
      STRUCTURE['rack'] = { translation: 'Räck', type: 'text', opt: true }
    })
    expect((await replace(changed)).status).toBe(0)
    for (const { INFO, STRUCTURE } of await served(1001))
      expect([INFO['name'], STRUCTURE['rack']?.['translation']]).toEqual(['Router', 'Räck'])
  })

  const frozen: readonly (readonly [string, (document: Document) => void, RegExp])[] = [
    [
      'the encryption turned off',
      ({ STRUCTURE }) => void (STRUCTURE['cryptedinfo'] = { translation: 'X', type: 'text' }),
      /cryptedinfo is encrypted/,
    ],
    [
      'the encryption turned on',
      ({ STRUCTURE }) => void (STRUCTURE['ip'] = { translation: 'X', type: 'text', encrypted: true }),
      /ip is encrypted/,
    ],
    ['a field less', ({ STRUCTURE }) => void delete STRUCTURE['ip'], /ip must stay/],
    [
      'a field more that must be filled',
      ({ STRUCTURE }) => void (STRUCTURE['must'] = { translation: 'X', type: 'text' }),
      /must be optional/,
    ],
    [
      'a field that may not be empty any more',
      ({ STRUCTURE }) => void (STRUCTURE['info'] = { translation: 'X', type: 'text' }),
      /info must stay optional/,
    ],
  ]
  it.each(frozen)('refuses %s', async (_what, change, words) => {
    const rack = { translation: 'Rack', type: 'text', opt: true }
    const before = await served(1001)
    const document = documentOf(1001, (document) => {
      document.STRUCTURE['rack'] = rack
      change(document)
    })
    const { siteTemplates } = appliance.services
    await expect(siteTemplates.replace(templateOf(document), appliance.commit)).rejects.toMatchObject({
      code: 'template.frozen',
      detail: expect.stringMatching(words),
    })
    expect(await served(1001)).toEqual(before)
  })

  it('is kept while objects are made of it, and keeps what is secret in them secret', async () => {
    const { siteTemplates } = appliance.services
    const [{ id: vault }] = (await client.must('POST', '/vault', { vaultname: 'Site' }))['VAULT'] as [{ id: string }]
    const fields = { host: 'h', ip: '192.0.2.1', username: 'u', password: 'hidden', cryptedinfo: 'hidden too' }
    const id = await createObject(client, vault, { templateid: '1001', ...fields })
    const json = await client.must('GET', `/object/${id}`)
    expect(objectsIn(json)[0]?.public).toEqual({ host: 'h', ip: '192.0.2.1', username: 'u', info: '', rack: '' })
    expect(json['TEMPLATES']).toMatchObject([{ id: '1001', info: { name: 'Router' } }])
    const inUse = { code: 'template.in_use' }
    await expect(siteTemplates.remove(1001, appliance.commit)).rejects.toMatchObject(inUse)
    await client.must('DELETE', `/object/${id}`)
    await expect(siteTemplates.remove(1001, appliance.commit)).rejects.toMatchObject(inUse)
  })

  it('makes no new objects once it is inactive, and shows those that are there', async () => {
    const { siteTemplates } = appliance.services
    const [{ id: vault }] = (await client.must('POST', '/vault', { vaultname: 'Retired' }))['VAULT'] as [{ id: string }]
    const fields = { templateid: '1002', host: 'h', username: 'u', password: 'p' }
    const object = await createObject(client, vault, fields)
    const { INFO, STRUCTURE } = (await served(1002))[0] ?? example
    const retired = templateOf({ INFO: { ...INFO, active: false }, STRUCTURE })
    await siteTemplates.replace(retired, appliance.commit)
    expectFault(await client.post('/object', { groupid: vault, ...fields }), 400, 1611)
    expect(objectsIn(await client.must('GET', `/object/${object}`))[0]).toMatchObject({ templateid: '1002' })
    await expect(siteTemplates.remove(1002, appliance.commit)).rejects.toMatchObject({ code: 'template.in_use' })
  })

  it('removes one, and never gives its id again', async () => {
    await appliance.services.siteTemplates.add(templateOf(documentOf(1003)), appliance.commit)
    expect(await console('template', 'remove', '1003')).toMatchObject({
      status: 0,
      stdout: 'Template 1003 is removed.\n',
    })
    expect(await served(1003)).toEqual([])
    const gone = await client.get('/template/1003')
    expectFault(gone, 404, 1600)
    expect(gone.json.ERRORS).toEqual(['NO SUCH TEMPLATE'])
    expect(await names()).not.toContain('Server/IP')
    const { siteTemplates } = appliance.services
    const again = templateOf(documentOf(1003))
    await expect(siteTemplates.add(again, appliance.commit)).rejects.toMatchObject({ code: 'template.exists' })
    await expect(siteTemplates.replace(again, appliance.commit)).rejects.toMatchObject({ code: 'template.not_found' })
    await expect(siteTemplates.remove(1003, appliance.commit)).rejects.toMatchObject({ code: 'template.not_found' })
    expect((await console('template', 'list')).stdout).toMatch(/^1003 .* removed /m)
  })

  it('records each change, and each refusal of one, in the audit trail', () => {
    const trail = readFileSync(join(appliance.config.audit.directory, 'console.000001.jsonl'), 'utf8')
    for (const [operation, outcome] of [
      ['template.add', 'allowed'],
      ['template.add', 'template.exists'],
      ['template.replace', 'allowed'],
      ['template.remove', 'allowed'],
    ])
      expect(trail).toMatch(new RegExp(`"console\\.${operation}".*"${outcome}"|"${outcome}".*"console\\.${operation}"`))
  })

  it('does not serve a template that was edited in the database', async () => {
    const open = (document: string) => document.replace(/("cryptedinfo":\{[^}]*"encrypted":)true/, '$1false')
    const edit = (change: (document: string) => string) =>
      appliance.store.transaction(async (tx) => {
        const [row] = await tx.query<[{ document: string }]>('SELECT document FROM templates WHERE id = 1001')
        const edited = change(row.document).replaceAll("'", "''")
        await tx.query(`UPDATE templates SET document = '${edited}', removed_at = NULL WHERE id = 1001`)
        return row.document
      })
    const original = await edit(open)
    expect(open(original)).not.toBe(original)
    // Workers that read it before may still know the earlier one. A restarted one does not.
    await appliance.restart()
    const fresh = appliance.client(client.token)
    expectFault(await fresh.get('/template/1001'), 503, 1903)
    expectFault(await fresh.get('/template'), 503, 1903)
    expect((await fresh.get('/template/1')).status).toBe(200)
    await edit(() => original)
    expect((await fresh.get('/template/1001')).status).toBe(200)
  })
}

onBothDatabases('the site’s templates', servesTemplatesOfTheSite, twoWorkers)
