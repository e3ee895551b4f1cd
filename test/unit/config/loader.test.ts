import { chmodSync, mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { ConfigError, loadConfig, readSecret } from '../../../src/config/loader.ts'

const folder = mkdtempSync(join(tmpdir(), 'strongroom-config-'))
afterEach(() => vi.unstubAllEnvs())

const good = {
  tls: { certificate: 'server.pem', key: '${CREDENTIALS_DIRECTORY}/tls-key' },
  hsm: { module: '/lib/token.so', token: 'pkcs11:token=a', pinFile: 'pin', sockets: ['run/1.sock', '/run/2.sock'] },
  store: { sqlite: 'strongroom.db' },
  audit: { directory: 'audit' },
}

function givenFile(content: unknown, name = 'strongroom.json'): string {
  const file = join(folder, name)
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content), { mode: 0o600 })
  chmodSync(file, 0o600)
  return file
}

function refusalOf(work: () => unknown): string {
  try {
    work()
  } catch (error) {
    if (error instanceof ConfigError) return error.message
    throw error
  }
  throw new Error('nothing was refused')
}
const problemsOf = (content: unknown): string[] =>
  refusalOf(() => loadConfig(givenFile(content)))
    .split('\n  ')
    .slice(1)

describe('a configuration file', () => {
  it('has its paths counted from its own folder, its credentials found, and its defaults filled in', () => {
    vi.stubEnv('CREDENTIALS_DIRECTORY', '/run/credentials/strongroom.service')
    const config = loadConfig(givenFile(good))
    expect(config.tls).toEqual({
      certificate: join(folder, 'server.pem'),
      key: '/run/credentials/strongroom.service/tls-key',
      minVersion: 'TLSv1.2',
    })
    expect(config.hsm.sockets).toEqual([join(folder, 'run/1.sock'), '/run/2.sock'])
    expect(config.hsm.token).toBe('pkcs11:token=a')
    expect(config.store.sqlite).toBe(join(folder, 'strongroom.db'))
    expect(config.http).toMatchObject({ port: 443, acceptChunked: false })
    expect(config.login.argon2.passes).toBe(2)
  })

  it.each([
    ['a misspelt member', { ...good, http: { prot: 1 } }, ['http.prot is not an option; did you mean http.port?']],
    ['other capitals', { ...good, log: { Level: 'info' } }, ['log.Level is not an option; did you mean log.level?']],
    [
      'a member in the wrong place',
      { ...good, acceptChunked: true },
      ['acceptChunked is not an option; did you mean http.acceptChunked?'],
    ],
    ['a misspelt section', { ...good, htpp: {} }, ['htpp is not an option; did you mean http?']],
    [
      'a deep one',
      { ...good, login: { argon2: { pases: 1 } } },
      ['login.argon2.pases is not an option; did you mean login.argon2.passes?'],
    ],
    ['nothing like it', { ...good, wombat: 1 }, ['wombat is not an option']],
    ['an inherited name', { ...good, constructor: 1 }, ['constructor is not an option']],
    ['a wrong type', { ...good, http: { port: '443' } }, ['http.port: expected number, received string']],
    ['a fraction', { ...good, http: { workers: 1.5 } }, ['http.workers: expected int, received number']],
    [
      'room for less than two bodies',
      { ...good, http: { maxBodyBytes: 64 * 1024 * 1024, maxIdentifiedBytes: 64 * 1024 * 1024 } },
      ['http: maxIdentifiedBytes must be at least twice maxBodyBytes'],
    ],
    ['out of range', { ...good, http: { port: 70_000 } }, ['http.port: too big: expected number to be <=65535']],
    [
      'not on the list',
      { ...good, log: { level: 'loud' } },
      [expect.stringMatching(/^log.level: expected one of "fatal"\|"error"/)],
    ],
    ['an empty path', { ...good, audit: { directory: '' } }, [expect.stringMatching(/^audit.directory: too small/)]],
    ['a missing section', { ...good, tls: undefined }, ['tls is missing; it needs certificate, key']],
    ['a missing member', { ...good, tls: { key: 'k' } }, ['tls.certificate is missing']],
    [
      'two stores',
      { ...good, store: { sqlite: 'a', postgresUrlFile: 'b' } },
      ['store: give exactly one of sqlite and postgresUrlFile'],
    ],
    // The socket of the key maker, which lies beside it, has a longer name.
    [
      'a socket with a path that is too long',
      { ...good, hsm: { ...good.hsm, sockets: [`/run/${'x'.repeat(90)}/1.sock`] } },
      [
        expect.stringMatching(
          /^hsm: the path of a socket has 107 bytes at most .* than that of \/run\/x+\/key-maker.sock$/,
        ),
      ],
    ],
    ['no store', { ...good, store: {} }, ['store: give exactly one of sqlite and postgresUrlFile']],
    ['not an object', [], ['the configuration: expected object, received array']],
  ])('is refused for %s', (_name, content, problems) => {
    expect(problemsOf(content)).toEqual(problems)
  })

  it('is refused with all its problems at once', () => {
    const problems = problemsOf({ ...good, http: { prot: 1, port: 'x' }, store: {}, audit: {} })
    expect(problems.map((line) => line.split(/[ :]/)[0])).toEqual([
      'http.port',
      'http.prot',
      'store',
      'audit.directory',
    ])
  })

  it.each([
    ['{\n  "http": {\n    "port": 443,\n  }\n}', 'line 4, column 3'],
    ['{"a": tru}', 'line 1, column 7'],
    ["{'a': 1}", 'line 1, column 2'],
    ['{"a": "b', 'line 1, column 7'],
    ['{"a": 01}', 'line 1, column 7'],
    ['{"a": [1, {"b" 2}]}', 'line 1, column 16'],
    ['{} {}', 'line 1, column 4'],
    ['{"a": 1', 'line 1, column 8'],
    ['', 'line 1, column 1'],
  ])('that is not JSON is refused with the place: %s', (text, place) => {
    expect(refusalOf(() => loadConfig(givenFile(text)))).toMatch(new RegExp(`is not JSON: look at ${place}$`))
  })

  it('that cannot be read is refused with what to do', () => {
    expect(refusalOf(() => loadConfig(join(folder, 'none.json')))).toMatch(
      /none.json does not exist: name another with --config/,
    )
    expect(refusalOf(() => loadConfig(folder))).toMatch(/is a folder, not a file/)
  })
})

