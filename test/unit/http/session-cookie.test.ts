import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '../../../src')
const sources = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts'))
  .map((file) => [file, readFileSync(join(root, file), 'utf8')] as const)

// Neither the validator of one-time passwords nor the monitor knows of it.
it('a cookie is read in one place, and that by the steps of a call alone', () => {
  const readers = sources.filter(([, text]) => /headers\.cookie|\['cookie'\]|\{ cookie \} = headers/i.test(text))
  expect(readers.map(([file]) => file)).toEqual(['http/pipeline/session-cookie.ts'])
  const users = sources.filter(([, text]) => text.includes('session-cookie.ts'))
  expect(users.map(([file]) => file).toSorted()).toEqual([
    'http/pipeline/authorization.ts',
    'http/pipeline/pipeline.ts',
    'http/pipeline/request-context.ts',
  ])
})

it('no answer allows another origin anything', () => {
  expect(sources.filter(([, text]) => /access-control-/i.test(text)).map(([file]) => file)).toEqual([])
})
