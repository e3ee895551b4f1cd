import { generateKeyPairSync } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { recognise } from '../../../src/features/files/recognition.ts'
import { keyKinds, makeCertificate, makeSamples, type Samples } from '../../support/file-samples.ts'

const [pkcs12, privateKey, sshKey, pgp, plainFile] = [33, 34, 35, 36, 3]
let samples: Samples

beforeAll(() => {
  samples = makeSamples()
  for (const [name, kind] of Object.entries(keyKinds)) makeCertificate(samples, name, kind)
})
afterAll(() => samples.cleanup())

const seen = (sample: Buffer | string) => recognise(Buffer.from(sample), true)
const known = (name: string) => seen(samples.read(name))
const head = (name: string) => seen(samples.read(name).subarray(0, 64))

const algorithms: Readonly<Record<string, readonly [algorithm: string, bits?: string]>> = {
  'rsa-2048': ['RSA'],
  'rsa-1028': ['RSA'],
  'rsa-pss': ['RSA-PSS'],
  'ec-p256': ['EC'],
  'ec-p384': ['EC'],
  'ec-p521': ['EC'],
  'ec-k256': ['EC'],
  ed25519: ['Ed25519', '256'],
  ed448: ['Ed448', '456'],
}

/** As openssl prints it. */
function expected(name: string) {
  const [algorithm, bits] = algorithms[name] ?? ['']
  const printed = /\((\d+) bit/.exec(samples.openssl('pkey', '-in', `${name}.key`, '-noout', '-text'))?.[1]
  return { templateId: privateKey, values: { algorithm, keylength: printed ?? bits } }
}

describe('a private key', () => {
  it.each(Object.keys(keyKinds))('of %s as PKCS#8 is known with its length, whole or by its head', (name) => {
    samples.openssl('pkey', '-in', `${name}.key`, '-outform', 'DER', '-out', 'key.der')
    expect(known(`${name}.key`)).toEqual(expected(name))
    expect(known('key.der')).toEqual(expected(name))
    expect(head('key.der')).toMatchObject({ templateId: privateKey, values: { algorithm: algorithms[name]?.[0] } })
    expect(head(`${name}.key`).templateId).toBe(privateKey)
  })

  it.each(['rsa-2048', 'ec-p256'])('of %s, encrypted, tells nothing but that it is one', (name) => {
    const encrypted = { templateId: privateKey, values: { algorithm: '', keylength: '' } }
    for (const cipher of [
      ['-v2', 'aes-256-cbc'],
      ['-v2', 'aes-128-cbc', '-scrypt'],
      ['-v1', 'PBE-SHA1-3DES'],
    ])
      for (const form of ['PEM', 'DER']) {
        const args = ['pkcs8', '-topk8', '-in', `${name}.key`, ...cipher, '-passout', 'pass:x', '-outform', form]
        samples.openssl(...args, '-out', 'encrypted')
        expect([known('encrypted'), head('encrypted').templateId]).toEqual([encrypted, privateKey])
      }
  })

  it.each(['rsa-2048', 'rsa-1028', 'ec-p256', 'ec-p521'])('of %s in its traditional form', (name) => {
    const tool = name.startsWith('rsa') ? 'rsa' : 'ec'
    const traditional = tool === 'rsa' ? ['-traditional'] : []
    samples.openssl(tool, '-in', `${name}.key`, ...traditional, '-out', 'old.pem')
    samples.openssl(tool, '-in', `${name}.key`, ...traditional, '-outform', 'DER', '-out', 'old.der')
    expect([known('old.pem'), known('old.der')]).toEqual([expected(name), expected(name)])
    expect(head('old.der').templateId).toBe(privateKey)
    samples.openssl(tool, '-in', `${name}.key`, ...traditional, '-aes128', '-passout', 'pass:x', '-out', 'old.pem')
    expect(samples.read('old.pem').toString()).toContain('Proc-Type: 4,ENCRYPTED')
    expect(known('old.pem')).toEqual({ templateId: privateKey, values: { algorithm: tool.toUpperCase() } })
  })

  it('of an EC key behind its curve, as openssl writes it', () => {
    samples.openssl('ecparam', '-name', 'secp384r1', '-genkey', '-out', 'param.pem')
    expect(samples.read('param.pem').toString()).toContain('BEGIN EC PARAMETERS')
    expect(known('param.pem')).toEqual(expected('ec-p384'))
  })

  it('of DSA is not taken for RSA', () => {
    samples.openssl('dsaparam', '-genkey', '-out', 'dsa.key', '1024')
    samples.openssl('dsa', '-in', 'dsa.key', '-outform', 'DER', '-out', 'dsa.der')
    const dsa = { templateId: privateKey, values: { algorithm: 'DSA', keylength: '1024' } }
    expect(known('dsa.der')).toEqual(dsa)
  })

  it('never gives away a part of itself', () => {
    for (const name of Object.keys(keyKinds)) {
      const text = JSON.stringify(known(`${name}.key`))
      expect(text.length).toBeLessThan(90)
    }
  })
})

describe('a PKCS#12', () => {
  it('is known without its password, whole or by its head', () => {
    for (const more of [[], ['-legacy'], ['-nomac']]) {
      samples.openssl(
        'pkcs12',
        '-export',
        '-in',
        'rsa-2048.pem',
        '-inkey',
        'rsa-2048.key',
        '-passout',
        'pass:x',
        ...more,
        '-out',
        'a.p12',
      )
      expect([known('a.p12'), head('a.p12')]).toEqual([
        { templateId: pkcs12, values: {} },
        { templateId: pkcs12, values: {} },
      ])
    }
  })

  it('of indefinite length, as some Java tools write it, is known too', () => {
    expect(seen(Buffer.from('3080020103308006092a864886f70d010701a080', 'hex')).templateId).toBe(pkcs12)
  })
})

describe('an SSH key', () => {
  const kinds = [
    ['rsa', '2048'],
    ['ecdsa', '256'],
    ['ed25519', '256'],
  ] as const
  it.each(kinds)('of %s is known with what ssh-keygen prints of it', (type, bits) => {
    for (const phrase of ['', 'secret']) {
      const name = `ssh-${type}-${phrase}`
      samples.run('ssh-keygen', '-q', '-t', type, '-b', bits, '-N', phrase, '-C', 'alice ü@example.test', '-f', name)
      const [, fingerprint] = samples.run('ssh-keygen', '-lf', `${name}.pub`).split(' ')
      const [algorithm] = samples.read(`${name}.pub`).toString().split(' ')
      expect(known(`${name}.pub`)).toEqual({
        templateId: sshKey,
        values: { algorithm, fingerprint, comment: 'alice ü@example.test' },
      })
      expect(known(name)).toEqual({ templateId: sshKey, values: { algorithm, fingerprint, comment: '' } })
      expect([head(name).templateId, head(`${name}.pub`).templateId]).toEqual([sshKey, sshKey])
    }
  })

  it('in PEM is a private key, in the forms of RFC 4716 and PuTTY an SSH key', () => {
    samples.run('ssh-keygen', '-q', '-t', 'rsa', '-b', '2048', '-m', 'PEM', '-N', '', '-f', 'pem')
    expect(known('pem')).toMatchObject({ templateId: privateKey, values: { algorithm: 'RSA', keylength: '2048' } })
    expect(seen(samples.run('ssh-keygen', '-ef', 'pem.pub')).templateId).toBe(sshKey)
    const putty = 'PuTTY-User-Key-File-3: ssh-ed25519\r\nEncryption: none\r\n'
    expect(seen(putty)).toMatchObject({ templateId: sshKey, values: { algorithm: 'ssh-ed25519' } })
  })

  it('cut off names no fingerprint, which would be another key’s', () => {
    const line = samples.read('ssh-rsa-.pub')
    expect(seen(line.subarray(0, 67)).values).toMatchObject({ algorithm: 'ssh-rsa', fingerprint: '' })
    for (let length = 40; length < 380; length++)
      expect(seen(line.subarray(0, length)).values['fingerprint'], `${length}`).toBe('')
  })
})

describe('OpenPGP', () => {
  beforeAll(() => {
    const user = 'Alice <alice@example.test>'
    samples.run('gpg', '--batch', '--passphrase', '', '--quick-gen-key', user, 'ed25519', 'sign', 'never')
    samples.write('text', 'hello')
    const gpg = (...args: string[]) =>
      samples.run('gpg', '--batch', '--yes', '--passphrase', 'x', '--pinentry-mode', 'loopback', ...args)
    for (const [suffix, armour] of [
      ['asc', ['--armor']],
      ['gpg', []],
    ] as const) {
      gpg(...armour, '-o', `public.${suffix}`, '--export')
      gpg(...armour, '-o', `private.${suffix}`, '--export-secret-keys')
      gpg(...armour, '-o', `symmetric.${suffix}`, '--symmetric', 'text')
      gpg(...armour, '-o', `signature.${suffix}`, '--detach-sign', 'text')
    }
    gpg('-o', 'clear.asc', '--clear-sign', 'text')
  })
  afterAll(() => void samples.run('gpgconf', '--kill', 'all'))

  const files = [
    ['public', 'public key'],
    ['private', 'private key'],
    ['symmetric', 'message'],
    ['signature', 'signature'],
  ] as const
  it.each(files)('file with a %s is known, armoured or not, whole or by its head', (name, content) => {
    for (const suffix of ['asc', 'gpg']) {
      expect(known(`${name}.${suffix}`)).toEqual({ templateId: pgp, values: { content } })
      expect(head(`${name}.${suffix}`)).toEqual({ templateId: pgp, values: { content } })
    }
  })

  it('text that is signed in the open is known, and a large file by its head', () => {
    expect(known('clear.asc')).toEqual({ templateId: pgp, values: { content: 'signed message' } })
    expect(recognise(samples.read('symmetric.gpg'), false).templateId).toBe(pgp)
  })
})

describe('anything else', () => {
  const { publicKey } = generateKeyPairSync('ed25519')
  const nested = (levels: number, tag: number): Buffer => {
    const parts: Buffer[] = []
    let length = 0
    for (let level = 0; level < levels; level++) {
      const header = Buffer.from([tag, 0x84, 0, 0, 0, 0])
      header.writeUInt32BE(length, 2)
      parts.unshift(header)
      length += header.length
    }
    return Buffer.concat(parts)
  }
  const others: readonly (readonly [string, Buffer | string])[] = [
    ['nothing', ''],
    ['a zero byte', '\0'],
    ['text', 'host,username,password\n'],
    ['text that begins with a nought', '0123456789'],
    ['text with umlauts', 'ÄÖÜ é à Ã'],
    ['text about keys', 'the line is -----BEGIN CERTIFICATE----- and ends so'],
    ['a public key', publicKey.export({ type: 'spki', format: 'pem' })],
    ['a public key as DER', publicKey.export({ type: 'spki', format: 'der' })],
    ['a block of unknown label', '-----BEGIN RECIPE-----\nAAAA\n-----END RECIPE-----\n'],
    ['a label of object members', '-----BEGIN CONSTRUCTOR-----\nAAAA\n-----END CONSTRUCTOR-----\n'],
    ['a label of a megabyte', `-----BEGIN ${'A'.repeat(100_000)}-----`],
    ['ten thousand preludes', '-----BEGIN EC PARAMETERS-----\nAAAA\n-----END EC PARAMETERS-----\n'.repeat(1500)],
    ['a ZIP', Buffer.from('504b030414000000080000002100', 'hex')],
    ['a PNG', Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')],
    ['a JPEG', Buffer.from('ffd8ffe000104a46494600010100', 'hex')],
    ['a gzip', Buffer.from('1f8b0800000000000003', 'hex')],
    ['an empty sequence', Buffer.from('3000', 'hex')],
    ['a sequence of half a length', Buffer.from('3084ff', 'hex')],
    ['a sequence of four gigabytes', Buffer.from('3084ffffffff', 'hex')],
    ['a length of 126 bytes', Buffer.from('30fe01', 'hex')],
    ['a length below zero, for those who count in 32 bits', Buffer.from('30843082800000ff02', 'hex')],
    ['sequences in sequences', nested(20_000, 0x30)],
    ['octets in octets', nested(20_000, 0x04)],
    ['sequences without an end', Buffer.alloc(100_000, Buffer.from('3080', 'hex'))],
    [
      'a sequence of forty thousand nulls',
      Buffer.concat([
        Buffer.from('30830138802a', 'hex').subarray(0, 5),
        Buffer.alloc(80_000, Buffer.from('0500', 'hex')),
      ]),
    ],
    ['a PKCS#7', Buffer.from('302306092a864886f70d010702a016', 'hex')],
    [
      'a revocation list',
      Buffer.from('3020301e020101300a06082a8648ce3d0403023000170d3236303130313030303030305a', 'hex'),
    ],
  ]
  it.each(others)('is a plain file: %s', (_what, sample) => {
    expect(seen(sample)).toEqual({ templateId: plainFile, values: {} })
  })

  it('under a label that it does not fit is what the label says, without values', () => {
    for (const hostile of [
      Buffer.alloc(0),
      Buffer.from('3000', 'hex'),
      nested(20_000, 0x30),
      Buffer.alloc(90_000, Buffer.from('3080', 'hex')),
    ]) {
      const labelled = (label: string): string =>
        `-----BEGIN ${label}-----\n${hostile.toString('base64')}\n-----END ${label}-----\n`
      expect(seen(labelled('CERTIFICATE'))).toEqual({ templateId: 31, values: {} })
      expect(seen(labelled('CERTIFICATE REQUEST'))).toEqual({ templateId: 32, values: {} })
      expect(seen(labelled('PRIVATE KEY'))).toEqual({ templateId: privateKey, values: { algorithm: '' } })
      expect(seen(labelled('OPENSSH PRIVATE KEY')).templateId).toBe(sshKey)
    }
  })
})