describe('a file with a secret', () => {
  it('loses one line end, and no more', () => {
    expect(readSecret(givenFile('1234\n', 'pin'))).toBe('1234')
    expect(readSecret(givenFile('1234\r\n', 'pin'))).toBe('1234')
    expect(readSecret(givenFile(' 12 34 \n\n', 'pin'))).toBe(' 12 34 \n')
  })

  it('is UTF-8, of which a byte order mark is no part, and has an end', () => {
    expect(readSecret(givenFile('\ufeffgrün\n', 'pin'))).toBe('grün')
    const file = givenFile('', 'pin')
    writeFileSync(file, Buffer.from('grün', 'latin1'))
    expect(refusalOf(() => readSecret(file))).toBe(`${file} is not UTF-8: save it as that`)
    expect(refusalOf(() => readSecret('/dev/zero'))).toMatch(/cannot be read: it has more than 16777216 bytes$/)
  })

  it.each(['640', '604', '620', '610'])('is refused with mode %s', (mode) => {
    const file = givenFile('1234', 'pin')
    chmodSync(file, Number.parseInt(mode, 8))
    expect(refusalOf(() => readSecret(file))).toBe(
      `${file} holds a secret, but others may read it (mode 0${mode}): chmod 0600 ${file}`,
    )
  })

  it('may show the group bits of an access-control list when it is a systemd credential', () => {
    const credentials = join(folder, 'credentials')
    mkdirSync(credentials)
    const file = givenFile('1234', 'credentials/pin')
    vi.stubEnv('CREDENTIALS_DIRECTORY', credentials)
    chmodSync(file, 0o440)
    expect(readSecret(file)).toBe('1234')
    chmodSync(file, 0o444)
    expect(refusalOf(() => readSecret(file))).toContain('others may read it')
  })

  it('is refused when it is empty, absent, or a credential outside systemd', () => {
    expect(refusalOf(() => readSecret(givenFile('\n', 'pin')))).toMatch(/is empty/)
    expect(refusalOf(() => readSecret(join(folder, 'none')))).toMatch(/does not exist/)
    const { key } = loadConfig(givenFile(good)).tls
    expect(refusalOf(() => readSecret(key))).toBe(
      '${CREDENTIALS_DIRECTORY}/tls-key is a systemd credential: start this by systemd, or set CREDENTIALS_DIRECTORY',
    )
  })
})
