import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, it } from 'vitest'
import { configDocuments } from '../../../src/config/documents.ts'
import { loadConfig } from '../../../src/config/loader.ts'

const folder = resolve(import.meta.dirname, '../../../config')

it.each(Object.entries(configDocuments()))(
  'config/%s is what the schema says: npm run build && scripts/generate-docs',
  (name, text) => {
    expect(readFileSync(resolve(folder, name), 'utf8')).toBe(text)
  },
)

it('the example is a good configuration', () => {
  expect(loadConfig(resolve(folder, 'strongroom.example.json')).hsm.spawn).toBe(false)
})

it('every option has a sentence', () => {
  const rows = (configDocuments()['README.md'] ?? '').split('\n').filter((line) => line.startsWith('| `'))
  expect(rows.length).toBeGreaterThan(40)
  for (const row of rows) expect(row).toMatch(/\. \|$|… \|$/)
})
