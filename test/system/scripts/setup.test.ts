import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const script = resolve(import.meta.dirname, '../../../scripts/setup')
const directory = mkdtempSync(join(tmpdir(), 'strongroom-setup-'))

const setup = (...args: string[]) => spawnSync(script, args, { encoding: 'utf8', timeout: 300_000 })
const inDirectory = (file: string) => join(directory, file)
const text = (file: string) => readFileSync(inDirectory(file), 'utf8')
const openssl = (...args: string[]) => execFileSync('openssl', args, { encoding: 'utf8' })

describe('scripts/setup --demo-dir', () => {
  let first: ReturnType<typeof setup>

  beforeAll(() => {
    first = setup('--demo-dir', directory)
  }, 300_000)
  afterAll(() => {
    setup('--demo-dir', directory, '--stop')
    rmSync(directory, { recursive: true, force: true })
  })

  it('goes from nothing to a decryption of what two versions of a key made', () => {
    expect(first.stderr).toBe('')
    expect(first.status).toBe(0)
    expect(first.stdout).toMatch(/rotate the key +version 2/)
    expect(first.stdout).toMatch(/decrypt +version 1: "Hello from the strongroom\."/)
    expect(first.stdout).toMatch(/decrypt +version 2: "Hello from the strongroom\."/)
    expect(first.stdout).toContain('systemd is not')
    expect(first.stdout).toContain(`${directory}/strongroom doctor`)
  })

  it('says in a sentence what a trial does not keep apart, and doctor calls it a problem', () => {
    expect(first.stdout).toMatch(/a trial +workers, keeper and token hosts run under one user: .* can read the PIN/)
    expect(first.stdout).toMatch(/Doctor +1 problem/)
    expect(text('strongroomd.log').match(/can read the PIN/g)).toHaveLength(1)
  })

  it('keeps secrets to their owner, and shows them once', () => {
    for (const file of ['demo-credentials.json', 'token/pin', 'tls/server.key', 'tls/ca.key'])
      expect({ file, mode: statSync(inDirectory(file)).mode & 0o077 }).toEqual({ file, mode: 0 })
    const { passphrase, applicationKey, totpSecret } = JSON.parse(text('demo-credentials.json'))
    for (const secret of [passphrase, applicationKey, totpSecret]) {
      expect(first.stdout.split(secret)).toHaveLength(2)
      expect(text('strongroomd.log')).not.toContain(secret)
    }
    expect(first.stdout).not.toContain(text('token/pin'))
  })

  it('shows the SO PIN once and keeps it nowhere', () => {
    const [, soPin = ''] = /SO PIN: ([A-Za-z0-9]{24})/.exec(first.stdout) ?? []
    expect(first.stdout.split(soPin)).toHaveLength(2)
    const grep = spawnSync('grep', ['-rlF', soPin, directory], { encoding: 'utf8' })
    expect({ status: grep.status, files: grep.stdout }).toEqual({ status: 1, files: '' })
  })

  it('makes a certificate that its CA signed, for the names of this machine, for no longer than clients accept', () => {
    const certificate = inDirectory('tls/server.pem')
    expect(
      openssl('verify', '-x509_strict', '-purpose', 'sslserver', '-CAfile', inDirectory('tls/ca.pem'), certificate),
    ).toContain('OK')
    const shown = openssl('x509', '-in', certificate, '-noout', '-text')
    for (const name of ['DNS:localhost', 'IP Address:127.0.0.1', 'NIST CURVE: P-256']) expect(shown).toContain(name)
    expect(openssl('x509', '-in', certificate, '-noout', '-checkend', String(820 * 86_400))).toContain(
      'will not expire',
    )
    const late = spawnSync('openssl', ['x509', '-in', certificate, '-noout', '-checkend', String(826 * 86_400)])
    expect(late.status).toBe(1)
  })

  it('changes nothing that exists when it runs again, and reads what the first run made', () => {
    const kept = ['strongroom.json', 'tls/server.pem', 'tls/ca.pem', 'token/pin', 'demo-credentials.json']
    const before = kept.map(text)
    const pid = text('strongroomd.pid')
    const again = setup('--demo-dir', directory)
    expect(again.stderr).toBe('')
    expect(again.status).toBe(0)
    expect(kept.map(text)).toEqual(before)
    expect(text('strongroomd.pid')).toBe(pid)
    expect(again.stdout).toContain('0 root keys made, 8 existed; database existed')
    expect(again.stdout).toMatch(/decrypt what an earlier run made +version 1: "Hello from the strongroom\."/)
    const { passphrase } = JSON.parse(text('demo-credentials.json'))
    expect(again.stdout).not.toContain(passphrase)
    const users = JSON.parse(execFileSync(inDirectory('strongroom'), ['--json', 'user', 'list'], { encoding: 'utf8' }))
    expect(users).toHaveLength(1)
  }, 120_000)

  it('puts a daemon of this build in place of one of another, which does not understand it', () => {
    const pid = text('strongroomd.pid')
    writeFileSync(inDirectory('strongroomd.pid.built-from'), 'another build')
    const upgraded = setup('--demo-dir', directory)
    expect(upgraded).toMatchObject({ status: 0, stderr: '' })
    expect(upgraded.stdout).toContain(`process ${pid.trim()} ended`)
    expect(text('strongroomd.pid')).not.toBe(pid)
  }, 120_000)

  it('restarts the daemon in one command', () => {
    const pid = text('strongroomd.pid')
    const restarted = setup('--demo-dir', directory, '--restart')
    expect(restarted).toMatchObject({ status: 0, stderr: '' })
    expect(restarted.stdout).toContain(`process ${pid.trim()} ended`)
    expect(text('strongroomd.pid')).not.toBe(pid)
    expect(execFileSync(inDirectory('strongroom'), ['user', 'list'], { encoding: 'utf8' })).toContain('admin')
  }, 120_000)

  it('stops the daemon, and says what failed, why, and what to do', () => {
    expect(setup('--demo-dir', directory, '--stop')).toMatchObject({ status: 0, stderr: '' })
    expect(existsSync(inDirectory('strongroomd.pid'))).toBe(false)
    const config = JSON.parse(text('strongroom.json'))
    writeFileSync(
      inDirectory('strongroom.json'),
      JSON.stringify({ ...config, hsm: { ...config.hsm, module: '/nowhere.so' } }),
    )
    const failed = setup('--demo-dir', directory)
    expect(failed.status).toBe(1)
    expect(failed.stderr).toContain('hsm.module /nowhere.so cannot be loaded')
    expect(failed.stderr).toContain('Failed: Root keys and database (exit code 3).')
  })

  it('refuses what it does not understand', () => {
    expect(setup('--frobnicate').status).toBe(2)
    expect(setup('--demo-dir').status).toBe(2)
    expect(setup('--stop').status).toBe(1)
    expect(setup('--restart').status).toBe(1)
    expect(setup('--demo-dir', `/tmp/${'x'.repeat(100)}`)).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('too long'),
    })
  })
})
