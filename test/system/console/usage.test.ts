import type { Command } from 'commander'
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createProgram } from '../../../src/console/program.ts'
import { entry, givenInitialised, passphrase, strongroom } from '../../support/console-kit.ts'

/** All executable commands, of whatever group. */
function* commandsOf(group: Command, path: readonly string[] = []): Generator<readonly [string, Command]> {
  for (const command of group.commands) {
    const names = [...path, command.name()]
    if (command.commands.length === 0) yield [names.join(' '), command]
    else yield* commandsOf(command, names)
  }
}

function helpOf(command: Command): string {
  let help = ''
  // A width at which only text that commander does not wrap can be too wide.
  command.configureOutput({ writeOut: (text) => (help += text), getOutHelpWidth: () => 100 })
  command.outputHelp()
  return help
}

const program = await createProgram()

describe('the command line', () => {
  it('documents its exit codes', async () => {
    const { status, stdout } = await strongroom('/nowhere.json', ['--help'])
    expect(status).toBe(0)
    for (const code of [0, 1, 2, 3, 4, 6]) expect(stdout).toMatch(new RegExp(`^ {2}${code} {2}\\w`, 'm'))
  })

  it.each([...commandsOf(program)])('%s has examples, and lines that fit a terminal', (_, command) => {
    const help = helpOf(command)
    expect(help).toMatch(/^Examples?:\n {2}\S/m)
    for (const line of help.split('\n')) expect(line.length).toBeLessThanOrEqual(115)
  })

  it.each(['enroll', 'import'])('otp %s says that a public id is modhex', async (verb) => {
    const { stdout } = await strongroom('/nowhere.json', ['otp', verb, '--help'])
    expect(stdout.replaceAll(/\s+/g, ' ')).toMatch(/public id (is|in) modhex/)
  })

  it.each([
    ['nothing', []],
    ['an unknown command', ['frobnicate']],
    ['an unknown option', ['user', 'list', '--frobnicate']],
    ['a missing argument', ['apikey', 'create']],
    ['a missing option', ['user', 'add', 'alice']],
    ['a configuration that is not there', ['user', 'list']],
  ])('answers %s with exit code 2 and a sentence on standard error', async (_, args) => {
    const { status, stdout, stderr } = await strongroom('/nowhere.json', args)
    expect(status).toBe(2)
    expect(stdout).toBe('')
    expect(stderr).not.toBe('')
  })
})

describe('documents', () => {
  const root = resolve(import.meta.dirname, '../../..')
  const known = new Map(commandsOf(program))
  const pages = [
    ...readdirSync(join(root, 'docs')).flatMap((name) => (name.endsWith('.md') ? [`docs/${name}`] : [])),
    'README.md',
    'config/README.md',
    'softhsm/README.md',
    'systemd/README.md',
  ]

  it.each(pages)('%s names commands and options that exist', (page) => {
    const text = readFileSync(join(root, page), 'utf8')
    // The text from which the hash of a chain begins has a <chain>, and is no command.
    const calls = text.matchAll(
      /^(?:# )?strongroom (?:--json )?([a-z][^|&;\n]*)|`strongroom (?:--json )?([a-z][^`<]*)`/gm,
    )
    const unknown = [...calls].filter(([, line, span]) => !isKnown((line ?? span ?? '').split(/\s+/)))
    expect(unknown.map(([call]) => call)).toEqual([])
  })

  function isKnown(words: readonly string[]): boolean {
    const [noun = '', verb = ''] = words
    const command = known.get(noun) ?? known.get(`${noun} ${verb}`)
    const options = [...program.options, ...(command?.options ?? [])].map(({ long }) => long)
    const isGroup = /^(--.*)?$/.test(verb) && program.commands.some((one) => one.name() === noun)
    return (
      (command !== undefined || isGroup) &&
      words.every((word) => !/^--[a-z]/.test(word) || word === '--help' || options.includes(word))
    )
  }
})

describe('the process', () => {
  it('ends with the exit code of its command, and reads standard input', async () => {
    const premises = await givenInitialised()
    const details = ['--fullname', 'Alice Example', '--email', 'alice@example.test', '--passphrase-file', '-']
    expect(premises.runProcess(['user', 'add', 'alice', ...details], passphrase)).toMatchObject({
      status: 0,
      stderr: '',
    })
    expect(premises.runProcess(['user', 'list']).stdout).toMatch(/^1 +alice /m)
    expect(premises.runProcess(['user', 'disable', 'nobody'])).toMatchObject({
      status: 1,
      stdout: '',
      stderr: 'strongroom: There is no user nobody.\n',
    })
    expect(premises.runProcess(['frobnicate'])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining('Try --help.'),
    })
    premises.configure({ hsm: { module: '/nowhere/module.so' } })
    expect(premises.runProcess(['init'])).toMatchObject({ status: 3, stdout: '' })
  })
})

describe('standard output', () => {
  const intoShell = (line: string) => {
    const { status, stdout, stderr } = spawnSync('bash', ['-c', line, process.execPath, entry], { encoding: 'utf8' })
    return { status, stdout, stderr }
  }

  it('that is full makes a command fail, which says so', () => {
    expect(intoShell('"$0" "$1" --help >/dev/full')).toEqual({
      status: 1,
      stdout: '',
      stderr: 'strongroom: Standard output cannot be written (ENOSPC): its end is missing.\n',
    })
  })

  it('that nobody reads any more is no error', () => {
    expect(intoShell('set -o pipefail; "$0" "$1" --help | true')).toEqual({ status: 0, stdout: '', stderr: '' })
  })
})

describe('strongroom token status', () => {
  it('starts a host of its own where none runs, and shows what the token is and can do', async () => {
    const premises = await givenInitialised({ tokenHost: false })
    const { ownHost, hosts } = await premises.ask(['token', 'status'])
    expect(ownHost).toBe(true)
    expect(hosts).toHaveLength(1)
    expect(hosts[0].token).toMatchObject({ label: 'strongroom', objects: { vaultKeys: 0 } })
    expect(hosts[0].token.mechanisms).toContain('AES_GCM')
    expect(new Set(Object.values(hosts[0].token.conformance))).toEqual(new Set(['passed']))
    const lines = (await premises.run(['token', 'status'])).stdout.split('\n')
    expect(lines).toContain('  strongroom.kek.strict.v1')
    for (const line of lines) expect(line.length).toBeLessThanOrEqual(100)
  })
})
