import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { faultCatalogue } from '../../../src/http/contract/faults.ts'

const root = resolve(import.meta.dirname, '../../../src')
const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))

/** The codes that a text says are thrown: `@throws Fault` and a list of codes, or a family such as `hsm.*`. */
const namedIn = (text: string): string[] =>
  [...text.matchAll(/@throws Fault (`[a-z._*]+`(?:,? (?:and |or )?`[a-z._*]+`)*)/g)].flatMap(([, list = '']) =>
    [...list.matchAll(/`([a-z._*]+)`/g)].map(([, code = '']) => code),
  )

it('comments name faults that there are', () => {
  const named = files.flatMap((file) => namedIn(readFileSync(join(root, file), 'utf8')).map((code) => [file, code]))
  expect(named.length).toBeGreaterThan(100)
  expect(named.filter(([, code = '']) => !code.endsWith('.*') && !(code in faultCatalogue))).toEqual([])
})
