import { randomUUID } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { makeTemporaryFolder } from '../../../src/console/temporary-folder.ts'
import { ownIdentity } from '../../../src/process-identity.ts'

/** A process of another container, which is not found from here. */
const ofElsewhere = `${randomUUID()}.7.700-in-${randomUUID()}.4026532540`
const dead = 'another-boot.1.1'

/** A folder of temporary files with these in it, each with the owner that it names. */
function givenFolders(owners: Readonly<Record<string, string>>): string {
  const place = mkdtempSync(join(tmpdir(), 'u-'))
  vi.stubEnv('TMPDIR', place)
  onTestFinished(() => void vi.unstubAllEnvs())
  for (const [name, owner] of Object.entries(owners)) {
    mkdirSync(join(place, name))
    writeFileSync(join(place, name, '.owner'), owner)
  }
  return place
}

it('a command removes the folders of killed commands, those of other containers once they are old, and no others', async () => {
  const place = givenFolders({
    'strongroom-killed': dead,
    'strongroom-running': await ownIdentity(),
    'strongroom-elsewhere': ofElsewhere,
    'strongroom-ended': ofElsewhere,
    // Its command has made the file and not yet written it.
    'strongroom-begun': '',
    'of-another-program': dead,
  })
  symlinkSync('of-another-program', join(place, 'strongroom-link'))
  mkdirSync(join(place, 'strongroom-bare'))
  utimesSync(join(place, 'strongroom-ended'), 0, 0)
  const { discard } = await makeTemporaryFolder()
  discard()
  expect(readdirSync(place).toSorted()).toEqual([
    'of-another-program',
    'strongroom-bare',
    'strongroom-begun',
    'strongroom-elsewhere',
    'strongroom-link',
    'strongroom-running',
  ])
})

it('where the folder of temporary files cannot be listed, a command makes its own all the same', async () => {
  vi.stubEnv('TMPDIR', join(givenFolders({}), 'none'))
  await expect(makeTemporaryFolder()).rejects.toMatchObject({ syscall: 'mkdtemp' })
})
