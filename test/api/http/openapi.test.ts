import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { describe, expect, it } from 'vitest'
import { applianceForTests } from '../../support/for-tests.ts'
import { isSchema, type Schema } from '../../../src/http/contract/openapi-schemas.ts'
import { describeInterface } from '../../../src/http/contract/openapi.ts'
import { firstOf } from '../../../src/http/contract/example.ts'
import { readExamples } from '../../../src/http/routes/example-files.ts'
import { contracts } from '../../support/contracts.ts'
import { curl } from '../../support/wire.ts'

const examples = await readExamples()
const document = describeInterface(contracts, examples)
const operations = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ path, method, ...operation })),
)

/** One file for each operation, so that two changes of the interface do not conflict. `GOLDEN=write` rewrites them. */
const folder = resolve(import.meta.dirname, '../../golden/openapi')
const { paths: _paths, ...frame } = document
const golden = new Map<string, unknown>([
  ['document.json', frame],
  ...operations.map((operation) => [`${operation.operationId}.json`, operation] as const),
])

describe('the OpenAPI document', () => {
  it('is what test/golden/openapi holds: GOLDEN=write npx vitest run test/api/http/openapi.test.ts', () => {
    if (process.env['GOLDEN'] === 'write') {
      rmSync(folder, { recursive: true, force: true })
      mkdirSync(folder, { recursive: true })
      for (const [file, value] of golden) writeFileSync(resolve(folder, file), written(value))
    }
    expect(readdirSync(folder).toSorted()).toEqual([...golden.keys()].toSorted())
    for (const [file, value] of golden) expect(readFileSync(resolve(folder, file), 'utf8'), file).toBe(written(value))
  })

  // Keys of the encryption facility have two published kinds of addresses (`/transparent/:vaultid/keys/…` and
  // `/transparent/restore/:vaultid/…`). Vault ids are numbers, so that no address is ambiguous.
  const justified = ['no-ambiguous-paths']
  // CALLINFO has two schemas, that of every answer and that of the call, and neither may forbid the members of the
  // other. The tests' client checks on every call that an answer has no further members.
  const examplesMatch = { severity: 'error', allowAdditionalProperties: true } as const

  it('passes the recommended rules of an OpenAPI linter', async () => {
    const config = await createConfig({
      extends: ['recommended-strict'],
      rules: {
        'no-invalid-media-type-examples': examplesMatch,
        'no-invalid-schema-examples': examplesMatch,
        'no-invalid-parameter-examples': 'error',
        'parameter-description': 'error',
        'tag-description': 'error',
        'no-schema-type-mismatch': 'error',
        'operation-description': 'error',
      },
    })
    const problems = await lintFromString({ source: JSON.stringify(document), absoluteRef: 'openapi.json', config })
    const found = problems.filter(({ ruleId }) => !justified.includes(ruleId))
    expect(found.map(({ ruleId, message, location }) => [ruleId, message, location[0]?.pointer])).toEqual([])
  })

  it('describes every property and every parameter', () => {
    expect(undescribed(document, 'document')).toEqual([])
  })

  it('shows an example of what every call sends and answers', () => {
    for (const { operationId, responses, requestBody, parameters } of operations) {
      const [success] = Object.values(responses)
      if (success === undefined || '$ref' in success || success.content['application/json'] === undefined) continue
      if (operationId === 'docs.openapi') continue
      expect(firstOf(success.content['application/json']), operationId).toBeDefined()
      const sent = Object.values(requestBody?.content ?? {})
      expect(sent.length === 0 || sent.some((one) => firstOf(one) !== undefined), operationId).toBe(true)
      for (const { name, required, example } of parameters)
        if (required) expect(example, `${operationId} ${name}`).toBeDefined()
    }
  })

  it('shows an example of many at once, of every call that takes many', () => {
    const taking = operations.filter(({ requestBody }) => JSON.stringify(requestBody ?? {}).includes('"batch_input":{'))
    expect(taking.map(({ operationId }) => operationId)).toContain('transparent.rewrap')
    for (const { operationId, requestBody, responses } of taking) {
      const [success] = Object.values(responses)
      const answered = success === undefined || '$ref' in success ? undefined : success.content['application/json']
      expect(requestBody?.content['application/json']?.examples?.many.value, operationId).toHaveProperty('batch_input')
      expect(answered?.examples?.many.value, operationId).toHaveProperty('CALLINFO.batch_results')
    }
  })

  it('says which members a form must have, as of JSON', () => {
    for (const { operationId, requestBody } of operations) {
      const { 'application/json': json, 'multipart/form-data': form } = requestBody?.content ?? {}
      if (json !== undefined && form !== undefined)
        expect(form.schema['required'], operationId).toEqual(json.schema['required'])
    }
  })

  it('contains every call of the interface, and nothing else', () => {
    const asDocumented = (path: string): string => path.replaceAll(/:(\w+)/g, '{$1}')
    const served = contracts.map(({ method, path }) => `${method === 'LIST' ? 'GET' : method} ${asDocumented(path)}`)
    const documented = operations.map(({ method, path }) => `${method.toUpperCase()} ${path}`)
    expect(documented.toSorted()).toEqual([...new Set(served)].toSorted())
  })

  it('describes answers that there can be: no part of one forbids what the others, or the users, hold', () => {
    expect(JSON.stringify(operations.map(({ responses }) => responses))).not.toContain('"additionalProperties":false')
    // Users may have other addresses than this format has: that of the first administrator, admin@localhost, often is none.
    expect(JSON.stringify(document)).not.toContain('"format":"email"')
  })

  it('says of every call what it is about, who may call it, and how it fails', () => {
    for (const tag of document.tags) expect(tag.description, tag.name).toMatch(/^[A-Z].*\.$/)
    for (const { operationId, summary, description, security, responses } of operations) {
      expect(summary, operationId).not.toBe('')
      expect(description, operationId).toMatch(/^(Needs a session|Anyone)/)
      expect(security.length > 0, operationId).toBe(description.startsWith('Needs'))
      expect(Object.keys(responses), operationId).toContain('default')
      if (security.length > 0) expect(JSON.stringify(responses['403']), operationId).toContain('1200')
    }
  })
})

