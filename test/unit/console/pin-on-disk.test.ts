import { mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { memoryFileSystems } from '../../../src/console/checks/keeper-file.ts'
import { pinFindings } from '../../../src/console/checks/pin-on-disk.ts'
import { diskFolder } from '../../support/temporary.ts'

const folders: string[] = []
afterEach(() => folders.splice(0).forEach((folder) => rmSync(folder, { recursive: true })))

const given = (parent: string, tpm?: string) => {
  const folder = mkdtempSync(join(parent, 'strongroom-pin-'))
  folders.push(folder)
  const [pin, tpms] = [join(folder, 'pin'), join(folder, 'class/tpm')]
  writeFileSync(pin, '123456')
  if (tpm !== undefined) {
    mkdirSync(join(tpms, 'tpm0'), { recursive: true })
    writeFileSync(join(tpms, 'tpm0/tpm_version_major'), `${tpm}\n`)
  }
  return pinFindings(pin, tpms)
}
const isMemory = (folder: string) => memoryFileSystems.includes(statfsSync(folder).type)

it.skipIf(isMemory(diskFolder()))('a PIN in the clear is named where a TPM 2.0 could encrypt it', () => {
  expect(given(diskFolder(), '2')).toMatchObject([
    { state: 'warning', remedy: expect.stringContaining('LoadCredentialEncrypted') },
  ])
  expect(given(diskFolder(), '1')).toMatchObject([{ state: 'ok' }])
  expect(given(diskFolder())).toMatchObject([{ state: 'ok' }])
})

it.skipIf(!isMemory('/dev/shm'))('one that systemd handed over is in memory', () => {
  expect(given('/dev/shm', '2')).toMatchObject([{ state: 'ok', detail: expect.stringContaining('in memory') }])
})

it('where there is none, another check says so', () => expect(pinFindings('/nowhere/pin', '/nowhere')).toEqual([]))
