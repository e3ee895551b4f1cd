import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { type AgePair, givenAgePair, givenFolder, pack, packWith, unpack } from '../../support/backup-kit.ts'
import { makePremises, type Premises } from '../../support/console-kit.ts'
import { FullDisk, mayMount } from '../../support/disk.ts'

const bombBytes = 256 * 1024 * 1024
const diskKiB = 16 * 1024

/** The attacker knows a recipient, and makes a backup whose content is larger than any disk of this test. */
describe.runIf(mayMount)('a backup that decompresses to more than the disk holds', () => {
  let premises: Premises
  let pair: AgePair
  let good: string
  let disk: FullDisk

  beforeAll(async () => {
    premises = await makePremises()
    await premises.ask(['init'])
    pair = givenAgePair(premises.directory)
    good = join(premises.directory, 'good.age')
    await premises.ask(['backup', 'create', good, '--recipient', pair.recipient])
    disk = new FullDisk(diskKiB)
    vi.stubEnv('TMPDIR', disk.path)
  })
  afterAll(async () => {
    vi.unstubAllEnvs()
    disk.remove()
    await premises.cleanup()
  })

  const publicKey = () => ['--public-key', join(premises.auditDirectory, 'audit-public.pem')]
  const commands = (file: string) => {
    const identity = ['--identity', pair.identity]
    const place = ['--pin-file', premises.token.pinFile, '--into', join(disk.path, 'r')]
    return [
      ['backup', 'verify', file, ...identity, ...publicKey()],
      ['backup', 'restore', file, ...identity, ...publicKey(), ...place],
    ]
  }
  /** A separate folder with the content of the valid backup. */
  function givenUnpacked(): { readonly folder: string; readonly file: string } {
    vi.unstubAllEnvs()
    const folder = givenFolder()
    vi.stubEnv('TMPDIR', disk.path)
    unpack(good, pair, folder)
    return { folder, file: join(folder, 'bomb.age') }
  }
  /** Makes a sparse file, which takes no room here and a thousandth of its length compressed. */
  function swell(path: string): void {
    writeFileSync(path, '')
    truncateSync(path, bombBytes)
  }

  async function expectRefused(file: string, sentence: RegExp): Promise<void> {
    for (const command of commands(file)) {
      const { status, stderr } = await premises.run(command)
      expect({ status, stderr }).toEqual({ status: 1, stderr: expect.stringMatching(sentence) as unknown })
      expect(stderr).not.toMatch(/no room left/)
    }
    expect(readdirSync(disk.path).filter((name) => name.startsWith('strongroom-'))).toEqual([])
  }

  it('without a manifest is refused before anything of it is written', async () => {
    const { folder, file } = givenUnpacked()
    swell(join(folder, 'payload'))
    packWith(folder, file, pair, 'database.sqlite')
    await expectRefused(file, /This is not a backup of Strongroom/)
  })

  it('with the manifest of a good one is refused by the sizes in it', async () => {
    const { folder, file } = givenUnpacked()
    swell(join(folder, 'database.sqlite'))
    pack(folder, file, pair)
    await expectRefused(file, /database\.sqlite in the backup is not what its manifest says/)
  })

  it('with a manifest that the attacker has signed is refused by its signer, and without a key by the room', async () => {
    const { folder, file } = givenUnpacked()
    swell(join(folder, 'database.sqlite'))
    signAsAttacker(folder)
    pack(folder, file, pair)
    await expectRefused(file, /signed this backup, which is not the one of --public-key/)
    expect(await premises.run(['backup', 'verify', file, '--identity', pair.identity])).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/needs 256\.\d MiB, and the disk of .* has \d+\.\d MiB: free some/) as unknown,
    })
  })

  it('is told from a good one, for which a command that was killed while it verified another has left no room', async () => {
    const left = join(disk.path, 'strongroom-killed')
    mkdirSync(left)
    writeFileSync(join(left, '.owner'), 'another-boot.1.1')
    writeFileSync(join(left, 'database.sqlite'), Buffer.alloc((diskKiB - 64) * 1024))
    const [verify = []] = commands(good)
    expect(await premises.run(verify)).toMatchObject({ status: 0, stderr: '' })
    expect(existsSync(left)).toBe(false)
  })

  it('is told from a good one, which both commands take', async () => {
    onTestFinished(() => void vi.stubEnv('TMPDIR', disk.path))
    vi.unstubAllEnvs()
    const [verify = [], restore = []] = commands(good)
    expect(await premises.run(verify)).toMatchObject({ status: 0, stderr: '' })
    const into = [...restore.slice(0, -1), join(givenFolder(), 'r')]
    expect(await premises.run(into)).toMatchObject({ status: 0, stderr: '' })
  })
})

/** Rewrites manifest and signature, by a key of the attacker. */
function signAsAttacker(folder: string): void {
  const manifest = JSON.parse(readFileSync(join(folder, 'manifest.json'), 'utf8'))
  for (const one of manifest.files.filter(({ name }: { name: string }) => name === 'database.sqlite')) {
    one.size = bombBytes
    one.sha256 = createHash('sha256').update(Buffer.alloc(bombBytes)).digest('hex')
  }
  const bytes = JSON.stringify(manifest)
  writeFileSync(join(folder, 'manifest.json'), bytes)
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  const hash = createHash('sha256').update(bytes).digest('hex')
  const former = JSON.parse(JSON.parse(readFileSync(join(folder, 'signature.json'), 'utf8')).text)
  const text = JSON.stringify({ ...former, manifest: hash })
  const signature = sign('sha256', Buffer.from(text), { key: privateKey, dsaEncoding: 'ieee-p1363' })
  writeFileSync(
    join(folder, 'signature.json'),
    JSON.stringify({
      text,
      signature: signature.toString('base64'),
      signer: publicKey.export({ type: 'spki', format: 'der' }).toString('base64'),
    }),
  )
}
