import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import type { Command } from 'commander'
import { createProgram } from '../../../src/console/program.ts'
import { createDaemonCommand } from '../../../src/daemon/command-line.ts'

const root = resolve(import.meta.dirname, '../../..')
const share = mkdtempSync(join(tmpdir(), 'strongroom-share-'))

beforeAll(() => {
  execFileSync('node', [join(root, 'scripts/package/write-console-files.mjs'), share, '2026-11-22'])
})

const namesOf = (command: Command, words: readonly string[] = [command.name()]): string[] => [
  words.join('-'),
  ...command.commands.flatMap((below) => namesOf(below, [...words, below.name()])),
]

describe('manual pages', () => {
  const pages = () => [1, 8].flatMap((n) => readdirSync(join(share, `man/man${n}`)).map((name) => `man${n}/${name}`))
  const show = (page: string) =>
    spawnSync('man', ['--warnings', '-E', 'UTF-8', '-l', join(share, 'man', page)], {
      encoding: 'utf8',
      env: { ...process.env, MANWIDTH: '120', LC_ALL: 'C.UTF-8', MAN_KEEP_FORMATTING: '' },
    })

  it('there is one of every command', async () => {
    const wanted = [...namesOf(await createProgram()).map((name) => `man1/${name}.1`), 'man8/strongroomd.8']
    expect(pages().toSorted()).toEqual(wanted.toSorted())
  })

  it('groff reads all of them without a warning', () => {
    for (const page of pages()) expect(show(page)).toMatchObject({ status: 0, stderr: '' })
  })

  it('tell what the help tells: purpose, options, exit codes and examples, letter by letter', () => {
    const text = show('man1/strongroom-user-add.1').stdout
    expect(text).toContain('strongroom-user-add - add a user')
    expect(text).toMatch(/--passphrase-file <file>\n +file with the pass phrase/)
    expect(text).toContain("strongroom user add alice --fullname 'Alice Example' --email alice@example.org")
    expect(show('man1/strongroom.1').stdout).toMatch(/EXIT STATUS\n +0 +done/)
    expect(show('man8/strongroomd.8').stdout).toMatch(/SIGHUP +read the server certificate again/)
  })
})

/** The completions of bash after these words. */
function bashOffers(...words: string[]): string[] {
  const script = join(share, 'bash-completion/completions/strongroom')
  const line = `. "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _strongroom; printf '%s\\n' "\${COMPREPLY[@]}"`
  const offered = execFileSync('bash', ['--norc', '-uc', line, 'bash', script, 'strongroom', ...words], {
    cwd: share,
    encoding: 'utf8',
  })
  return offered.split('\n').filter((word) => word !== '')
}

/** The screen of zsh after the line and two tabulators were typed. */
function zshShows(line: string): string {
  const script = join(share, 'type.zsh')
  writeFileSync(
    script,
    `zmodload zsh/zpty
zpty terminal zsh -f -i
zpty -w terminal 'bindkey -e; stty columns 120; fpath=('$1'/zsh/vendor-completions $fpath); autoload -Uz compinit; compinit -u -d '$1'/dump; cd '$1'; PS1="READ""Y>"'
# The prompt of the editor: what is typed before it, the terminal itself would show.
zpty -r terminal shown '*READY>*'
zpty -n -w terminal "$2"$'\\t\\t'
# The end of the line that it completes is what nothing else shows.
zpty -n -w terminal $'\\C-a\\C-kprint EN""D\\n'
zpty -r terminal shown '*END*'
print -r -- "$shown"
`,
  )
  return execFileSync('zsh', ['-f', script, share, line], { encoding: 'utf8', timeout: 60_000 })
}

describe('completion', () => {
  it('bash completes commands, options, values and files', () => {
    expect(bashOffers('us')).toEqual(['user', 'usercert'])
    expect(bashOffers('--json', 'otp', 'enr')).toEqual(['enroll'])
    expect(bashOffers('user', 'add', 'alice', '--cap')).toEqual(['--capability'])
    expect(bashOffers('user', 'add', '--capability', 'cr')).toEqual(['createVault'])
    expect(bashOffers('user', 'add', '--passphrase-file', 'ma')).toEqual(['man'])
    expect(bashOffers('otp', 'import', 'ma')).toEqual(['man'])
    // Values that only the operator knows.
    expect(bashOffers('user', 'add', '--fullname', '')).toEqual([])
  })

  it('bash offers every command', async () => {
    const check = (command: Command, words: readonly string[]) => {
      const offered = bashOffers(...words, '')
      for (const below of command.commands) {
        expect(offered).toContain(below.name())
        if (below.commands.length > 0) check(below, [...words, below.name()])
      }
    }
    check(await createProgram(), [])
    expect(createDaemonCommand().commands).toEqual([])
  })

  it('zsh completes them too, and says what they are', () => {
    expect(zshShows('strongroom us')).toMatch(/user +-- People who may log in/)
    expect(zshShows('strongroom user add --')).toMatch(/--admin +-- adds the capabilities/)
    expect(zshShows('strongroom user add --capability ')).toContain('createVault')
    expect(zshShows('strongroom user add --passphrase-file ')).toContain('bash-completion')
  })
})
