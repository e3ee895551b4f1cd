import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { loadConfig } from '../../../src/config/loader.ts'

let folder: string

beforeAll(() => void (folder = mkdtempSync(join(tmpdir(), 'strongroom-certificate-'))))

const inFolder = (name: string): string => join(folder, name)
const files = () => ['ca.key', 'ca.pem', 'server.key', 'server.pem'].map(inFolder)

const make = (...args: string[]) => spawnSync('scripts/make-certificate', args, { encoding: 'utf8' })

const namesOf = (certificate: string): string =>
  spawnSync('openssl', ['x509', '-in', certificate, '-noout', '-ext', 'subjectAltName'], { encoding: 'utf8' }).stdout

describe('scripts/make-certificate', () => {
  it('makes a CA, and a certificate for the names and addresses that it is given', () => {
    expect(make(...files(), 'vault.example.org', '192.0.2.17', '2001:db8::17').status).toBe(0)
    const [, ca = '', , certificate = ''] = files()
    for (const name of ['DNS:localhost', 'IP Address:127.0.0.1', 'DNS:vault.example.org', 'IP Address:192.0.2.17'])
      expect(namesOf(certificate)).toContain(name)
    expect(namesOf(certificate)).toContain('IP Address:2001:DB8:0:0:0:0:0:17')
    for (const check of [
      ['-verify_hostname', 'vault.example.org'],
      ['-verify_ip', '2001:db8::17'],
    ])
      expect(spawnSync('openssl', ['verify', '-CAfile', ca, ...check, certificate]).status).toBe(0)
    const stranger = spawnSync('openssl', ['verify', '-CAfile', ca, '-verify_ip', '192.0.2.18', certificate])
    expect(stranger.status).not.toBe(0)
  })

  it('keeps what exists', () => {
    const before = files().map((file) => readFileSync(file, 'utf8'))
    expect(make(...files(), 'other.example.org').status).toBe(0)
    expect(files().map((file) => readFileSync(file, 'utf8'))).toEqual(before)
  })

  it('makes another certificate of the key that is there, which a reload takes up', () => {
    const [, , key = '', certificate = ''] = files()
    const before = readFileSync(key, 'utf8')
    rmSync(certificate)
    expect(make(...files(), 'other.example.org').status).toBe(0)
    expect(namesOf(certificate)).toContain('DNS:other.example.org')
    expect(readFileSync(key, 'utf8')).toBe(before)
    const publicKey = (...args: string[]) => spawnSync('openssl', [...args, '-noout', '-pubkey'], { encoding: 'utf8' })
    const ofKey = spawnSync('openssl', ['pkey', '-in', key, '-pubout'], { encoding: 'utf8' })
    expect(publicKey('x509', '-in', certificate).stdout).toBe(ofKey.stdout)
  })

  it('leaves no empty file where there is no room, so that the next run makes what is missing', () => {
    const own = files().map((file) => `${file}.own`)
    const [, ca = '', key = '', certificate = ''] = own
    // A file that this process may not let grow is as one on a full disk; openssl reports neither.
    const limited = () =>
      spawnSync('bash', ['-c', `trap '' XFSZ; ulimit -f 0; "$0" "$@"`, 'scripts/make-certificate', ...own])
    for (const missing of [own, [ca, key, certificate], [certificate]]) {
      for (const file of missing) rmSync(file, { force: true })
      expect(limited().status).toBe(1)
      expect(missing.filter((file) => existsSync(file))).toEqual([])
      expect(make(...own)).toMatchObject({ status: 0 })
      expect(spawnSync('openssl', ['verify', '-CAfile', ca, certificate]).status).toBe(0)
    }
  })

  it('says how it is used', () => {
    expect(make('--help')).toMatchObject({ status: 0, stdout: expect.stringContaining('Example') })
    expect(make('one')).toMatchObject({ status: 2, stderr: expect.stringContaining('Usage') })
  })
})

it('the settings for published clients are settings', () => {
  const [, settings = ''] = /```json\n(.*?)```/s.exec(readFileSync('docs/clients.md', 'utf8')) ?? []
  const file = inFolder('strongroom.json')
  const example = JSON.parse(readFileSync('config/strongroom.example.json', 'utf8')) as Record<string, object>
  const given = JSON.parse(settings) as Record<string, object>
  writeFileSync(file, JSON.stringify({ ...example, ...given, http: { ...example['http'], ...given['http'] } }))
  const { http, smartcard } = loadConfig(file)
  expect([http.port, http.acceptChunked, smartcard?.port]).toEqual([443, true, 8443])
})
