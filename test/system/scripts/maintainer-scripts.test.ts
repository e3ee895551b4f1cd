import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'

/** Runs a script of the package in a folder, like dpkg. Returns the calls of program and systemd that it makes. */
function ran(script: string, ...args: string[]): string[] {
  const root = mkdtempSync(join(tmpdir(), 'strongroom-maintainer-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  const called = join(root, 'called')
  const stub = (path: string, text: string): void => {
    mkdirSync(join(root, path, '..'), { recursive: true })
    writeFileSync(join(root, path), text, { mode: 0o755 })
  }
  const note = `#!/bin/sh\necho "$(basename "$0") $*" >>${called}\n`
  stub('usr/lib/strongroom/scripts/configure', note)
  stub('usr/share/debconf/confmodule', 'db_stop() { :; }\n')
  for (const name of ['systemctl', 'systemd-sysusers', 'systemd-tmpfiles']) stub(`bin/${name}`, note)
  writeFileSync(called, '')
  const text = readFileSync(`scripts/package/debian/${script}`, 'utf8').replaceAll(
    /(?<![\w/.*])\/(?=usr\/|etc\/|run\/|var\/)/g,
    `${root}/`,
  )
  stub(script, text)
  const env = { ...process.env, PATH: `${join(root, 'bin')}:${process.env['PATH']}` }
  expect(spawnSync(join(root, script), args, { encoding: 'utf8', env })).toMatchObject({ status: 0, stderr: '' })
  return readFileSync(called, 'utf8').split('\n').filter(Boolean)
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
