import { mkdirSync, mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { sentenceOf } from '../../../src/console/exit-code.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'strongroom-exit-'))
  mkdirSync(join(folder, 'inner'))
})

function errorOf(work: () => unknown): unknown {
  try {
    work()
  } catch (error) {
    return error
  }
  throw new Error('nothing failed')
}

it('names the path of a file that is missing or cannot be used', () => {
  const missing = join(folder, 'missing')
  expect(sentenceOf(errorOf(() => readFileSync(missing)))).toBe(`${missing} does not exist.`)
  const below = join(folder, 'inner')
  expect(sentenceOf(Object.assign(errorOf(() => readFileSync(below)) as object, { path: below }))).toBe(
    `${below} cannot be used (EISDIR).`,
  )
})

it('says who may open a file that is closed to this user', () => {
  // Root opens every file; the error is that of the system for others.
  const error = Object.assign(new Error('EACCES: permission denied'), { code: 'EACCES', path: '/run/keeper.sock' })
  expect(sentenceOf(error)).toMatch(/^\/run\/keeper\.sock is not open to this user \(EACCES\): run the command as root/)
})

it('calls other errors unexpected', () => {
  expect(sentenceOf(new Error('boom'))).toBe('An unexpected error: boom')
})
