import { execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { beforeAll, afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { ownIdentity } from '../../../src/process-identity.ts'
import { type AgePair, givenAgePair, givenFolder, pack, packWith, unpack } from '../../support/backup-kit.ts'
import { addUser, makePremises, type Premises, recorded, strongroom } from '../../support/console-kit.ts'

const root = resolve(import.meta.dirname, '../../..')
let premises: Premises
let pair: AgePair
/** A backup that is made once, with one user. */
let good: string

beforeAll(async () => {
  premises = await makePremises()
  await premises.ask(['init'])
  await addUser(premises, 'alice')
  pair = givenPair()
  good = join(premises.directory, 'good.age')
  await premises.ask(['backup', 'create', good, '--recipient', pair.recipient])
})
afterAll(() => premises.cleanup())

const givenPair = (name = 'backup-identity'): AgePair => givenAgePair(premises.directory, name)
const auditKey = (): string => join(premises.auditDirectory, 'audit-public.pem')
const verify = (file: string, ...more: string[]) =>
  premises.run(['backup', 'verify', file, '--identity', pair.identity, ...more])

describe('a backup', () => {
  it('is decrypted by age and unpacked by tar, to what its manifest lists', () => {
    const folder = givenFolder()
    unpack(good, pair, folder)
    const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'))
    for (const { name, size, sha256 } of manifest.files) {
      const bytes = readFileSync(join(folder, name))
      expect([name, bytes.length, createHash('sha256').update(bytes).digest('hex')]).toEqual([name, size, sha256])
    }
    expect(
      execFileSync('sqlite3', [join(folder, 'database.sqlite'), 'PRAGMA integrity_check'], { encoding: 'utf8' }),
    ).toBe('ok\n')
    expect(manifest.counts).toMatchObject({ users: 1, vaults: 0 })
    expect(readdirSync(folder).toSorted()).toEqual([
      'configuration',
      'database.sqlite',
      'format.json',
      'keeper.sqlite',
      'manifest.json',
      'signature.json',
      'token',
      'trail',
    ])
  })

  it('is signed by the audit key, as OpenSSL finds', () => {
    const folder = givenFolder()
    unpack(good, pair, folder)
    const { text, signature } = JSON.parse(readFileSync(join(folder, 'signature.json'), 'utf8'))
    const hash = createHash('sha256')
      .update(readFileSync(join(folder, 'manifest.json')))
      .digest('hex')
    expect(JSON.parse(text)).toMatchObject({ backup: 1, manifest: hash })
    const [raw, der, signed] = ['raw', 'sig.der', 'text'].map((name) => join(folder, name)) as [string, string, string]
    writeFileSync(signed, text)
    const hex = Buffer.from(signature, 'base64').toString('hex')
    writeFileSync(raw, `asn1=SEQUENCE:s\n[s]\nr=INTEGER:0x${hex.slice(0, 64)}\ns=INTEGER:0x${hex.slice(64)}\n`)
    execFileSync('openssl', ['asn1parse', '-genconf', raw, '-noout', '-out', der])
    const openssl = ['dgst', '-sha256', '-verify', auditKey(), '-signature', der, signed]
    expect(execFileSync('openssl', openssl, { encoding: 'utf8' })).toBe('Verified OK\n')
    expect(recorded(premises)).toContainEqual(['console.backup.create', 'allowed', `${good}, manifest ${hash}`])
  })

  it('holds neither PIN nor private key, and is its owner’s alone', () => {
    const folder = givenFolder()
    unpack(good, pair, folder)
    const pin = readFileSync(premises.token.pinFile, 'utf8').trim()
    const found = execFileSync('sh', ['-c', `grep -rlaE '${pin}|PRIVATE KEY' '${folder}' || true`], {
      encoding: 'utf8',
    })
    expect(found).toBe('')
    expect(statSync(good).mode & 0o777).toBe(0o600)
  })

  it('verifies where there is neither token nor configuration', async () => {
    const { status, stdout } = await premises.run([
      '--config',
      '/nonexistent',
      'backup',
      'verify',
      good,
      '--identity',
      pair.identity,
    ])
    expect(status).toBe(0)
    expect(stdout).toMatch(/^made .* 0 minutes ago, by release \S+ on \S+$/m)
    expect(stdout).toMatch(/^database +sqlite: 1 users, 0 vaults/m)
    expect(stdout).toMatch(/^left out +tls.key, hsm.pinFile$/m)
    expect(stdout).toMatch(/The backup is whole\.\n$/)
    expect((await verify(good, '--public-key', auditKey())).status).toBe(0)
  })

  it('has the token where softhsm2.conf names its folder as SoftHSM2 reads it', async () => {
    const [folder, { token }] = [givenFolder(), premises]
    const softhsmConf = join(folder, 'softhsm2.conf')
    // The last line is used, # begins a comment, and the slash at the end is Debian’s.
    const named = readFileSync(token.softhsmConf, 'utf8').replace(/(tokendir = .*)/, '$1/ # the tokens')
    writeFileSync(softhsmConf, `directories.tokendir = /nonexistent\n${named}`)
    premises.configure({ hsm: { softhsmConf, tokenDirectory: undefined } })
    onTestFinished(() => premises.configure({}))
    const file = join(folder, 'slash.age')
    const { manifest } = await premises.ask(['backup', 'create', file, '--recipient', pair.recipient])
    const names: string[] = manifest.files.map(({ name }: { readonly name: string }) => name)
    const inToken = readdirSync(token.tokenDirectory, { recursive: true, encoding: 'utf8' })
    const objects = inToken.filter((name) => name.endsWith('.object')).map((name) => `token/${name}`)
    expect(names.filter((name) => /^token\/.*\.object$/.test(name)).toSorted()).toEqual(objects.toSorted())
    const restored = ['--public-key', auditKey(), '--pin-file', token.pinFile, '--into', join(folder, 'r')]
    expect(await premises.run(['backup', 'restore', file, '--identity', pair.identity, ...restored])).toMatchObject({
      status: 0,
      stderr: '',
    })
  })

  it('is encrypted to each of its recipients', async () => {
    const [other, file] = [givenPair('second'), join(givenFolder(), 'two.age')]
    await premises.ask(['backup', 'create', file, '--recipient', other.recipient, '--recipient', pair.recipient])
    expect((await verify(file)).status).toBe(0)
    expect((await premises.run(['backup', 'verify', file, '--identity', other.identity])).status).toBe(0)
  })

  it('goes to those of the configuration where none is named, and an identity of ours is one of age', async () => {
    const folder = givenFolder()
    const [identity, file] = [join(folder, 'identity'), join(folder, 'one.age')]
    const { recipient } = await premises.ask(['backup', 'identity', identity])
    expect(execFileSync('age-keygen', ['-y', identity], { encoding: 'utf8' }).trim()).toBe(recipient)
    expect((await premises.run(['backup', 'create', file])).stderr).toMatch(
      /give --recipient, or set backup.recipients/,
    )
    premises.configure({ backup: { recipients: [recipient], directory: folder } })
    onTestFinished(() => premises.configure({}))
    await premises.ask(['backup', 'create', file])
    expect((await premises.run(['backup', 'verify', file, '--identity', identity])).status).toBe(0)
    expect((await premises.run(['backup', 'identity', identity])).stderr).toMatch(/identity exists: name another file/)
  })
})

describe('what cannot be made', () => {
  const create = (file: string, recipient = pair.recipient) =>
    premises.run(['backup', 'create', file, '--recipient', recipient])

  it.each([
    ['a file that exists', () => good, /good\.age exists: name another file/],
    ['a folder that is none', () => join(good, 'x.age'), /The folder of .* is not a folder/],
    ['a folder that is not there', () => join(premises.directory, 'none/x.age'), /The folder of .* does not exist/],
  ])('%s', async (_, file, sentence) => {
    const before = readdirSync(premises.directory)
    const { status, stderr } = await create(file())
    expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringMatching(sentence) as unknown })
    expect(readdirSync(premises.directory)).toEqual(before)
  })

  it('to whom nothing can be encrypted', async () => {
    for (const recipient of [
      'age1abc',
      'ssh-ed25519 AAAA',
      pair.recipient.replace(/.$/, (last) => (last === 'q' ? 'p' : 'q')),
    ])
      expect(await create(join(premises.directory, 'x.age'), recipient)).toMatchObject({
        status: 1,
        stderr: expect.stringContaining(`${recipient} is not a recipient`) as unknown,
      })
  })

  /** A folder for tokens and a softhsm2.conf that names it. */
  function givenTokens(): { readonly tokenDirectory: string; readonly softhsmConf: string } {
    const folder = givenFolder()
    const [tokenDirectory, softhsmConf] = [join(folder, 'tokens'), join(folder, 'softhsm2.conf')]
    mkdirSync(tokenDirectory)
    writeFileSync(softhsmConf, `directories.tokendir = ${tokenDirectory}\n`)
    return { tokenDirectory, softhsmConf }
  }

  it.each<[string, (empty: ReturnType<typeof givenTokens>) => object, RegExp]>([
    ['hsm.tokenDirectory names an empty folder', ({ tokenDirectory }) => ({ tokenDirectory }), /correct hsm.token/],
    ['both settings name an empty folder', (empty) => empty, /is not in .* \(hsm\.tokenDirectory\), so a backup/],
    [
      'softhsm2.conf names an empty folder',
      ({ softhsmConf }) => ({ softhsmConf, tokenDirectory: undefined }),
      /is not in .* \(hsm\.softhsmConf\), so a backup/,
    ],
    [
      'hsm.tokenDirectory names one that is not there',
      ({ tokenDirectory }) => ({ tokenDirectory: `${tokenDirectory}/none`, softhsmConf: undefined }),
      /is not in .* \(hsm\.tokenDirectory\), so a backup/,
    ],
    [
      'hsm.tokenDirectory names an older copy of the token',
      ({ tokenDirectory }) => {
        cpSync(premises.token.tokenDirectory, tokenDirectory, { recursive: true })
        return { tokenDirectory }
      },
      /has SoftHSM2 use the tokens in .*, and not those in .* \(hsm\.tokenDirectory\)/,
    ],
    [
      'hsm.tokenDirectory names the folder of another token',
      (another) => {
        const name = '01234567-89ab-cdef-0123-456789abcdef'
        cpSync(join(premises.token.tokenDirectory, tokenName()), join(another.tokenDirectory, name), {
          recursive: true,
        })
        return another
      },
      /The token .*, serial [0-9a-f]{16}, is not in/,
    ],
  ])('without the token that it says it holds: %s', async (_, settings, sentence) => {
    premises.configure({ hsm: { ...settings(givenTokens()) } })
    onTestFinished(() => premises.configure({}))
    const folder = givenFolder()
    const { status, stderr } = await create(join(folder, 'x.age'))
    expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringMatching(sentence) as unknown })
    expect(readdirSync(folder)).toEqual([])
  })

  const tokenName = (): string =>
    readdirSync(premises.token.tokenDirectory).find((name) => /^[0-9a-f-]{36}$/.test(name)) ?? ''

  it.runIf(process.getuid?.() === 0)('on a disk without room, and leaves nothing there', async () => {
    const folder = givenFolder()
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=16k', 'tmpfs', folder])
    onTestFinished(() => void execFileSync('umount', [folder]))
    const { status, stderr } = await create(join(folder, 'x.age'))
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: expect.stringMatching(/no room left on the disk of/) as unknown,
    })
    expect(readdirSync(folder)).toEqual([])
  })
})

