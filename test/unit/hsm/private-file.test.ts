import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { makePrivate } from '../../../src/hsm/server/private-file.ts'

/** Of another user, where the test may give it away. */
function givenFolders(): { readonly folder: string; readonly ofRoot: string } {
  const [folder, elsewhere] = [mkdtempSync(join(tmpdir(), 'p-')), mkdtempSync(join(tmpdir(), 'p-'))]
  onTestFinished(() => [folder, elsewhere].forEach((path) => rmSync(path, { recursive: true })))
  const ofRoot = join(elsewhere, 'shadow')
  writeFileSync(ofRoot, 'of root')
  chmodSync(ofRoot, 0o600)
  if (process.getuid?.() === 0) chownSync(folder, 12_345, 12_345)
  return { folder, ofRoot }
}

it('makes a file of the owner of its folder', () => {
  const { folder } = givenFolders()
  makePrivate(join(folder, 'state'))
  const { uid, mode } = statSync(join(folder, 'state'))
  expect([uid, mode & 0o777]).toEqual([statSync(folder).uid, 0o600])
})

it('gives away no file that a link in the folder leads to', () => {
  const { folder, ofRoot } = givenFolders()
  const { uid } = statSync(ofRoot)
  symlinkSync(ofRoot, join(folder, 'state'))
  symlinkSync(join(folder, 'made'), join(folder, 'dangling'))
  linkSync(ofRoot, join(folder, 'hard'))
  for (const name of ['state', 'dangling']) expect(() => makePrivate(join(folder, name))).toThrow('ELOOP')
  makePrivate(join(folder, 'hard'))
  expect(statSync(ofRoot).uid).toBe(uid)
  expect(existsSync(join(folder, 'made'))).toBe(false)
})
