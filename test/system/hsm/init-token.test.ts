import { execFile, execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { beforeEach, describe, expect, it } from 'vitest'

const script = resolve(import.meta.dirname, '../../../softhsm/init-token')
let directory: string

const run = (...more: string[]) =>
  execFileSync(script, ['--directory', directory, '--label', 'strongroom', ...more], { encoding: 'utf8' })

const snapshot = () =>
  readdirSync(directory, { recursive: true, encoding: 'utf8', withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== '.lock')
    .map((entry) => [entry.name, readFileSync(join(entry.parentPath, entry.name), 'hex')])

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'strongroom-init-'))
})

describe('softhsm/init-token', () => {
  it('makes a token that its PIN opens, and changes nothing when run again', () => {
    const printed = run()
    expect(printed).toContain('made')
    const before = snapshot()
    expect(JSON.parse(run('--json'))).toMatchObject({ state: 'present', label: 'strongroom' })
    expect(snapshot()).toEqual(before)

    const pin = readFileSync(join(directory, 'pin'), 'utf8')
    const [, soPin = ''] = /SO PIN +(\S+)/.exec(printed) ?? []
    expect(pin).toMatch(/^[A-Za-z0-9]{24}$/)
    expect(soPin).not.toBe(pin)
    expect(soPin).toMatch(/^[A-Za-z0-9]{24}$/)
    expect(readdirSync(directory)).not.toContain('so-pin')
    expect(statSync(join(directory, 'pin')).mode & 0o777).toBe(0o400)
    const module = /"module":"([^"]+)"/.exec(run('--json'))?.[1] ?? ''
    const tool = (...login: string[]) =>
      execFileSync('pkcs11-tool', ['--module', module, '--token-label', 'strongroom', ...login], {
        env: { ...process.env, SOFTHSM2_CONF: join(directory, 'softhsm2.conf') },
        stdio: 'pipe',
      })
    tool('--login', '--pin', pin, '--list-objects')
    expect(() => tool('--login', '--pin', soPin, '--list-objects')).toThrow('CKR_PIN_INCORRECT')
    tool('--login', '--login-type', 'so', '--so-pin', soPin, '--init-pin', '--new-pin', 'another PIN')
    tool('--login', '--pin', 'another PIN', '--list-objects')
  })

  it('keeps the SO PIN where a trial asks for it', () => {
    const { soPin } = JSON.parse(run('--json', '--keep-so-pin')) as { soPin: string }
    expect(readFileSync(join(directory, 'so-pin'), 'utf8')).toBe(soPin)
    expect(statSync(join(directory, 'so-pin')).mode & 0o777).toBe(0o400)
    expect(run('--json')).not.toContain(soPin)
  })

  it('keeps the SO PIN of the token also after a run that ended before it made one', () => {
    const bin = join(directory, 'bin')
    mkdirSync(bin)
    writeFileSync(join(bin, 'script'), '#!/bin/sh\nexit 1\n', { mode: 0o755 })
    const args = ['--directory', directory, '--label', 'strongroom', '--json', '--keep-so-pin']
    const env = { ...process.env, PATH: `${bin}:${process.env['PATH']}` }
    expect(() => execFileSync(script, args, { env, stdio: 'pipe' })).toThrow('Command failed')
    const { state, soPin } = JSON.parse(run('--json', '--keep-so-pin')) as { state: string; soPin: string }
    expect([state, readFileSync(join(directory, 'so-pin'), 'utf8')]).toEqual(['made', soPin])
  })

  it('makes one token when run twice at once', async () => {
    const both = Array.from({ length: 2 }, () =>
      promisify(execFile)(script, ['--directory', directory, '--label', 'strongroom', '--json']),
    )
    const states = (await Promise.all(both)).map(({ stdout }) => /"state":"(\w+)"/.exec(stdout)?.[1])
    expect(new Set(states)).toEqual(new Set(['made', 'present']))
    expect(readdirSync(join(directory, 'tokens'))).toHaveLength(1)
  })

  it('refuses odd labels and says how it is used', () => {
    expect(() => execFileSync(script, ['--directory', directory, '--label', "a'b"], { stdio: 'pipe' })).toThrow(
      'a label has',
    )
    expect(() => execFileSync(script, ['--label', 'x'], { stdio: 'pipe' })).toThrow('Usage')
  })
})
