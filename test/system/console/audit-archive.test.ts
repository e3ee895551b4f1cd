import { execFileSync } from 'node:child_process'
import { copyFileSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { makePremises, type Premises } from '../../support/console-kit.ts'
import { FullDisk, mayMount } from '../../support/disk.ts'
import { givenDirectory } from '../../support/trail-kit.ts'

let premises: Premises
let files: string[]
let filled = 0

const segments = (folder = premises.auditDirectory) =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.jsonl') && name.startsWith('console.'))
    .toSorted()
const bundles = (folder: string) =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.gz'))
    .toSorted()

const archive = async (to: string) =>
  (await premises.ask(['audit', 'archive', '--before', '0s', '--to', to])).bundles as {
    file: string
    records: number
    files: { first: number; last: number }
  }[]

beforeAll(async () => {
  premises = await makePremises()
  // The smallest allowed size: some fifty commands with long names fill a file.
  premises.configure({ audit: { directory: premises.auditDirectory, segmentBytes: 65_536 } })
  await premises.ask(['init'])
  await fill()
})
afterAll(() => premises.cleanup())

/** Makes records of refused commands until there is another file. */
async function fill(): Promise<void> {
  const before = segments().length
  while (segments().length === before)
    for (let tries = 0; tries < 12; tries += 1) await premises.run(['user', 'disable', 'x'.repeat(700)])
  await premises.ask(['apikey', 'create', `filled-${++filled}`])
  files = segments()
}

describe('strongroom audit archive', () => {
  it('takes whole files into a bundle, and verify is clean and says so', async () => {
    const to = givenDirectory()
    const made = await archive(to)
    expect(made).toHaveLength(1)
    const [bundle = { file: '', records: 0 }] = made
    expect(segments()).not.toContain(files[0])
    const { status, stdout } = await premises.run(['audit', 'verify'])
    expect({ status }).toEqual({ status: 0 })
    expect(stdout).toMatch(/^Archived: console, records 1 to \d+, until /m)
    const checked = await premises.run(['audit', 'verify', '--archive', bundle.file])
    expect(checked).toMatchObject({ status: 0, stdout: expect.stringContaining('Nothing was changed') })
    const key = join(premises.auditDirectory, 'audit-public.pem')
    expect((await premises.run(['audit', 'verify', '--archive', bundle.file, '--public-key', key])).status).toBe(0)
    const subjects = (await premises.run(['--json', 'audit', 'show', '--operation', 'console.audit.archive'])).stdout
    expect(subjects).toContain('"subject":"console, files 1 to 1, records 1 to ')
    expect(await archive(to)).toEqual([])
    copyFileSync(bundle.file, join(to, 'kept'))
  })

  it('goes on from what was archived, and each bundle is verified without its neighbours', async () => {
    await fill()
    const to = givenDirectory()
    const [bundle] = await archive(to)
    expect(bundle?.files.first).toBe(2)
    expect((await premises.run(['audit', 'verify', '--archive', bundle?.file ?? ''])).status).toBe(0)
    expect((await premises.run(['audit', 'verify'])).status).toBe(0)
    const text = execFileSync('zcat', [bundle?.file ?? ''], { encoding: 'latin1', maxBuffer: 2 ** 26 })
    writeFileSync(join(to, 'changed'), text.replace('user.not_found', 'user.not_f0und'), 'latin1')
    execFileSync('gzip', [join(to, 'changed')])
    const changed = await premises.run(['audit', 'verify', '--archive', join(to, 'changed.gz')])
    expect(changed).toMatchObject({
      status: 1,
      stdout: expect.stringContaining('Its lines are not those of its manifest'),
    })
  })

  it('broken off at any moment, loses no record, and goes on when it is run again', async () => {
    await fill()
    const [before, to] = [givenDirectory(), givenDirectory()]
    cpSync(premises.auditDirectory, before, { recursive: true })
    const [bundle] = await archive(to)
    const file = bundle?.file ?? ''
    const list = join(premises.auditDirectory, 'audit-archives.jsonl')
    const removed = segments(before).filter((name) => !segments().includes(name))
    expect(removed).toHaveLength(1)
    const [first = ''] = removed

    // The state before the file was removed: the file exists, and is listed.
    copyFileSync(join(before, first), join(premises.auditDirectory, first))
    const drafts = ['console.part', 'console.000001-000009.jsonl.gz.new']
    for (const draft of drafts) writeFileSync(join(to, draft), 'half')
    expect((await premises.run(['audit', 'verify'])).status).toBe(0)
    expect(await archive(to)).toEqual([])
    expect(segments()).not.toContain(first)
    expect(readdirSync(to)).toEqual(bundles(to))

    // The state before it was listed: the bundle exists, and is made again.
    copyFileSync(join(before, first), join(premises.auditDirectory, first))
    copyFileSync(join(before, 'audit-archives.jsonl'), list)
    expect((await premises.run(['audit', 'verify'])).status).toBe(0)
    const [again] = await archive(to)
    expect(again?.file).toBe(file)
    expect(segments()).not.toContain(first)
    expect((await premises.run(['audit', 'verify', '--archive', file])).status).toBe(0)

    // With half a bundle, which does not prevent making the whole one.
    const half = givenDirectory()
    copyFileSync(join(before, first), join(premises.auditDirectory, first))
    copyFileSync(join(before, 'audit-archives.jsonl'), list)
    writeFileSync(join(half, 'console.part'), readFileSync(file).subarray(0, 100))
    writeFileSync(join(half, `${file.split('/').at(-1)}.new`), 'half')
    expect(await archive(half)).toHaveLength(1)
    expect(bundles(half)).toHaveLength(1)
    expect((await premises.run(['audit', 'verify'])).status).toBe(0)
  })

  it('removes nothing where the bundle of a run that was broken off is not there, or the trail is not sound', async () => {
    await fill()
    const [before, to] = [givenDirectory(), givenDirectory()]
    cpSync(premises.auditDirectory, before, { recursive: true })
    await archive(to)
    const [first = ''] = segments(before).filter((name) => !segments().includes(name))
    copyFileSync(join(before, first), join(premises.auditDirectory, first))
    const elsewhere = await premises.run(['audit', 'archive', '--before', '0s', '--to', givenDirectory()])
    expect(elsewhere).toMatchObject({ status: 6, stderr: expect.stringContaining('is needed to finish') })
    expect(segments()).toContain(first)
    rmSync(join(premises.auditDirectory, first))

    const [chain = ''] = segments()
    const path = join(premises.auditDirectory, chain)
    const text = readFileSync(path, 'latin1')
    writeFileSync(path, text.replace('xxxx', 'yyyy'), 'latin1')
    expect(await premises.run(['audit', 'archive', '--before', '0s'])).toMatchObject({
      status: 6,
      stderr: expect.stringContaining('audit verify'),
    })
    writeFileSync(path, text, 'latin1')
  })

  it('keeps what is younger, and does what the documents say', async () => {
    const documents = ['audit', 'operations'].map((name) =>
      readFileSync(resolve(import.meta.dirname, `../../../docs/${name}.md`), 'utf8'),
    )
    const commands = documents.flatMap((text) => text.match(/^strongroom audit archive.*$/gm) ?? [])
    expect(commands.length).toBeGreaterThan(1)
    const to = givenDirectory()
    mkdirSync(join(to, 'archive'))
    for (const command of commands) {
      const args = command
        .split(' ')
        .slice(1)
        .map((word) => (word.startsWith('/mnt') ? to : word))
      expect(await premises.run(args), command).toMatchObject({
        status: 0,
        stdout: expect.stringContaining('nothing was archived'),
      })
    }
  })

  it('says that a folder cannot be made, and ends', async () => {
    const file = join(givenDirectory(), 'file')
    writeFileSync(file, '')
    for (const [to, said] of [
      ['/proc/nowhere', '/proc/nowhere does not exist'],
      ['/proc/nowhere/below', '/proc/nowhere does not exist'],
      [file, file],
    ] as const)
      expect(await premises.run(['audit', 'archive', '--before', '0s', '--to', to])).toMatchObject({
        status: 1,
        stderr: expect.stringContaining(said),
      })
  })

  it.skipIf(!mayMount)('names a disk that is full, loses nothing, and archives once there is room', async () => {
    await fill()
    const disk = new FullDisk()
    onTestFinished(() => disk.remove())
    cpSync(premises.auditDirectory, disk.path, { recursive: true })
    premises.configure({ audit: { directory: disk.path, segmentBytes: 65_536 } })
    disk.fill(0)
    const before = segments(disk.path)
    expect(await premises.run(['audit', 'archive', '--before', '0s'])).toMatchObject({
      status: 6,
      stderr: expect.stringContaining(`The disk of ${join(disk.path, 'archive')} is full`),
    })
    expect(segments(disk.path)).toEqual(before)
    disk.free()
    expect(await premises.run(['audit', 'archive', '--before', '0s'])).toMatchObject({ status: 0 })
    expect(segments(disk.path).length).toBeLessThan(before.length)
  })
})
