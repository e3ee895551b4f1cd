import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { maxSampleBytes, recognise } from '../../../src/features/files/recognition.ts'
import { keyKinds, makeCertificate, makeSamples, type Samples } from '../../support/file-samples.ts'

const [certificate, request, plainFile] = [31, 32, 3]
let samples: Samples

beforeAll(() => {
  samples = makeSamples()
  for (const [name, kind] of Object.entries(keyKinds)) makeCertificate(samples, name, kind, ...extensions)
})
afterAll(() => samples.cleanup())

const alternatives = 'DNS:www.example.test,DNS:example.test,IP:192.0.2.1,email:a@example.test'
const extensions = [
  '-addext',
  `subjectAltName=${alternatives}`,
  '-addext',
  'keyUsage=critical,digitalSignature,keyCertSign,cRLSign',
]

/** What openssl prints of the same file; the judge of every value. */
function judged(name: string): Record<string, string> {
  const print = (...args: string[]): string => samples.openssl('x509', '-noout', '-in', `${name}.pem`, ...args).trim()
  const nameForm = 'sep_comma_plus_space,utf8,esc_2253,esc_ctrl,sname'
  const text = print('-text')
  const time = (line: string): string =>
    new Date(line.replace(/^\w+=/, '')).toISOString().slice(0, 19).replace('T', ' ')
  const field = (pattern: RegExp): string => pattern.exec(text)?.[1]?.trim() ?? ''
  const [algorithm = '', fixedBits = ''] = words[field(/Public Key Algorithm: (.*)/)] ?? []
  return {
    cn: /CN=([^,]*)$/.exec(print('-subject', '-nameopt', nameForm))?.[1] ?? '',
    issuer: print('-issuer', '-nameopt', nameForm).replace('issuer=', ''),
    validfrom: time(print('-startdate')),
    validto: time(print('-enddate')),
    algorithm,
    keylength: field(/Public-Key: \((\d+) bit\)/) || fixedBits,
    keyusage: field(/X509v3 Key Usage: .*\n(.*)/),
    altnamedns: field(/X509v3 Subject Alternative Name:.*\n(.*)/)
      .split(', ')
      .flatMap((name) => (name.startsWith('DNS:') ? [name.slice(4)] : []))
      .join(', '),
  }
}

/** Key algorithms by the names that openssl has for them; the length of a key that has but one is not printed. */
const words: Readonly<Record<string, readonly string[]>> = {
  rsaEncryption: ['RSA'],
  rsassaPss: ['RSA-PSS'],
  'id-ecPublicKey': ['EC'],
  ED25519: ['Ed25519', '256'],
  ED448: ['Ed448', '456'],
}

const seen = (sample: Buffer) => recognise(sample, true)
const readAs = (name: string) => ({ templateId: certificate, values: judged(name) })

