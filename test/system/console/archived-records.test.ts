import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { seqOfLine } from '../../../src/audit/line.ts'
import { linesOfChain } from '../../../src/audit/reading/whole-chain.ts'
import { makePremises, type Premises } from '../../support/console-kit.ts'
import { givenDirectory } from '../../support/trail-kit.ts'

let premises: Premises
/** Folder of the first bundle. The others are in the folder of the trail. */
let elsewhere: string

const files = () => readdirSync(premises.auditDirectory).filter((name) => /^console\.\d+\.jsonl$/.test(name))
const show = async (...filter: string[]) => {
  const { status, stdout, stderr } = await premises.run(['--json', 'audit', 'show', ...filter])
  return { status, stderr, lines: stdout.split('\n').filter(Boolean) }
}
const archive = async (...to: string[]) =>
  (await premises.ask(['audit', 'archive', '--before', '0s', ...to])).bundles as { file: string }[]

beforeAll(async () => {
  premises = await makePremises()
  // The smallest allowed size.
  premises.configure({ audit: { directory: premises.auditDirectory, segmentBytes: 65_536 } })
  elsewhere = join(premises.directory, 'elsewhere')
  await premises.ask(['init'])
  await fill()
})
afterAll(() => premises.cleanup())

/**
 * Makes records of refused commands until there is another file, which begins with the record of a command that was not
 * refused.
 */
async function fill(): Promise<void> {
  const before = files().length
  while (files().length === before) await premises.run(['user', 'disable', 'x'.repeat(700)])
  await premises.ask(['apikey', 'create', `filled-${before}-${Date.now()}`])
}

describe('records in bundles', () => {
  it('are shown and exported with the others, by the same filters, once each', async () => {
    const before = await show()
    expect(before.lines.length).toBeGreaterThan(40)
    expect(await archive('--to', elsewhere)).toHaveLength(1)
    await fill()
    const between = await show('--archive', elsewhere)
    expect(between).toMatchObject({ status: 0, stderr: '' })
    expect(between.lines.slice(0, before.lines.length)).toEqual(before.lines)
    expect(await archive()).toHaveLength(1)

    const { lines, ...rest } = await show('--archive', elsewhere)
    expect(rest).toEqual({ status: 0, stderr: '' })
    expect(lines.slice(0, between.lines.length)).toEqual(between.lines)
    expect(new Set(lines).size).toBe(lines.length)
    const created = await show('--operation', 'console.apikey.*', '--archive', elsewhere)
    expect(created.lines).toEqual(lines.filter((line) => line.includes('console.apikey.create')))
    expect(created.lines.length).toBeGreaterThan(1)
    const output = join(givenDirectory(), 'all.jsonl')
    await premises.ask(['audit', 'export', '--archive', elsewhere, '--output', output])
    expect(readFileSync(output, 'latin1').trimEnd().split('\n')).toEqual(lines)
  })

  it('are named where their bundle is not there, unless they are too old to be asked for', async () => {
    const all = await show('--archive', elsewhere)
    const { status, stderr, lines } = await show()
    expect(status).toBe(0)
    expect(stderr).toMatch(/^strongroom: not shown: records 1 to \d+ of console, .* give its folder with --archive\.$/m)
    expect(stderr.trim().split('\n')).toHaveLength(1)
    expect(lines.length).toBeGreaterThan(40)
    expect(all.lines.slice(-lines.length)).toEqual(lines)
    expect(await show('--since', '2100-01-01')).toEqual({ status: 0, stderr: '', lines: [] })
    for (const wrong of ['/nowhere', join(elsewhere, readdirSync(elsewhere)[0] ?? '')])
      expect(await show('--archive', wrong)).toMatchObject({
        status: 2,
        stderr: `strongroom: ${wrong} is no folder: name the one of the archived bundles with --archive.\n`,
      })
  })

  it('of a bundle that is damaged, or is another one, are not passed over in silence', async () => {
    const [name = ''] = readdirSync(elsewhere)
    const [whole, damaged, other] = [readFileSync(join(elsewhere, name)), givenDirectory(), givenDirectory()]
    writeFileSync(join(damaged, name), whole.subarray(0, whole.length - 100))
    const [second = ''] = readdirSync(join(premises.auditDirectory, 'archive'))
    copyFileSync(join(premises.auditDirectory, 'archive', second), join(other, name))
    for (const [folder, reason] of [
      [damaged, 'unexpected end of file'],
      [other, 'it is another bundle'],
    ] as const) {
      expect(await show('--archive', folder)).toMatchObject({
        status: 6,
        stderr: expect.stringMatching(new RegExp(`${reason}.*audit verify --archive`)),
      })
      const output = join(givenDirectory(), 'file')
      expect(await premises.run(['audit', 'export', '--archive', folder, '--output', output])).toMatchObject({
        status: 6,
      })
    }
  })

  it('come without a gap and without a copy where files are archived while they are read', async () => {
    for (let file = 0; file < 3; file += 1) await fill()
    const present = files().length
    expect(present).toBeGreaterThan(3)
    const place = {
      directory: premises.auditDirectory,
      archives: [join(premises.auditDirectory, 'archive'), elsewhere],
    }
    const numbers: (number | undefined)[] = []
    const reading = linesOfChain(place, 'console', undefined, ({ chain }) => expect.unreachable(chain))
    let isArchived = false
    for await (const lines of reading) {
      numbers.push(...lines.map(seqOfLine))
      // The earlier bundles have been read, and the first file is open.
      if (isArchived || lines.length === 0 || !String(lines[0]).includes(firstLine())) continue
      expect(await archive()).toHaveLength(1)
      expect(files().length).toBe(1)
      isArchived = true
    }
    expect(isArchived).toBe(true)
    expect(numbers.length).toBeGreaterThan(300)
    expect(numbers).toEqual(numbers.map((_, at) => at + 1))
  })
})

/** The first line of the first existing file. */
function firstLine(): string {
  const [first = ''] = files().toSorted()
  return readFileSync(join(premises.auditDirectory, first), 'latin1').split('\n', 1)[0] ?? ''
}
