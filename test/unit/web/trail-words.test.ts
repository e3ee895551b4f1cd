import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { contracts } from '../../support/contracts.ts'

// Read as a text: what the catalogue imports needs a browser.
const catalogue = readFileSync(resolve(import.meta.dirname, '../../../src/web/trail/trail-words.ts'), 'utf8')

/** What records of an object are besides those of calls about it: of a call that names none, parts, and the appliance's. */
const others = ['object.create', 'object.copy.in', 'object.move.in', 'object.destroy']

it('every operation in the trail of an object has its words in both languages', () => {
  const calls = contracts.filter(({ path }) => path.includes('/:objectid')).map(({ operation }) => operation)
  const named = [...catalogue.matchAll(/^ +'(object\.[\w.]+)': '/gm)].map(([, operation = '']) => operation)
  const wanted = [...new Set([...others, ...calls])]
  expect(named.toSorted()).toEqual([...wanted, ...wanted].toSorted())
})