/** Places of properties or parameters without a description. One that refers to a shared schema is described there. */
function undescribed(value: unknown, place: string): string[] {
  if (Array.isArray(value)) return value.flatMap((one, index) => undescribed(one, `${place}/${index}`))
  if (!isSchema(value)) return []
  const { properties, parameters } = value
  const named = [
    ...(isSchema(properties) ? Object.entries(properties) : []),
    ...(Array.isArray(parameters) ? parameters.map((one: Schema) => [String(one['name']), one] as const) : []),
  ]
  const silent = named.filter(([, one]) => isSchema(one) && !describes(one)).map(([name]) => `${place}: ${name}`)
  const below = Object.entries(value).filter(([name]) => name !== 'example')
  return [...silent, ...below.flatMap(([name, one]) => undescribed(one, `${place}/${name}`))]
}

const describes = ({ description, $ref }: Schema): boolean =>
  (typeof description === 'string' && /^[A-Z`].*[^,]$/s.test(description)) || typeof $ref === 'string'

const written = (value: unknown): string => `${JSON.stringify(value, undefined, 2)}\n`

describe('the running appliance', () => {
  const appliance = applianceForTests()

  async function fetched(path: string): Promise<{ head: string; text: string }> {
    const answer = await curl(appliance, path, '--http1.1')
    const end = answer.indexOf('\r\n\r\n')
    return { head: answer.slice(0, end), text: answer.slice(end + 4) }
  }

  it('gives the document itself, without an envelope, to anybody', async () => {
    const { head, text } = await fetched('/openapi.json')
    expect(head).toMatch(/^HTTP\/1.1 200 /)
    expect(head).toMatch(/^content-type: application\/json\r?$/im)
    expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(document)))
  })

  it('serves every call of it: none is an unknown address or method', async () => {
    const stranger = appliance.client()
    for (const { path, method, security } of operations.filter(({ security: needed }) => needed.length > 0)) {
      const { status, json } = await stranger.call(method.toUpperCase(), path.replaceAll(/\{\w+\}/g, '1'))
      expect([status, Object.keys(json.ERRORCODES ?? {})[0]], `${method} ${path} ${security.length}`).toEqual(
        uploads.has(path) && status === 400 ? [400, '1812'] : [403, '1200'],
      )
    }
  })
  const uploads: ReadonlySet<string> = new Set(
    contracts.filter(({ upload }) => upload === 'required').map(({ path }) => path.replaceAll(/:(\w+)/g, '{$1}')),
  )

  it('refuses no call for a reason that it does not list', async () => {
    const member = await appliance.login(await appliance.addUser())
    const stranger = appliance.client()
    const anywhere = document.components.responses['AnyFailure']?.['x-error-numbers'] ?? []
    for (const { path, method, security, responses } of operations) {
      const client = security.length > 0 ? member : stranger
      const listed = Object.values(responses).flatMap((one) =>
        '$ref' in one ? anywhere : (one['x-error-numbers'] ?? []),
      )
      const place = path.replaceAll(/\{\w+\}/g, '1')
      const calls = [
        await client.call(method.toUpperCase(), `${place}?twice=1&twice=2`),
        await client.call(method.toUpperCase(), place, { raw: '{' }),
      ]
      for (const { json } of calls)
        expect(listed, `${method} ${path}`).toContain(Number(Object.keys(json.ERRORCODES ?? {})[0]))
    }
  })

  it('renders it for people', async () => {
    const { head, text } = await fetched('/docs')
    expect(head).toMatch(/^content-type: text\/html; charset=utf-8\r?$/im)
    for (const { operationId, path } of operations) {
      expect(text, operationId).toContain(`id="${operationId}"`)
      expect(text, operationId).toContain(`href="#${operationId}"`)
      expect(text, operationId).toContain(`/api/1.0${path}`)
    }
  })

  it('records that it was read', async () => {
    await fetched('/docs')
    expect(appliance.trail.join('')).toContain('"operation":"docs.page"')
  })
})
