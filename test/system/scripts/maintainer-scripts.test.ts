import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'

/** A folder in which a script of the package runs, like dpkg. It notes the calls of program and systemd. */
function given(script: string) {
  const root = mkdtempSync(join(tmpdir(), 'strongroom-maintainer-'))
  const called = join(root, 'called')
  const stub = (path: string, text: string): void => {
    mkdirSync(join(root, path, '..'), { recursive: true })
    writeFileSync(join(root, path), text, { mode: 0o755 })
  }
  const note = `#!/bin/sh\necho "$(basename "$0") $*" >>${called}\n`
  stub('usr/lib/strongroom/scripts/configure', note)
  const questions = ['db_stop', 'db_version', 'db_input', 'db_go', 'db_purge'].map((name) => `${name}() { :; }`)
  stub('usr/share/debconf/confmodule', [...questions, 'db_get() { RET=true; }', ''].join('\n'))
  for (const name of ['systemctl', 'systemd-sysusers', 'systemd-tmpfiles']) stub(`bin/${name}`, note)
  writeFileSync(called, '')
  const text = readFileSync(`scripts/package/debian/${script}`, 'utf8').replaceAll(
    /(?<![\w/.*])\/(?=usr\/|etc\/|run\/|var\/)/g,
    `${root}/`,
  )
  stub(script, text)
  const env = { ...process.env, PATH: `${join(root, 'bin')}:${process.env['PATH']}` }
  const run = (args: readonly string[]) => spawnSync(join(root, script), args, { encoding: 'utf8', env })
  return { root, run, calls: () => readFileSync(called, 'utf8').split('\n').filter(Boolean) }
}

/** Runs a script. Returns the calls that it makes. */
function ran(script: string, ...args: string[]): string[] {
  const { run, calls } = given(script)
  expect(run(args)).toMatchObject({ status: 0, stderr: '' })
  return calls()
}

it.each([
  ['upgrade', '2'],
  ['deconfigure', 'in-favour', 'other', '1'],
])('the package stops the daemon before %s, and not the timer of backups', (...args) => {
  expect(ran('prerm', ...args)).toEqual(['configure pause'])
})

it('a removal stops everything, also where the configuration is gone already', () => {
  expect(ran('prerm', 'remove')[0]).toBe('configure stop')
})

it.each([
  ['abort-upgrade', '2'],
  ['abort-remove'],
  ['abort-remove', 'in-favour', 'other', '1'],
  ['abort-deconfigure', 'in-favour', 'other', '1'],
])('what was stopped goes on after %s', (...args) => {
  expect(ran('postinst', ...args)).toEqual(['configure go-on'])
})

it('a configuration is told of the version before it', () => {
  expect(ran('postinst', 'configure', '1')).toContain('configure install 1')
  expect(ran('postinst', 'reconfigure', '1')).toContain('configure install ')
})

it('a purge that destroys the vault leaves none of its drop-ins, and those of others', () => {
  const { root, run } = given('postrm')
  const units = join(root, 'etc/systemd/system')
  for (const unit of ['strongroom.service', 'strongroom-backup.service', 'strongroom-token@1.service', 'nginx.service'])
    mkdirSync(join(units, `${unit}.d`), { recursive: true })
  mkdirSync(join(units, 'strongroom-keeper-operator.socket.d'))
  expect(run(['purge'])).toMatchObject({ status: 0, stderr: expect.stringContaining('were destroyed') })
  expect(readdirSync(units)).toEqual(['nginx.service.d'])
})
