import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { usedBy } from '../../../src/console/backup/restored-places.ts'

function givenFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'u-'))
  return folder
}

it('a place is used by data of the same content, and by what the backup has nothing for', () => {
  const folder = givenFolder()
  const [from, to, none] = ['from', 'to', 'none'].map((name) => join(folder, name)) as [string, string, string]
  for (const path of [from, to]) writeFileSync(path, 'the same')
  const holder = { path: folder, place: undefined }
  expect(usedBy({ from, to: none, holder })).toBeUndefined()
  expect(usedBy({ from, to })).toBeUndefined()
  expect(usedBy({ from, to, holder })).toBe(to)
  expect(usedBy({ from: none, to })).toBe(to)
})

it('a folder is used by what lies in it', () => {
  const folder = givenFolder()
  const to = join(folder, 'to')
  mkdirSync(to)
  const placement = { from: join(folder, 'none'), to, holder: { path: to, place: undefined } }
  expect(usedBy(placement)).toBeUndefined()
  writeFileSync(join(to, 'one'), '')
  expect(usedBy(placement)).toBe(to)
})
