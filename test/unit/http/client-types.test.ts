import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { clientTypes } from '../../support/client-types.ts'

const path = resolve(import.meta.dirname, '../../../clients/node/src/api.ts')

it('clients/node/src/api.ts is what the interface says: GOLDEN=write npx vitest run test/unit/http/client-types.test.ts', async () => {
  const text = await clientTypes(path)
  if (process.env['GOLDEN'] === 'write') writeFileSync(path, text)
  expect(readFileSync(path, 'utf8') === text).toBe(true)
})
