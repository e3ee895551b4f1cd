import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '../../..')
const decision = readFileSync(join(root, 'docs/decisions/0019-hand-written-sql-on-hot-paths.md'), 'utf8')
const listed = [...decision.matchAll(/^\| `([\w./-]+\.ts)`/gm)].map(([, file = '']) => file)

/** A statement in a string: tables and migrations make the schema, and the store says how it opens the database. */
const statement = /(?<=['"`]|['"`]\s*\n\s*)(?:SELECT|INSERT INTO|UPDATE|DELETE FROM|WITH RECURSIVE)\s/

it('SQL is written by hand in the files that the decision lists, and nowhere else', () => {
  const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  const writing = files.filter(
    (file) =>
      file.endsWith('.ts') &&
      !file.startsWith('store/') &&
      statement.test(readFileSync(join(root, 'src', file), 'utf8')),
  )
  expect(listed.toSorted()).toEqual(writing.toSorted())
})

/** See `statementCacheSize` in `store/sqlite.ts`: a statement that is given up may end the process. */
it('processes that go on for long have no PRAGMA prepared for one use', () => {
  const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
  const preparing = files.filter(
    (file) => file.endsWith('.ts') && readFileSync(join(root, 'src', file), 'utf8').includes('.pragma('),
  )
  expect(preparing).toEqual([])
})
