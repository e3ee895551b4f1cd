import { execFileSync, spawnSync } from 'node:child_process'
import { appendFileSync, cpSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { exitCodeHelp, exitCodes } from '../../../src/daemon/exit.ts'

const root = resolve(import.meta.dirname, '../../..')
const hasSystemd = spawnSync('systemd-analyze', ['--version']).status === 0

it.skipIf(!hasSystemd)('systemd finds nothing to say against the units', () => {
  const folder = mkdtempSync(join(tmpdir(), 'strongroom-units-'))
  cpSync(join(root, 'systemd'), folder, { recursive: true })
  for (const kind of ['service', 'socket'])
    renameSync(join(folder, `strongroom-token@.${kind}`), join(folder, `strongroom-token@1.${kind}`))
  const units = [
    'strongroom.service',
    'strongroom-keeper.service',
    'strongroom-keeper.socket',
    'strongroom-keeper-operator.socket',
    'strongroom-token@1.service',
    'strongroom-token@1.socket',
    'strongroom-backup.service',
    'strongroom-backup.timer',
  ].map((unit) => join(folder, unit))
  const complaints = () =>
    spawnSync('systemd-analyze', ['verify', ...units], { encoding: 'utf8' })
      .stderr.split('\n')
      .filter((line) => line.includes('strongroom'))
  expect(complaints()).toEqual([])
  for (const [unit, dropIn] of [
    ['strongroom', 'encrypted-tls-key.conf'],
    ['strongroom-keeper', 'encrypted-pin.conf'],
    ['strongroom-token@1', 'encrypted-pin.conf'],
  ] as const)
    cpSync(join(root, 'systemd', dropIn), join(folder, `${unit}.service.d`, dropIn), { recursive: true })
  expect(complaints()).toEqual([])
  // Proves that the drop-ins are read.
  appendFileSync(join(folder, 'strongroom.service.d/encrypted-tls-key.conf'), 'LoadCredentialEncryptd=typo\n')
  expect(complaints()).toEqual([expect.stringContaining('LoadCredentialEncryptd')])
  execFileSync('systemd-sysusers', ['--dry-run', join(folder, 'strongroom.sysusers')])
  rmSync(folder, { recursive: true })
})

it('no unit that has to change users names one of its own', () => {
  // systemd 254 and later takes CAP_SETUID from a unit that has User= and a filter of system calls.
  const units = readdirSync(join(root, 'systemd')).filter((name) => name.endsWith('.service'))
  const changers = units
    .map((name) => readFileSync(join(root, 'systemd', name), 'utf8'))
    .filter((unit) => /^CapabilityBoundingSet=.*\bCAP_SETUID\b/m.test(unit))
  expect(changers).toHaveLength(1)
  for (const unit of changers) expect(unit).not.toMatch(/^(User|DynamicUser)=/m)
})

it('the help names every exit code', () => {
  for (const code of Object.values(exitCodes)) expect(exitCodeHelp).toMatch(new RegExp(`^  ${code}  \\S`, 'm'))
})
