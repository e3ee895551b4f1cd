import forge from 'node-forge'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createFileOpener } from '../../../src/features/files/protected-file.ts'
import { recognise } from '../../../src/features/files/recognition.ts'
import { makeCertificate, makeSamples, type Samples } from '../../support/file-samples.ts'

const passphrase = 'a pass phrase för €5'
const legacy = ['-provider', 'legacy', '-provider', 'default']
const open = createFileOpener()
let samples: Samples

beforeAll(() => {
  samples = makeSamples()
  for (const [name, kind] of Object.entries({
    rsa: ['-newkey', 'rsa:2048'],
    ec: ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-384'],
    ca: ['-newkey', 'ed25519'],
  }))
    makeCertificate(samples, name, kind, '-addext', 'subjectAltName=DNS:www.example.test')
})
afterAll(() => samples.cleanup())

/** What openssl writes with these options: `bundle.p12`, of one key and its certificate. */
function givenPkcs12(...options: string[]): Buffer {
  const files = ['-inkey', 'rsa.key', '-in', 'rsa.pem', '-out', 'bundle.p12']
  samples.openssl('pkcs12', '-export', ...files, '-passout', `pass:${passphrase}`, ...options)
  return samples.read('bundle.p12')
}

/** What is known of a certificate in the clear, and its fingerprint as openssl prints it. */
function valuesOf(name: string) {
  const printed = samples.openssl('x509', '-in', `${name}.pem`, '-noout', '-fingerprint', '-sha256')
  const fingerprint = printed.trim().split('=')[1]?.replaceAll(':', '').toLowerCase()
  return { ...recognise(samples.read(`${name}.pem`), true).values, fingerprint }
}

const another = { problem: 'The file was not opened: the pass phrase is another, or the file is damaged.' }
const unsupported = { problem: 'The file was not opened: it is encrypted in a way that is not supported.' }

describe('a PKCS#12', () => {
  it.each<readonly [what: string, options: readonly string[]]>([
    ['as OpenSSL 3 writes it (PBES2 with AES-256, MAC with SHA-256)', []],
    ['as OpenSSL 1 wrote it (RC2 and 3DES)', ['-legacy']],
    ['with 3DES', ['-certpbe', 'PBE-SHA1-3DES']],
    ['with RC2 of 128 bits', ['-certpbe', 'PBE-SHA1-RC2-128', ...legacy]],
    ['with AES-128', ['-certpbe', 'AES-128-CBC']],
    ['with 100,000 iterations of PBKDF2', ['-iter', '100000', '-maciter']],
    ['with its certificates in the clear', ['-certpbe', 'NONE']],
    ['without a MAC', ['-nomac']],
    ['with a MAC of SHA-512', ['-macalg', 'sha512']],
  ])('%s is opened with its pass phrase', async (_what, options) => {
    const file = givenPkcs12(...options)
    expect(recognise(file, true)).toEqual({ templateId: 33, values: {} })
    expect(await open(file, passphrase)).toEqual({ values: valuesOf('rsa') })
  })

  it('is not opened while ten others are, and is afterwards', async () => {
    const file = givenPkcs12()
    const problem = 'The file was not opened: too many others are at this moment. Send it again.'
    const answers = await Promise.all(Array.from({ length: 11 }, () => open(file, passphrase)))
    expect(answers).toEqual([...Array.from({ length: 10 }, () => ({ values: valuesOf('rsa') })), { problem }])
    expect(await open(file, passphrase)).toEqual({ values: valuesOf('rsa') })
  })

  it('names the certificate of its key, wherever that stands', async () => {
    samples.write('chain.pem', Buffer.concat([samples.read('ca.pem'), samples.read('ec.pem')]))
    const files = ['-inkey', 'ec.key', '-in', 'chain.pem', '-certfile', 'rsa.pem', '-out', 'chain.p12']
    samples.openssl('pkcs12', '-export', ...files, '-passout', 'pass:x')
    expect(await open(samples.read('chain.p12'), 'x')).toEqual({ values: valuesOf('ec') })
  })

  it('is read in BER too, with strings in pieces', async () => {
    const tree = forge.asn1.fromDer(givenPkcs12().toString('latin1'))
    const octets = at(tree, 1, 1, 0)
    const text = textOf(octets)
    const piece = (value: string) => ({ ...octets, value })
    Object.assign(octets, {
      constructed: true,
      composed: true,
      value: [piece(text.slice(0, 99)), piece(text.slice(99))],
    })
    expect(await open(derOf(tree), passphrase)).toEqual({ values: valuesOf('rsa') })
  })

  it('stays closed for another pass phrase', async () => {
    expect(await open(givenPkcs12(), 'another')).toEqual(another)
    expect(await open(givenPkcs12('-legacy'), 'another')).toEqual(another)
  })

  it('without a certificate says so', async () => {
    const file = givenPkcs12('-nocerts')
    expect(await open(file, passphrase)).toEqual({ problem: 'The file was not opened: it holds no certificate.' })
  })

  it('that was cut off anywhere stays closed', async () => {
    const file = givenPkcs12()
    for (let end = 64; end < file.length; end += 97)
      expect(await open(file.subarray(0, end), passphrase)).toSatisfy(
        (opened: object) => 'problem' in opened || end < 200,
      )
  })
})

