import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { applianceForTests } from '../support/for-tests.ts'
import { makeVault } from '../support/vault.ts'
import { commandLineFolder, Machine } from './cli-kit.ts'

const root = resolve(import.meta.dirname, '../..')

const appliance = applianceForTests()
let machine: Machine
beforeAll(async () => {
  machine = new Machine(appliance)
})
afterAll(() => machine.remove())

describe('the package strongroom-cli', () => {
  it('runs the ten lines at the top of its README', async () => {
    const user = await appliance.addUser()
    await makeVault(appliance, 'Servers', await appliance.login(user))
    const readme = readFileSync(join(root, 'clients/cli/README.md'), 'utf8')
    const [, lines = ''] = /```sh\n([^]*?)```/.exec(readme) ?? []
    expect(lines.trim().split('\n').length).toBeLessThanOrEqual(10)
    const own = lines.replace(
      'https://vault.example.com --username alice',
      `${machine.url} --username ${user.username} --ca ca.pem`,
    )
    const input = `${appliance.applicationKey}\n${user.passphrase}\n${user.hardwareToken.press()}\n`
    const PATH = `${join(machine.program, '..')}:${machine.environment['PATH']}`
    const env = { ...machine.environment, PATH }
    const answers = execFileSync('bash', ['--norc', '-ec', `set -o pipefail\n${own}`], {
      cwd: machine.home,
      env,
      input,
      encoding: 'utf8',
    })
    const [password] = /^\S{40}$/m.exec(answers) ?? []
    expect(readFileSync(join(machine.home, 'app.conf'), 'utf8')).toBe(`password=${password}\n`)
    expect(answers).toContain('Logged out')
  })

  it('is installed by npm without a registry', async () => {
    const prefix = mkdtempSync(join(tmpdir(), 'prefix-'))
    const archive = join(commandLineFolder(), '../strongroom-cli-0.1.0.tgz')
    execFileSync('npm', ['install', '--silent', '--offline', '--global', '--prefix', prefix, archive], {
      stdio: 'pipe',
    })
    expect(execFileSync(join(prefix, 'bin/strongroom-cli'), ['--version'], { encoding: 'utf8' })).toBe(
      'strongroom-cli 0.1.0\n',
    )
    const names = execFileSync('tar', ['-tzf', archive], { encoding: 'utf8' }).trim().split('\n')
    expect(
      names.filter(
        (name) => !/^package\/(dist|completions|man\/man1|node_modules|package\.json|README\.md)/.test(name),
      ),
    ).toEqual([])
  })

  it('has a manual page of each command, which man shows without a warning', () => {
    const pages = join(commandLineFolder(), 'man/man1')
    const names = readdirSync(pages)
    expect(names).toEqual(expect.arrayContaining(['strongroom-cli.1', 'strongroom-cli-get.1', 'strongroom-cli-run.1']))
    expect(names.length).toBeGreaterThan(14)
    const env = { ...process.env, MANWIDTH: '120', LC_ALL: 'C.UTF-8', MAN_KEEP_FORMATTING: '' }
    for (const name of names) {
      const shown = spawnSync('man', ['--warnings', '-E', 'UTF-8', '-l', join(pages, name)], { encoding: 'utf8', env })
      expect(shown).toMatchObject({ status: 0, stderr: '' })
    }
    const text = spawnSync('man', ['strongroom-cli-get'], {
      encoding: 'utf8',
      env: { ...env, MANPATH: join(pages, '..') },
    })
    expect(text.stdout).toContain('strongroom-cli get')
  })

  it('replaces no folder of others', () => {
    machine.write('other/file', 'kept')
    expect(() =>
      execFileSync(join(root, 'scripts/package-cli'), [join(machine.home, 'other')], { stdio: 'pipe' }),
    ).toThrow(/name another folder/)
  })
})

describe('completion of strongroom-cli', () => {
  it('names commands, options and values in bash', async () => {
    const file = machine.write('completion.bash', await machine.must(['completion', 'bash']))
    const complete = (...words: string[]): string[] => {
      const script = `. ${file}; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _strongroom-cli; printf '%s\\n' "\${COMPREPLY[@]}"`
      return execFileSync('bash', ['-c', script, 'bash', 'strongroom-cli', ...words], { encoding: 'utf8' })
        .trim()
        .split('\n')
    }
    expect(complete('te')).toEqual(['template'])
    expect(complete('login', '--fac')).toEqual(['--factor'])
    expect(complete('login', '--factor', 'sm')).toEqual(['smartcard'])
    expect(complete('completion', '')).toEqual(expect.arrayContaining(['bash', 'zsh']))
  })

  it('is read by zsh', async () => {
    const file = machine.write('_strongroom-cli', await machine.must(['completion', 'zsh']))
    expect(execFileSync('zsh', ['-n', file], { encoding: 'utf8' })).toBe('')
    expect((await machine.run(['completion', 'fish'])).status).toBe(2)
  })
})
