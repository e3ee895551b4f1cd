import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { pythonTypes } from '../../support/python-types.ts'

const path = resolve(import.meta.dirname, '../../../clients/python/strongroom/api.py')

it('clients/python/strongroom/api.py is what the interface says: GOLDEN=write npx vitest run test/unit/http/python-types.test.ts', () => {
  const text = pythonTypes()
  if (process.env['GOLDEN'] === 'write') writeFileSync(path, text)
  expect(readFileSync(path, 'utf8') === text).toBe(true)
})
