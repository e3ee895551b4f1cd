import { mkdtempSync, renameSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createFileHealth } from '../../../src/hsm/keeper/file-health.ts'

it('a file that takes the place of the opened one before the first look is noticed', () => {
  const folder = mkdtempSync(join(tmpdir(), 'health-'))
  const [file, other] = [join(folder, 'keeper.sqlite'), join(folder, 'other')]
  const health = createFileHealth(file, expect.unreachable, ({ message }) => expect.unreachable(message))
  health.guard(() => [file, other].map((path) => writeFileSync(path, '')))
  renameSync(other, file)
  expect(health.fault()).toContain('Another file')
})
