import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { pythonCatalogue } from '../../support/python-catalogue.ts'

const path = resolve(import.meta.dirname, '../../../clients/python/strongroom/catalogue.py')

it('clients/python/strongroom/catalogue.py is what the interface says: GOLDEN=write npx vitest run test/unit/http/python-catalogue.test.ts', () => {
  const text = pythonCatalogue()
  if (process.env['GOLDEN'] === 'write') writeFileSync(path, text)
  expect(readFileSync(path, 'utf8') === text).toBe(true)
})