describe('a certificate', () => {
  it.each(Object.keys(keyKinds))('with a key of %s says what openssl prints', (name) => {
    expect(judged(name)).toMatchObject({ cn: 'www.example.test', altnamedns: 'www.example.test, example.test' })
    expect(seen(samples.read(`${name}.pem`))).toEqual(readAs(name))
  })

  const forms: readonly (readonly [string, (pem: string) => string | Buffer])[] = [
    ['with text before it', (pem) => `${samples.openssl('x509', '-in', 'ec-p256.pem', '-text', '-noout')}${pem}`],
    ['first of a bundle', (pem) => `${pem}${samples.read('rsa-2048.pem').toString()}`],
    ['followed by its key', (pem) => `${pem}${samples.read('ec-p256.key').toString()}`],
    ['with line ends of Windows', (pem) => pem.replaceAll('\n', '\r\n')],
    ['behind a byte order mark', (pem) => `\u{feff}${pem}`],
    ['with blanks at the ends of lines', (pem) => pem.replaceAll('\n', '  \n')],
    ['on one line', (pem) => pem.replaceAll('\n', '').replace('E-----', 'E-----\n').replace('-----END', '\n-----END')],
    ['without its last line', (pem) => pem.replace(/-----END.*\n/, '')],
    ['under its old label', (pem) => pem.replaceAll('CERTIFICATE', 'X509 CERTIFICATE')],
    ['as DER', () => der('ec-p256')],
  ]
  it.each(forms)('is known %s', (_what, form) => {
    expect(seen(Buffer.from(form(samples.read('ec-p256.pem').toString())))).toEqual(readAs('ec-p256'))
  })

  const der = (name: string): Buffer => {
    samples.openssl('x509', '-in', `${name}.pem`, '-outform', 'DER', '-out', `${name}.der`)
    return samples.read(`${name}.der`)
  }

  it.each(['rsa-2048', 'rsa-pss', 'ec-p256', 'ed25519'])(
    'of %s is known by its first 64 bytes, with empty fields',
    (name) => {
      for (const whole of [samples.read(`${name}.pem`), der(name)])
        expect(seen(whole.subarray(0, 64))).toEqual({ templateId: certificate, values: {} })
    },
  )

  it('is known wherever it is cut off', () => {
    const [pem, whole] = [samples.read('ec-p256.pem'), der('ec-p256')]
    for (let length = 28; length < pem.length; length++)
      expect(seen(pem.subarray(0, length)).templateId, `PEM of ${length}`).toBe(certificate)
    for (let length = 20; length < whole.length; length++)
      expect(seen(whole.subarray(0, length)).templateId, `DER of ${length}`).toBe(certificate)
  })

  it('with damaged content is one all the same', () => {
    const whole = der('ec-p256')
    for (let at = 40; at < whole.length; at += 3) {
      const damaged = Buffer.from(whole)
      damaged[at] = (damaged[at] ?? 0) ^ 0xff
      expect(seen(damaged).templateId, `byte ${at}`).toBe(certificate)
    }
  })

  it('of the first version is known by all of it', () => {
    samples.openssl('req', '-new', '-key', 'ec-p256.key', '-subj', '/CN=old.example.test', '-out', 'v1.csr')
    samples.openssl('x509', '-req', '-in', 'v1.csr', '-signkey', 'ec-p256.key', '-days', '5', '-out', 'v1.pem')
    expect(samples.openssl('x509', '-in', 'v1.pem', '-noout', '-text')).toContain('Version: 1')
    expect(seen(der('v1'))).toEqual(readAs('v1'))
  })

  const names: readonly (readonly [string, string, string])[] = [
    ['what looks like another field', '/O=x\\, CN=admin/CN=user', 'user'],
    ['a line end', '/CN=user\nCN=admin', 'user\\0ACN=admin'],
    ['a NUL-like escape', '/CN=user\u0001', 'user\\01'],
    ['several common names', '/CN=one/OU=x/CN=two', 'one, two'],
    ['four-byte characters', '/CN=\u{1f511}', '\u{1f511}'],
    ['no common name', '/O=nobody', ''],
    ['nothing at all', '/', ''],
    ['two values in one part', '/CN=one+OU=unit', 'one'],
    ['quotes, blanks and hashes', '/O= "a"<b>;c\\\\ /OU=#1/CN=x', 'x'],
  ]
  it.each(names)('whose name holds %s', (_what, subj, cn) => {
    makeCertificate(samples, 'named', ['-newkey', 'ed25519'], '-multivalue-rdn', '-subj', subj)
    const { values } = seen(samples.read('named.pem'))
    expect(values).toEqual({ ...judged('named'), cn })
    for (const value of Object.values(values)) expect(value).not.toMatch(/\p{Cc}/u)
  })

  it('with a thousand alternative names tells them all', () => {
    const dns = Array.from({ length: 1000 }, (_, at) => `host-${at}.example.test`)
    samples.write(
      'many.cnf',
      `[req]\ndistinguished_name=n\n[n]\n[e]\nsubjectAltName=@a\n[a]\n${dns.map((name, at) => `DNS.${at}=${name}`).join('\n')}\n`,
    )
    makeCertificate(samples, 'many', ['-newkey', 'ed25519'], '-config', 'many.cnf', '-extensions', 'e')
    expect(seen(samples.read('many.pem')).values['altnamedns']).toBe(dns.join(', '))
  })

  it('larger than what is looked at is a plain file', () => {
    const large = Buffer.concat([samples.read('ec-p256.pem'), Buffer.alloc(maxSampleBytes)])
    expect(recognise(large.subarray(0, maxSampleBytes), false)).toEqual({ templateId: plainFile, values: {} })
  })
})

describe('a certificate request', () => {
  it.each(['rsa-2048', 'rsa-pss', 'ec-p384', 'ed25519'])(
    'with a key of %s tells what its certificate would',
    (name) => {
      const args = [
        '-key',
        `${name}.key`,
        '-utf8',
        '-subj',
        '/CN=www.example.test',
        '-addext',
        `subjectAltName=${alternatives}`,
      ]
      samples.openssl('req', '-new', ...args, '-out', 'a.csr')
      samples.openssl('req', '-new', ...args, '-outform', 'DER', '-out', 'a.csr.der')
      const { cn, algorithm, keylength, altnamedns } = judged(name)
      const expected = { templateId: request, values: { cn, algorithm, keylength, altnamedns } }
      expect(seen(samples.read('a.csr'))).toEqual(expected)
      expect(seen(samples.read('a.csr.der'))).toEqual(expected)
      for (const whole of ['a.csr', 'a.csr.der'])
        expect(seen(samples.read(whole).subarray(0, 64))).toEqual({ templateId: request, values: {} })
      const old = samples.read('a.csr').toString().replaceAll('CERTIFICATE', 'NEW CERTIFICATE')
      expect(seen(Buffer.from(old))).toEqual(expected)
    },
  )

  it('without a name is one', () => {
    samples.openssl('req', '-new', '-key', 'ed25519.key', '-subj', '/', '-outform', 'DER', '-out', 'none.der')
    expect(seen(samples.read('none.der'))).toMatchObject({ templateId: request, values: { cn: '', altnamedns: '' } })
  })
})
