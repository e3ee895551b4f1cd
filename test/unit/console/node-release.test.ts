import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { moduleFindings, nodeFinding } from '../../../src/console/checks/node-release.ts'

const at = (date: string) => Date.parse(date)

it.each([
  ['18.20.4', '2026-01-01', 'problem'],
  ['20.18.0', '2026-01-01', 'problem'],
  ['20.19.0', '2026-04-30T23:59:59Z', 'ok'],
  ['20.19.2', '2026-05-01', 'warning'],
  ['24.9.0', '2026-11-22', 'ok'],
  ['24.9.0', '2028-05-01', 'warning'],
  // A line of which this release knows nothing yet.
  ['32.0.0', '2030-01-01', 'ok'],
])('judges Node.js %s on %s: %s', (version, date, state) => {
  expect(nodeFinding(version, at(date))).toMatchObject({ topic: 'node', state })
})

it('says since when, and which to install', () => {
  const { detail, remedy } = nodeFinding('20.19.2', at('2026-11-22'))
  expect(detail).toContain('since 2026-04-30')
  expect(remedy).toContain('Install Node.js 24')
})

it('finds a database module that would abort the process, and none in what is compiled here', () => {
  expect(moduleFindings(resolve('node_modules'))).toEqual([])
  const packages = mkdtempSync(join(tmpdir(), 'strongroom-packages-'))
  const folder = join(packages, 'better-sqlite3/build/Release')
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'better_sqlite3.node'), 'symbols _ZN4node28RemoveEnvironmentCleanupHookEPN2v8\0')
  expect(moduleFindings(packages)).toMatchObject([{ state: 'problem', topic: 'node' }])
})
