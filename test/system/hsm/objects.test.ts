import { execFileSync } from 'node:child_process'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Hosts, startHosts } from './hsm-kit.ts'
import { fieldOf, listObjects } from './object-listing.ts'
import { madeObject, madeVaultKey } from '../../support/token-objects.ts'

let hosts: Hosts
let vaultKey: string
let listing: Map<string, string>

const field = (object: string, name: string) => fieldOf(listing.get(object), name)

beforeAll(async () => {
  hosts = await startHosts()
  vaultKey = (await madeVaultKey(hosts)).id
  await madeObject(hosts, 'aes256-ofb')
  await madeObject(hosts, 'ec-p256')
  // The version number of backup keys is the time of their making.
  listing = new Map([...listObjects(hosts.token)].map(([name, text]) => [name.replace(/\.v\d{13}/, '.vN'), text]))
}, 120_000)

afterAll(async () => {
  await hosts.close()
})

const locked = 'always sensitive, local, never extractable, sensitive'

describe('the objects of the token, as OpenSC sees them', () => {
  it('are these and no others', () => {
    expect([...listing.keys()].toSorted()).toEqual([
      'strongroom.audit.v1, Private Key',
      'strongroom.audit.v1, Public Key',
      'strongroom.backup-seal.vN, Secret Key',
      'strongroom.kek.backup-exportable.vN, Secret Key',
      'strongroom.kek.backup.vN, Secret Key',
      'strongroom.kek.exportable.v1, Secret Key',
      'strongroom.kek.strict.v1, Secret Key',
      'strongroom.pepper.v1, Secret Key',
      'strongroom.resident, Private Key',
      'strongroom.resident, Secret Key',
      'strongroom.seal.v1, Secret Key',
      'strongroom.vault, Secret Key',
    ])
  })

  for (const [label, usage, kind] of [
    ['strongroom.kek.strict.v1', 'unwrap, wrap', 'AES length 32'],
    ['strongroom.kek.exportable.v1', 'unwrap, wrap', 'AES length 32'],
    // OpenSC prints no "sign" for secret keys: "none" means that they have no other use.
    ['strongroom.seal.v1', 'none', 'Generic secret length 32'],
    ['strongroom.pepper.v1', 'none', 'Generic secret length 32'],
    ['strongroom.vault', 'decrypt, encrypt', 'AES length 32'],
    // An OFB key, which only encrypts.
    ['strongroom.resident', 'encrypt', 'AES length 32'],
  ] as const) {
    it(`hold ${label}: ${kind}, ${usage}, locked in`, () => {
      const object = `${label}, Secret Key`
      expect(listing.get(object)?.split('\n')[0]).toContain(kind)
      expect(field(object, 'Usage')).toBe(usage)
      expect(field(object, 'Access')).toBe(locked)
    })
  }

  for (const [label, usage] of [
    ['strongroom.kek.backup.vN', 'unwrap, wrap'],
    ['strongroom.kek.backup-exportable.vN', 'unwrap, wrap'],
    ['strongroom.backup-seal.vN', 'none'],
  ] as const) {
    it(`hold ${label}: ${usage}, for trusted keys alone to wrap`, () => {
      const object = `${label}, Secret Key`
      expect(field(object, 'Usage')).toBe(usage)
      expect(field(object, 'Access')).toBe('always sensitive, extractable, local, sensitive')
    })
  }

  for (const [label, usage] of [
    ['strongroom.audit.v1', 'sign'],
    ['strongroom.resident', 'sign'],
  ] as const) {
    it(`hold the private ${label}: ${usage}, locked in`, () => {
      expect(field(`${label}, Private Key`, 'Usage')).toBe(usage)
      expect(field(`${label}, Private Key`, 'Access')).toBe(locked)
    })
  }

  it('name a vault key by the id that was given out', () => {
    expect(field('strongroom.vault, Secret Key', 'ID')).toBe(vaultKey)
  })

  it('can be seen without login only as public keys', () => {
    const { module, softhsmConf } = hosts.token
    const printed = execFileSync('pkcs11-tool', ['--module', module, '--token-label', 'strongroom', '--list-objects'], {
      encoding: 'utf8',
      env: { ...process.env, SOFTHSM2_CONF: softhsmConf },
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    expect(printed.match(/^\S.* Object/gm)).toHaveLength(1)
    expect(printed).not.toMatch(/Secret Key|Private Key/)
  })
})