describe('what is no good backup', () => {
  const bad = (name: string): string => join(givenFolder(), name)

  it('one that was cut off, or changed in one bit', async () => {
    const size = statSync(good).size
    const cut = /damaged or cut off/
    for (const bytes of [0, 10, 200, size - 1, size - 5000]) {
      const file = bad('cut.age')
      copyFileSync(good, file)
      truncateSync(file, bytes)
      expect((await verify(file)).stderr).toMatch(cut)
    }
    for (const at of [5, 120, 400, size - 3000, size - 1]) {
      const [file, bytes] = [bad('flipped.age'), readFileSync(good)]
      bytes.writeUInt8(bytes.readUInt8(at) ^ 4, at)
      writeFileSync(file, bytes)
      expect(await verify(file)).toMatchObject({
        status: 1,
        stderr: expect.stringMatching(/damaged|other recipients/) as unknown,
      })
    }
  })

  it('one for another identity, and what is no identity', async () => {
    const other = givenPair('another')
    const run = (identity: string) => premises.run(['backup', 'verify', good, '--identity', identity])
    expect((await run(other.identity)).stderr).toMatch(/encrypted to other recipients/)
    expect((await run(premises.token.pinFile)).stderr).toMatch(/holds no identity of age/)
    expect((await run(join(premises.directory, 'none'))).stderr).toMatch(/does not exist: name another/)
    expect((await verify(join(premises.directory, 'none'))).stderr).toMatch(/does not exist/)
    expect((await verify(premises.directory)).stderr).toMatch(/is a folder/)
  })

  it('one with a file, a manifest or a signer that is not as it was', async () => {
    const altered = async (change: (folder: string) => void): Promise<string> => {
      const [folder, file] = [givenFolder(), bad('altered.age')]
      unpack(good, pair, folder)
      change(folder)
      pack(folder, file, pair)
      return (await verify(file, '--public-key', auditKey())).stderr
    }
    const edit = (name: string, from: string, to: string) => (folder: string) => {
      const path = join(folder, name)
      writeFileSync(path, readFileSync(path, 'latin1').replace(from, to), 'latin1')
    }
    expect(await altered(() => undefined)).toBe('')
    expect(await altered(edit('database.sqlite', 'alice', 'malic'))).toMatch(
      /database.sqlite in the backup is not what/,
    )
    expect(await altered(edit('manifest.json', '"users":1', '"users":2'))).toMatch(/not over its manifest/)
    expect(await altered(edit('signature.json', '"signature":"', '"signature":"AAAA'))).toMatch(
      /not over its manifest|damaged/,
    )
    expect(await altered(edit('format.json', '"format":1', '"format":2'))).toMatch(/which this release does not read/)
    expect(await altered(edit('format.json', '"format":1', '"farmet":1'))).toMatch(/not a backup of Strongroom/)
  })

  it('one whose files would go elsewhere: nothing is written there, and nothing is removed', async () => {
    const [folder, file] = [givenFolder(), bad('made-up.age')]
    const [outside, victim, into] = [join(givenFolder(), 'x'), join(givenFolder(), 'kept'), join(givenFolder(), 'r')]
    writeFileSync(victim, 'kept')
    const restore = ['backup', 'restore', file, '--identity', pair.identity, '--public-key', auditKey()]
    const placing = JSON.stringify({ configuration: '/nonexistent', paths: [victim] })
    for (const [name, text, sentence] of [
      [`trail/${'../'.repeat(20)}${outside.slice(1)}`, 'planted', /is not a name of a file in a backup/],
      [outside, 'planted', /is not a name of a file in a backup/],
      ['placing.json', placing, /is not a file of an appliance|This is not a backup of Strongroom/],
    ] as const) {
      unpack(good, pair, folder)
      writeFileSync(join(folder, 'payload'), text)
      packWith(folder, file, pair, name)
      for (const command of [
        ['backup', 'verify', file, '--identity', pair.identity],
        [...restore, '--into', into, '--pin-file', premises.token.pinFile],
      ])
        expect(await premises.run(command)).toMatchObject({
          status: 1,
          stderr: expect.stringMatching(sentence) as unknown,
        })
      expect(existsSync(outside)).toBe(false)
      expect(readFileSync(victim, 'utf8')).toBe('kept')
    }
  })

  it('one that another appliance signed', async () => {
    const other = join(givenFolder(), 'other.pem')
    execFileSync('sh', [
      '-c',
      `openssl ecparam -name prime256v1 -genkey -noout | openssl ec -pubout -out '${other}' 2>/dev/null`,
    ])
    expect(await verify(good, '--public-key', other)).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/signed this backup, which is not the one of --public-key/) as unknown,
    })
  })
})

