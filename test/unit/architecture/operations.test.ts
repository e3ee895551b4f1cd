import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { keeperOperations, operations } from '../../../src/hsm/protocol/frame.ts'

const root = resolve(import.meta.dirname, '../../..')
const page = readFileSync(join(root, 'docs/architecture.md'), 'utf8')

/** The operations of a table with who asks and what is checked. */
function rowsOf(title: string): string[] {
  const [section = ''] = page.split(`## ${title}\n`)[1]?.split('\n## ') ?? []
  return [...section.matchAll(/^\| `(\w+)` +\| \S[^|]*\| \S[^|]*\|$/gm)].map(([, name = '']) => name)
}

describe('docs/architecture.md has a row for every operation', () => {
  it.each([
    ['What token hosts do for whom', operations],
    ['What the keeper does for whom', keeperOperations],
  ])('%s', (title, listed) => {
    expect(rowsOf(title).toSorted()).toEqual([...listed].toSorted())
  })
})

it('docs/architecture.md has every table of the keeper', () => {
  const [section = ''] = page.split('## What the keeper remembers\n')[1]?.split('\n## ') ?? []
  const rows = [...section.matchAll(/^\| (`[^|]+`) \|/gm)].flatMap(([, names = '']) =>
    [...names.matchAll(/`(\w+)`/g)].map(([, name = '']) => name),
  )
  const folder = join(root, 'src/hsm/keeper')
  const code = readdirSync(folder).map((file) => readFileSync(join(folder, file), 'utf8'))
  const tables = code.flatMap((text) =>
    [...text.matchAll(/CREATE TABLE IF NOT EXISTS (\w+)|(?:table: |createNoting\(state, )'(\w+)'/g)].map(
      ([, one, other = '']) => one ?? other,
    ),
  )
  expect(rows.toSorted()).toEqual([...new Set(tables)].toSorted())
})