type Tree = forge.asn1.Asn1

const textOf = ({ value }: Tree): string => (typeof value === 'string' ? value : expect.fail('no content'))

const derOf = (tree: Tree): Buffer => Buffer.from(forge.asn1.toDer(tree).getBytes(), 'latin1')

function at(tree: Tree, ...path: number[]): Tree {
  return path.reduce((node, index) => (node.value as Tree[])[index] ?? expect.fail('no such element'), tree)
}

/** A PKCS#12 whose parts somebody has changed. */
function withParts(file: Buffer, change: (parts: Tree[]) => Tree[]): Buffer {
  const tree = forge.asn1.fromDer(file.toString('latin1'))
  const octets = at(tree, 1, 1, 0)
  const contents = forge.asn1.fromDer(textOf(octets))
  contents.value = change(contents.value as Tree[])
  octets.value = derOf(contents).toString('latin1')
  return derOf(tree)
}

/** The parameter of its first part that counts iterations, changed. */
const withIterations = (file: Buffer, hex: string): Buffer =>
  withParts(file, (parts) => {
    const algorithm = at(parts[0] ?? expect.fail(), 1, 0, 1, 1)
    const isPbes2 = forge.asn1.derToOid(textOf(at(algorithm, 0))) === '1.2.840.113549.1.5.13'
    const count = isPbes2 ? at(algorithm, 1, 0, 1, 1) : at(algorithm, 1, 1)
    count.value = Buffer.from(hex, 'hex').toString('latin1')
    return parts
  })