describe('a restore', () => {
  const restore = (into: string, ...more: string[]) =>
    premises.run(['backup', 'restore', good, ...keys(), '--into', into, ...more])
  const keys = (): string[] => ['--identity', pair.identity, '--public-key', auditKey()]
  const pin = (): string[] => ['--pin-file', premises.token.pinFile]
  const tlsKey = (): string[] => ['--tls-key', join(premises.directory, 'tls/server.key')]

  it('puts everything below a folder, with its modes, and users are there', async () => {
    const into = join(givenFolder(), 'r')
    const { status, stdout, stderr } = await restore(into, ...pin())
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    expect(stdout).toMatch(/^Restored: .*strongroom\.json, and what it names\.$/m)
    expect(stdout).toMatch(/^ok +token +strongroom, serial/m)
    // Nothing runs there yet, which is no problem: the last line tells how to start it.
    expect(stdout).not.toMatch(/^problem +(?:daemon|token hosts)/m)
    const configFile = join(into, premises.configFile)
    expect(stdout.trimEnd().split('\n').at(-1)).toBe(`Next: strongroomd --config ${configFile}`)
    const authority = join(premises.directory, 'tls/ca.pem')
    expect(readFileSync(join(into, authority))).toEqual(readFileSync(authority))
    expect(JSON.parse((await strongroom(configFile, ['--json', 'user', 'list'])).stdout)).toMatchObject([
      { username: 'alice' },
    ])
    expect((await strongroom(configFile, ['audit', 'verify', '--database'])).status).toBe(0)
    const mode = (path: string): string => (statSync(join(into, path)).mode & 0o777).toString(8)
    expect(mode(premises.token.tokenDirectory)).toBe('700')
    expect(mode(premises.database)).toBe('600')
    expect(mode(premises.auditDirectory)).toBe('700')
    expect(mode(premises.token.pinFile)).toBe('400')
    expect(readFileSync(join(into, premises.token.softhsmConf), 'utf8')).toContain(
      `directories.tokendir = ${join(into, premises.token.tokenDirectory)}`,
    )
    // The place is not empty any more.
    expect((await restore(into, ...pin())).stderr).toMatch(/is there already, and a restore takes nothing's place/)
  })

  it('asks for what no backup holds, and leaves nothing where it fails', async () => {
    const into = join(givenFolder(), 'r')
    const isClear = () => expect(execFileSync('find', [into, '-type', 'f'], { encoding: 'utf8' })).toBe('')
    expect((await restore(into)).stderr).toMatch(/The PIN is in no backup: give the file that holds it/)
    isClear()
    const wrong = join(premises.directory, 'wrong-pin')
    writeFileSync(wrong, '00000000', { mode: 0o600 })
    expect((await restore(into, '--pin-file', wrong)).stderr).toMatch(/refused the PIN|PIN/)
    expect(execFileSync('find', [into, '-type', 'f'], { encoding: 'utf8' })).not.toMatch(
      /strongroom\.(json|db)|keeper\.sqlite$/m,
    )
    expect((await restore(into, ...pin(), ...tlsKey())).status).toBe(0)
  })

  it('that is killed at any moment can be run again', { timeout: 120_000 }, async () => {
    const into = join(givenFolder(), 'r')
    const args = ['--config', '/none', 'backup', 'restore', good, ...keys(), '--into', into, ...pin()]
    for (const ms of [400, 800, 1200, 1600, 2000, 2600]) {
      const child = spawn(process.execPath, [join(root, 'dist/bin/strongroom.js'), ...args], { stdio: 'ignore' })
      const ended = once(child, 'exit')
      setTimeout(() => child.kill('SIGKILL'), ms)
      await ended
      if (existsSync(join(into, premises.configFile))) break
    }
    if (!existsSync(join(into, premises.configFile))) expect((await restore(into, ...pin())).stderr).toBe('')
    expect((await strongroom(join(into, premises.configFile), ['user', 'list'])).stdout).toContain('alice')
  })
})

describe('a backup that is made by the timer', () => {
  it('goes under its time, and older ones go', async () => {
    const directory = givenFolder()
    const old = ['strongroom-20250101T000000Z.age', 'strongroom-20250102T000000Z.age', 'notes.txt']
    for (const name of old) writeFileSync(join(directory, name), '')
    expect((await premises.run(['backup', 'run'])).stderr).toMatch(/set backup.directory and backup.recipients/)
    const keep = { newest: 2, daily: 0, weekly: 0 }
    premises.configure({ backup: { recipients: [pair.recipient], directory, keep } })
    onTestFinished(() => premises.configure({}))
    const { file, removed } = await premises.ask(['backup', 'run'])
    expect(removed).toEqual(['strongroom-20250101T000000Z.age'])
    expect(readdirSync(directory).toSorted()).toEqual(['notes.txt', 'strongroom-20250102T000000Z.age', basename(file)])
    expect((await verify(file)).status).toBe(0)
  })

  it('is missed by doctor before the night where a recipient is none', async () => {
    const directory = givenFolder()
    premises.configure({ backup: { recipients: [`${pair.recipient}0`], directory } })
    onTestFinished(() => premises.configure({}))
    const { status, stdout } = await premises.run(['doctor', '--only', 'backup'])
    expect(status).toBe(1)
    expect(stdout.replaceAll(/\s+/g, ' ')).toContain(`backup.recipients: ${pair.recipient}0 is not a recipient`)
  })

  it('removes none where it fails', async () => {
    const directory = givenFolder()
    writeFileSync(join(directory, 'strongroom-20250101T000000Z.age'), '')
    const keep = { newest: 1, daily: 0, weekly: 0 }
    premises.configure({ backup: { recipients: ['age1none'], directory, keep } })
    onTestFinished(() => premises.configure({}))
    expect((await premises.run(['backup', 'run'])).status).toBe(1)
    expect(readdirSync(directory)).toEqual(['strongroom-20250101T000000Z.age'])
  })
})

it('a backup that is killed leaves no file of its name', { timeout: 120_000 }, async () => {
  const directory = givenFolder()
  const file = join(directory, 'killed.age')
  const args = ['--config', premises.configFile, 'backup', 'create', file, '--recipient', pair.recipient]
  for (const ms of [300, 600, 800, 1000, 1200]) {
    const child = spawn(process.execPath, [join(root, 'dist/bin/strongroom.js'), ...args], { stdio: 'ignore' })
    const ended = once(child, 'exit')
    setTimeout(() => child.kill('SIGKILL'), ms)
    await ended
    if (existsSync(file)) break
  }
  // The backup is valid, where one exists.
  if (!existsSync(file)) await premises.ask(['backup', 'create', file, '--recipient', pair.recipient])
  expect((await verify(file)).stdout).toMatch(/The backup is whole/)
  // A killed one whose process number has since been given to this process, as in a container that is started again.
  writeFileSync(join(directory, `.next.age.${process.pid}.partial`), '')
  // Of a backup that is under way, and of another program.
  const others = [`.other.age.${await ownIdentity()}.partial`, '.next.age.4f2a91c0.partial']
  for (const name of others) writeFileSync(join(directory, name), '')
  await premises.ask(['backup', 'create', join(directory, 'next.age'), '--recipient', pair.recipient])
  expect(readdirSync(directory).toSorted()).toEqual([...others, 'killed.age', 'next.age'].toSorted())
})

it('the commands of operations.md do what it says', async () => {
  const text = readFileSync(join(root, 'docs/operations.md'), 'utf8')
  const chapters = text.split(/^## /m).filter((chapter) => /^(?:Backup|Restore)\n/.test(chapter))
  const commands = chapters.flatMap((chapter) => chapter.match(/^strongroom backup .*$/gm) ?? [])
  const folder = givenFolder()
  const named: Record<string, string> = {
    '/backup/strongroom.age': join(folder, 'strongroom.age'),
    'strongroom.age': join(folder, 'strongroom.age'),
    'backup-identity.txt': join(folder, 'backup-identity.txt'),
    'audit-public.pem': auditKey(),
    pin: premises.token.pinFile,
    'tls-key': join(premises.directory, 'tls/server.key'),
    '/srv/trial': join(folder, 'trial'),
  }
  let recipient = ''
  for (const command of commands) {
    const [, ...args] = command.split(' ').map((word) => (word === 'age1…' ? recipient : (named[word] ?? word)))
    // The documented folder is not empty here.
    const more = args[1] === 'restore' && !args.includes('--into') ? ['--into', join(folder, 'r')] : []
    const { status, stdout, stderr } = await premises.run([...args, ...more])
    expect({ command, status, stderr }).toEqual({ command, status: 0, stderr: '' })
    recipient ||= /age1\w+/.exec(stdout)?.[0] ?? ''
  }
  // Without --tls-key the line that starts what was restored ends with a refusal.
  const jobs = commands.map((command) => /(\w+)(?: .* (--tls-key))?/.exec(command.slice(18))?.slice(1).join(' ').trim())
  expect(jobs).toEqual(['identity', 'create', 'verify', 'restore --tls-key', 'restore --tls-key'])
})
