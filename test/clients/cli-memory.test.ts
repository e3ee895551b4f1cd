import { readFileSync, rmSync, statSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { applianceForTests } from '../support/for-tests.ts'
import { makeVault } from '../support/vault.ts'
import { machineOf, type Machine } from './cli-kit.ts'

const mebibyte = 2 ** 20
/** MiB of the large file; 1024 before a release. */
const large = Number(process.env['STRONGROOM_STREAM_MIB'] ?? 200)
const small = 50

/** Has a program of Node.js leave its peak of memory, in KiB, in the file PEAK when it ends. */
const watch = `import { readFileSync, writeFileSync } from 'node:fs'
process.on('exit', () => writeFileSync(process.env.PEAK, /VmHWM:\\s+(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]))`

const appliance = applianceForTests()
let machine: Machine
beforeAll(async () => {
  const user = await appliance.addUser()
  const { id, admin } = await makeVault(appliance, 'Files', await appliance.login(user))
  await admin.must('POST', `/transparent/${id}/keys/daily`, {})
  machine = await machineOf(appliance, user)
  machine.write('watch.mjs', watch)
})
afterAll(() => machine.remove())

/** Runs the command, and returns its peak in KiB. */
async function peakOf(...args: string[]): Promise<number> {
  const [script, PEAK] = [join(machine.home, 'watch.mjs'), join(machine.home, 'peak')]
  await machine.must(args, { env: { NODE_OPTIONS: `--import=${script}`, PEAK } })
  return Number(readFileSync(PEAK, 'utf8'))
}

/** A file of this many MiB that takes no room on the disk. */
function fileOf(mebibytes: number): string {
  const file = machine.write(`of-${mebibytes}`, '')
  truncateSync(file, mebibytes * mebibyte)
  return file
}

describe('the memory of strongroom-cli', () => {
  it('is for a large file what it is for a small one, at encryption and decryption', async () => {
    const peaksOf = async (mebibytes: number): Promise<[number, number]> => {
      const plain = fileOf(mebibytes)
      const [sealed, back] = [`${plain}.srs`, `${plain}.back`]
      const encryption = await peakOf('encrypt', 'Files/daily', plain, '--output', sealed)
      const decryption = await peakOf('decrypt', 'Files/daily', sealed, '--output', back)
      expect(statSync(back).size).toBe(mebibytes * mebibyte)
      for (const file of [plain, sealed, back]) rmSync(file)
      return [encryption, decryption]
    }
    const [few, many] = [await peaksOf(small), await peaksOf(large)]
    console.log(`peaks of ${small} MiB: ${few.join(', ')} KiB; of ${large} MiB: ${many.join(', ')} KiB`)
    // Node.js collects its garbage when it wants: 1 GiB had peaks of 110 to 138 MB, 50 MiB of 95 to 98. What is kept would count in full.
    expect(many[0]).toBeLessThan(few[0] * 1.75)
    expect(many[1]).toBeLessThan(few[1] * 1.75)
  }, 600_000)

  it('is some times the file, at upload and download', async () => {
    const peaksOf = async (mebibytes: number): Promise<[number, number]> => {
      const plain = fileOf(mebibytes)
      const up = await peakOf('upload', plain, 'Files')
      const down = await peakOf('download', `Files/of-${mebibytes}`, `${plain}.back`)
      expect(statSync(`${plain}.back`).size).toBe(mebibytes * mebibyte)
      return [up, down]
    }
    const [tiny, largest] = [await peaksOf(1), await peaksOf(64)]
    console.log(`peaks of 1 MiB: ${tiny.join(', ')} KiB; of 64 MiB: ${largest.join(', ')} KiB`)
    const file = 63 * 1024
    expect((largest[0] - tiny[0]) / file).toBeLessThan(6)
    expect((largest[1] - tiny[1]) / file).toBeLessThan(8)
  })
})
