import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { keeperOperations, operations } from '../../../src/hsm/protocol/frame.ts'

const page = readFileSync(resolve(import.meta.dirname, '../../../docs/architecture.md'), 'utf8')

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
