import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { makePki } from '../../support/pki.ts'

const product = join(import.meta.dirname, '../../../dist/bin/strongroom.js')

/** Whether the tests can run as another user, who can execute the program. */
const mayBeNobody =
  process.getuid?.() === 0 &&
  spawnSync('setpriv', ['--reuid', 'nobody', '--clear-groups', 'test', '-r', product]).status === 0

function asNobody(configFile: string, ...args: string[]) {
  const command = ['--reuid', 'nobody', '--clear-groups', process.execPath, product, '--config', configFile, ...args]
  return spawnSync('setpriv', command, { encoding: 'utf8' })
}

/** The configuration is readable by everybody, as `scripts/setup` leaves it. The files that it names are not. */
function givenInstallation(): string {
  const folder = mkdtempSync('/var/tmp/strongroom-closed-')
  onTestFinished(() => rmSync(folder, { recursive: true }))
  chmodSync(folder, 0o755)
  const pki = makePki(join(folder, 'tls'))
  mkdirSync(join(folder, 'data'), { mode: 0o700 })
  writeFileSync(join(folder, 'data/strongroom.db'), '')
  const configFile = join(folder, 'strongroom.json')
  const hsm = { module: '/none', token: 'pkcs11:token=x', pinFile: 'data/pin', sockets: ['data/1.sock'] }
  const tls = { certificate: pki.certificate, key: pki.key }
  const config = { tls, hsm, store: { sqlite: 'data/strongroom.db' }, audit: { directory: 'data/audit' } }
  writeFileSync(configFile, JSON.stringify(config), { mode: 0o644 })
  return configFile
}

describe.skipIf(!mayBeNobody)('a user whom the folders do not let in (needs root)', () => {
  it('is told so, and whom to run the command as; not to make what is there', () => {
    const { status, stderr } = asNobody(givenInstallation(), 'user', 'list')
    expect(status).toBe(4)
    expect(stderr).toMatch(/strongroom\.db \(store\.sqlite\) cannot be reached by user nobody: \S+data belongs to root/)
    expect(stderr).toContain('Run this as root (sudo strongroom …)')
    expect(stderr).not.toContain('strongroom init')
  })

  it('hears the same of doctor', () => {
    const { status, stdout } = asNobody(givenInstallation(), 'doctor')
    expect(status).toBe(1)
    expect(stdout.replaceAll(/\s+/g, ' ')).toMatch(/database \S+ \(store\.sqlite\) cannot be reached by user nobody/)
    expect(stdout).not.toContain('strongroom init')
  })
})
