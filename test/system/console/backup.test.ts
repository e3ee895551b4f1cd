import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, afterAll, describe, expect, it, onTestFinished } from 'vitest'
import { type AgePair, givenAgePair, givenFolder, pack, unpack } from '../../support/backup-kit.ts'
import { addUser, makePremises, type Premises, recorded } from '../../support/console-kit.ts'

let premises: Premises
let pair: AgePair
/** Made once, of one user. */
let good: string

beforeAll(async () => {
  premises = await makePremises()
  await premises.ask(['init'])
  await addUser(premises, 'alice')
  pair = givenPair()
  good = join(premises.directory, 'good.age')
  await premises.ask(['backup', 'create', good, '--recipient', pair.recipient])
}, 60_000)
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
    ['a folder that is none', () => join(good, 'x.age'), /The folder of .* is no folder/],
    ['a folder that is not there', () => join(premises.directory, 'none/x.age'), /The folder of .* does not exist/],
  ])('%s', async (_, file, sentence) => {
    const before = readdirSync(premises.directory)
    const { status, stderr } = await create(file())
    expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringMatching(sentence) as unknown })
    expect(readdirSync(premises.directory)).toEqual(before)
  })

  it('to whom nothing can be encrypted', async () => {
    for (const recipient of ['age1abc', 'ssh-ed25519 AAAA', pair.recipient.replace(/.$/, 'q')])
      expect(await create(join(premises.directory, 'x.age'), recipient)).toMatchObject({
        status: 1,
        stderr: expect.stringContaining(`${recipient} is no recipient`) as unknown,
      })
  })

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
    expect(await altered(edit('format.json', '"format":1', '"farmet":1'))).toMatch(/no backup of Strongroom/)
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