/** The milliseconds of CPU time that a call takes, in all threads. */
async function cpuMs(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

describe('a hostile PKCS#12', () => {
  const tooMany = (count: string, most: string) => ({
    problem: `The file was not opened: it asks for ${count} rounds of key derivation, and ${most} are carried out at most.`,
  })

  it.each([
    ['2^31 iterations of PBKDF2', [], '0080000000', tooMany('2147483648', '600000')],
    ['2^31 iterations of PKCS#12', ['-legacy'], '0080000000', tooMany('2147483648', '5000')],
    ['one iteration too many of PBKDF2', [], '0927c1', tooMany('600001', '600000')],
    ['one iteration too many of PKCS#12', ['-legacy'], '1389', tooMany('5001', '5000')],
    ['a number of 100 bytes', [], '7f'.repeat(100), tooMany('Infinity', '600000')],
    ['no iterations', [], '00', another],
    ['a negative number', [], 'ff', another],
  ])('that asks for %s is refused before anything is derived', async (_what, options, hex, expected) => {
    const file = withIterations(givenPkcs12(...options), hex)
    expect(await open(file, passphrase)).toEqual(expected)
    expect(await cpuMs(() => open(file, passphrase))).toBeLessThan(100)
  })

  it('of several parts is judged by the sum of them', async () => {
    const file = withParts(givenPkcs12('-legacy'), ([first, ...rest]) =>
      [first, first, first, ...rest].flatMap((one) => one ?? []),
    )
    expect(await open(file, passphrase)).toEqual(tooMany('6144', '5000'))
  })

  it('of many parts is refused', async () => {
    const file = withParts(givenPkcs12('-certpbe', 'NONE'), ([first]) =>
      Array.from({ length: 9 }, () => first ?? expect.fail()),
    )
    expect(await open(file, passphrase)).toEqual({ problem: 'The file was not opened: it has more than 8 parts.' })
  })

  it('of any other make stays closed at a bounded price', async () => {
    const head = Buffer.from('3080020103308006092a864886f70d010701a0802480', 'hex')
    const hostile: readonly (readonly [string, Buffer])[] = [
      ['nested 15,000 times', Buffer.concat([head, Buffer.alloc(30_000, Buffer.from('3080', 'hex'))])],
      ['of 15,000 empty elements', Buffer.concat([head, Buffer.alloc(30_000, Buffer.from('0400', 'hex'))])],
      ['too large', Buffer.concat([givenPkcs12(), Buffer.alloc(33_000)])],
      ['followed by other bytes', Buffer.concat([givenPkcs12(), Buffer.alloc(1)])],
    ]
    for (const [what, file] of hostile) {
      let opened: object = {}
      expect(await cpuMs(async () => (opened = await open(file, passphrase))), what).toBeLessThan(300)
      expect(opened, what).toHaveProperty('problem')
    }
  })
})

describe('an encrypted private key', () => {
  const rsa = { values: { algorithm: 'RSA', keylength: '2048' } }
  const ec = { values: { algorithm: 'EC', keylength: '384' } }

  it.each<readonly [what: string, command: readonly string[], expected: object]>([
    ['RSA as OpenSSL wrote it, AES-256', ['rsa', '-in', 'rsa.key', '-traditional', '-aes256'], rsa],
    ['RSA as OpenSSL wrote it, AES-128', ['rsa', '-in', 'rsa.key', '-traditional', '-aes128'], rsa],
    ['RSA as OpenSSL wrote it, 3DES', ['rsa', '-in', 'rsa.key', '-traditional', '-des3'], rsa],
    ['RSA as OpenSSL wrote it, DES', ['rsa', '-in', 'rsa.key', '-traditional', '-des', ...legacy], rsa],
    ['EC as OpenSSL wrote it, AES-256', ['ec', '-in', 'ec.key', '-aes256'], ec],
    ['PKCS#8, PBES2', ['pkcs8', '-topk8', '-in', 'rsa.key'], rsa],
    [
      'PKCS#8, PBES2 with SHA-512',
      ['pkcs8', '-topk8', '-in', 'ec.key', '-v2', 'aes-128-cbc', '-v2prf', 'hmacWithSHA512'],
      ec,
    ],
    ['PKCS#8, PBES2 with 3DES', ['pkcs8', '-topk8', '-in', 'ec.key', '-v2', 'des3'], ec],
    ['PKCS#8, 3DES of PKCS#12', ['pkcs8', '-topk8', '-in', 'rsa.key', '-v1', 'PBE-SHA1-3DES'], rsa],
    ['PKCS#8, scrypt', ['pkcs8', '-topk8', '-in', 'rsa.key', '-scrypt'], unsupported],
    ['PKCS#8, MD5 and DES', ['pkcs8', '-topk8', '-in', 'rsa.key', '-v1', 'PBE-MD5-DES', ...legacy], unsupported],
    [
      'PKCS#8 of a million iterations',
      ['pkcs8', '-topk8', '-in', 'rsa.key', '-iter', '1000000'],
      {
        problem:
          'The file was not opened: it asks for 1000000 rounds of key derivation, and 600000 are carried out at most.',
      },
    ],
  ])('%s', async (_what, command, expected) => {
    samples.openssl(...command, '-passout', `pass:${passphrase}`, '-out', 'key.pem')
    const file = samples.read('key.pem')
    expect(recognise(file, true).values['keylength'] ?? '').toBe('')
    expect(await open(file, passphrase)).toEqual(expected)
    if ('values' in expected) expect(await open(file, 'another')).toEqual(another)
  })

  it('in DER is opened too', async () => {
    samples.openssl('pkcs8', '-topk8', '-in', 'ec.key', '-passout', 'pass:x', '-outform', 'DER', '-out', 'key.der')
    expect(await open(samples.read('key.der'), 'x')).toEqual(ec)
  })

  it('that is not encrypted says nothing new', async () => {
    expect(await open(samples.read('rsa.key'), 'x')).toEqual({ values: {} })
  })
})
