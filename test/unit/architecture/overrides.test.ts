import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, it } from 'vitest'

it('what package.json overrides are versions alone: the npm of Debian takes another value for no lock file at all', () => {
  const file = readFileSync(resolve(import.meta.dirname, '../../../package.json'), 'utf8')
  const { overrides } = JSON.parse(file) as { overrides: Record<string, Record<string, string>> }
  const values = Object.values(overrides).flatMap((packages) => Object.values(packages))
  expect(values).not.toEqual([])
  expect(values.filter((value) => !/^\d+\.\d+\.\d+$/.test(value))).toEqual([])
})
