import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  closeSync,
  existsSync,
  lstatSync,
  openSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { addUser, makePremises, type Premises } from '../../support/console-kit.ts'
import { givenDirectory } from '../../support/trail-kit.ts'

const entry = resolve(import.meta.dirname, '../../../dist/bin/strongroom.js')
const jq = (filter: string, input: string): string =>
  execFileSync('jq', ['-r', filter], { input, encoding: 'utf8' }).trim()

let premises: Premises

beforeAll(async () => {
  premises = await makePremises()
  await premises.ask(['init'])
  await addUser(premises, 'alice')
  await premises.ask(['apikey', 'create', 'payroll'])
  expect((await premises.run(['user', 'disable', 'nobody'])).status).toBe(1)
})
afterAll(() => premises.cleanup())

describe('strongroom audit show', () => {
  it('shows a table for people', async () => {
    const { status, stdout } = await premises.run(['audit', 'show', '--since', '1h'])
    expect(status).toBe(0)
    const [heading, ...lines] = stdout.trimEnd().split('\n')
    expect(heading).toMatch(/^TIME \(UTC\) +OUTCOME +USER +OPERATION +WHAT/)
    expect(lines).toHaveLength(4)
    expect(lines[1]).toMatch(
      /^\d{4}-\d\d-\d\d [\d:.]{12} {2}allowed +\S+ +console\.user\.add +user alice, from console \(console \d+\)$/,
    )
  })

  it('gives each record as it was written, for jq', async () => {
    const { stdout } = await premises.run(['--json', 'audit', 'show', '--operation', 'console.*'])
    expect(jq('.operation', stdout).split('\n')).toEqual([
      'console.init',
      'console.user.add',
      'console.apikey.create',
      'console.user.disable',
    ])
    const trail = readFileSync(join(premises.auditDirectory, 'console.000001.jsonl'), 'utf8')
    for (const line of stdout.trimEnd().split('\n')) expect(trail).toContain(`${line}\n`)
  })

  it.each([
    [['--outcome', 'refused'], ['console.user.disable']],
    [['--operation', 'console.apikey.create'], ['console.apikey.create']],
    [['--until', '1h'], []],
    [['--vault', '3'], []],
  ])('with %j shows %j', async (filter, operations) => {
    const { stdout } = await premises.run(['--json', 'audit', 'show', ...filter])
    expect(jq('.operation', stdout).split('\n').filter(Boolean)).toEqual(operations)
  })

  it('says what a time is, and needs nothing but a folder', async () => {
    expect(await premises.run(['audit', 'show', '--since', 'noon'])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('noon is not a time'),
    })
    const { status } = await premises.run(['audit', 'show', '--directory', '/nowhere'])
    expect(status).toBe(2)
    const directory = givenDirectory()
    expect(await premises.run(['audit', 'show', '--directory', directory])).toMatchObject({
      status: 2,
      stderr: `strongroom: ${directory} holds no audit trail: name the folder of the trail with --directory.\n`,
    })
  })

  it('takes no more memory for a large trail, and waits for a slow reader', async () => {
    const directory = givenDirectory()
    for (const chain of ['worker-1', 'worker-2']) writeLargeChain(directory, chain, 150_000)
    // The program itself needs 35 MB on Node 20 and 44 MB on Node 24. The trail has more than 100 MB.
    const environment = { ...process.env, NODE_OPTIONS: '--max-old-space-size=64' }
    const show = spawn(process.execPath, [entry, '--json', 'audit', 'show', '--directory', directory], {
      env: environment,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const exited = once(show, 'exit')
    let [bytes, lines] = [0, 0]
    for await (const chunk of show.stdout) {
      bytes += chunk.length
      lines += String(chunk).split('\n').length - 1
    }
    expect(await exited).toEqual([0, null])
    expect(lines).toBe(300_000)
    expect(bytes).toBeGreaterThan(100 * 2 ** 20)
  }, 120_000)
})

/** Writes lines in the format of the trail. Commands that only show lines do not check their hashes. */
function writeLargeChain(directory: string, chain: string, records: number): void {
  const file = openSync(join(directory, `${chain}.000001.jsonl`), 'w')
  const prev = '0'.repeat(64)
  for (let seq = 1; seq <= records; seq += 1_000)
    writeSync(
      file,
      Array.from({ length: 1_000 }, (_, index) => {
        const place = `"chain":"${chain}","seq":${seq + index},"prev":"${prev}","type":"event"`
        return `{"v":1,${place},"at":${seq + index},"operation":"transparent.encrypt","requestId":"r-${seq + index}","outcome":"allowed","userId":7,"username":"alice","address":"192.0.2.1","vault":"12","key":"orders","subject":"${'x'.repeat(100)}"}\n`
      }).join(''),
    )
  closeSync(file)
}

describe('strongroom audit export', () => {
  it('writes lines for other programs, in two formats, and the file as a whole', async () => {
    const file = join(givenDirectory(), 'records.cef')
    const { stdout } = await premises.run(['--json', 'audit', 'export', '--format', 'cef', '--output', file])
    expect(JSON.parse(stdout)).toEqual({ file, records: 4 })
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n')
    expect(lines[3]).toMatch(
      /^CEF:0\|Strongroom\|strongroom\|\d+\.\d+\.\d+-build\d+\|console\.user\.disable\|console\.user\.disable\|6\|rt=\d+ outcome=user\.not_found /,
    )
    expect(existsSync(`${file}.part`)).toBe(false)
    const jsonl = await premises.run(['audit', 'export', '--since', '1h'])
    expect(jq('.seq', jsonl.stdout).split('\n')).toHaveLength(4)
    const nowhere = await premises.run(['audit', 'export', '--output', '/nowhere/file'])
    expect(nowhere).toMatchObject({ status: 2, stderr: expect.stringContaining('cannot be written') })
  })

  it('replaces files, those that a link names among them, and nothing else', async () => {
    const directory = givenDirectory()
    const [file, link, pipe] = ['file', 'link', 'pipe'].map((name) => join(directory, name)) as [string, string, string]
    writeFileSync(file, 'of yesterday')
    symlinkSync(file, link)
    execFileSync('mkfifo', [pipe])
    expect(await premises.run(['audit', 'export', '--output', link])).toMatchObject({ status: 0 })
    expect(lstatSync(link).isSymbolicLink()).toBe(true)
    expect(readFileSync(file, 'utf8').trimEnd().split('\n')).toHaveLength(4)
    for (const other of [pipe, directory])
      expect(await premises.run(['audit', 'export', '--output', other])).toMatchObject({
        status: 2,
        stderr: expect.stringContaining(`${other} is not a file`),
      })
    expect(lstatSync(pipe).isFIFO()).toBe(true)
  })
})

it('the commands of the documents do what they say', async () => {
  const output = join(givenDirectory(), 'file')
  const documents = ['audit', 'operations'].map((name) =>
    readFileSync(resolve(import.meta.dirname, `../../../docs/${name}.md`), 'utf8'),
  )
  const commands = documents.flatMap((text) => text.match(/^strongroom (?:--json )?audit (?:show|export).*$/gm) ?? [])
  expect(commands.length).toBeGreaterThan(6)
  for (const command of commands) {
    const [line = ''] = command.split(' | ')
    const args = line.replaceAll("'", '').replace('/mnt/archive', givenDirectory()).split(' ').slice(1)
    const at = args.indexOf('--output')
    expect(await premises.run(at === -1 ? args : args.with(at + 1, output)), command).toMatchObject({ status: 0 })
  }
})

describe('strongroom audit follow', () => {
  it('shows what is written, while it is written', async () => {
    const follow = spawn(
      process.execPath,
      [entry, '--config', premises.configFile, '--json', 'audit', 'follow', '--operation', 'console.apikey.*'],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    )
    let shown = ''
    follow.stdout.on('data', (chunk) => (shown += chunk))
    let tries = 0
    // It follows the trail from its start on.
    await vi.waitFor(
      async () => {
        await premises.ask(['apikey', 'create', `followed-${++tries}`])
        expect(shown).toContain('followed')
      },
      { timeout: 60_000, interval: 500 },
    )
    expect(jq('.operation', shown).split('\n')).toContain('console.apikey.create')
    follow.kill('SIGINT')
    expect(await once(follow, 'exit')).toEqual([130, null])
  })
})
