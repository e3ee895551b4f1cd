import Database from 'better-sqlite3'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { leaveDatabaseToOwner, leaveToOwner } from '../../src/console/file-owner.ts'
import { loadConfig } from '../../src/config/loader.ts'
import { openFloors } from '../../src/hsm/keeper/floors.ts'
import { openKeeperState } from '../../src/hsm/keeper/keeper-state.ts'
import { moveKeys } from '../../src/hsm/pkcs11/token-move.ts'
import { listObjects } from '../../src/hsm/pkcs11/token-objects.ts'
import { withToken } from '../../src/hsm/pkcs11/token-opening.ts'
import { knownPin } from '../../src/hsm/pkcs11/user-pin.ts'
import { withRefusedPins } from '../../src/hsm/server/refused-pins.ts'
import { tokenLocationOf } from '../../src/hsm/server/token-location.ts'
import { takeSnapshot } from '../../src/store/database-snapshot.ts'
import { inspectStore } from '../../src/store/inspection.ts'
import { openStore } from '../../src/store/open.ts'
import { givenAgePair } from '../support/backup-kit.ts'
import { givenInitialised } from '../support/console-kit.ts'
import { makeEmptyToken, makeMovable, makeToken, type TestToken } from '../support/token.ts'
import { hasTwoUsers, insideUser } from '../support/two-users.ts'

/** Replaces the file at `path` by a link to `target` and back, as fast as it can. */
const swapper = `
  const fs = require('node:fs')
  const [path, target] = process.argv.slice(1)
  const aside = path + '-aside'
  console.log('swapping')
  for (;;) {
    try {
      fs.renameSync(path, aside)
      fs.symlinkSync(target, path)
      fs.rmSync(path)
      fs.renameSync(aside, path)
    } catch {
      // Root's command made another file in between.
      fs.rmSync(path, { recursive: true, force: true })
      if (fs.existsSync(aside)) fs.renameSync(aside, path)
    }
  }
`

/** Longer than the head of a file of SoftHSM2. */
const secretText = 'of root, and of nobody else on this machine\n'

/** A folder of the attacker's user, and one of root with a file. */
function givenFolders(): { readonly theirs: string; readonly roots: string; readonly secret: string } {
  const [theirs, roots] = [mkdtempSync(join(tmpdir(), 'theirs-')), mkdtempSync(join(tmpdir(), 'roots-'))]
  onTestFinished(() => [theirs, roots].forEach((path) => rmSync(path, { recursive: true, force: true })))
  const secret = join(roots, 'secret')
  writeFileSync(secret, secretText, { mode: 0o600 })
  chmodSync(roots, 0o755)
  giveAway(theirs)
  return { theirs, roots, secret }
}

const giveAway = (path: string): void => void execFileSync('chown', ['-Rh', `${insideUser}:`, path])

/** An appliance whose token belongs to the attacker's user. */
async function givenTheirToken() {
  const premises = await givenInitialised({ tokenHost: false })
  giveAway(premises.token.directory)
  const [folder = ''] = readdirSync(premises.token.tokenDirectory)
  const files = (...names: readonly string[]) => names.map((name) => join(premises.token.tokenDirectory, folder, name))
  return { premises, files }
}

/** What a move of keys needs to know of a token of the attacker's user. */
function movedBetween(token: TestToken) {
  onTestFinished(() => token.cleanup())
  giveAway(token.directory)
  const { tokenUri: uri, pinFile, soPinFile, ...place } = token
  const [pin, soPin] = [pinFile, soPinFile].map((file) => readFileSync(file, 'utf8').trim())
  const ceremony = resolve(import.meta.dirname, '../../dist/hsm/ceremony')
  return { ...place, uri, ceremony, pin: knownPin(pin ?? ''), soPin: soPin ?? '' }
}

/** Swaps the file as the attacker while `tries` run. */
async function whileSwapping(path: string, target: string, tries: () => void): Promise<void> {
  const as = ['--reuid', insideUser, '--regid', insideUser, '--clear-groups']
  const attacker = spawn('setpriv', [...as, process.execPath, '-e', swapper, path, target], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(attacker.stdout, 'data')
  try {
    tries()
  } finally {
    attacker.kill('SIGKILL')
    await once(attacker, 'close')
  }
}

/** The number of tries that succeeded. */
function countDone(tries: number, work: () => void): number {
  let done = 0
  for (let number = 0; number < tries; number++)
    try {
      work()
      done += 1
    } catch {
      // The attacker interfered.
    }
  return done
}

/**
 * A rollback journal without pages that names another one above it, as for a transaction over several files. SQLite
 * removes that one after it has rolled back (fileformat2, "The Rollback Journal": the name is after the pages, with its
 * length and a sum of its bytes).
 */
function journalNaming(file: string, bytes: number): Buffer {
  const magic = Buffer.from('d9d505f920a163d7', 'hex')
  const numbers = (...values: readonly number[]): Buffer => {
    const written = Buffer.alloc(values.length * 4)
    values.forEach((value, at) => written.writeUInt32BE(value, at * 4))
    return written
  }
  const [page, sector, name] = [4_096, 512, Buffer.from(file)]
  const head = Buffer.concat([magic, numbers(0, 1, bytes / page, sector, page)])
  const sum = name.reduce((total, byte) => total + byte, 0)
  const lockPage = 0x4000_0000 / page + 1
  const behind = [numbers(lockPage), name, numbers(name.length, sum), magic]
  return Buffer.concat([head, Buffer.alloc(sector - head.length), ...behind])
}

describe.runIf(hasTwoUsers)(
  'the user of token hosts or of the daemon, who was taken over, while root runs a command',
  () => {
    it.each([
      ['keeper.sqlite', (path: string) => openKeeperState(path).close()],
      ['floors.sqlite', (path: string) => openFloors(path).close()],
    ])('has no other file written by a link in the place of %s', async (name, open) => {
      const { theirs, roots } = givenFolders()
      const [path, planted] = [join(theirs, name), join(roots, 'planted')]
      open(path)
      giveAway(theirs)
      let done = 0
      await whileSwapping(path, planted, () => (done = countDone(400, () => open(path))))
      expect(existsSync(planted)).toBe(false)
      expect(done).toBeGreaterThan(0)
    })

    it.each([
      ['keeper.sqlite', (path: string) => openKeeperState(path).close()],
      ['floors.sqlite', (path: string) => openFloors(path).close()],
      ['refused-pins.sqlite', (path: string) => withRefusedPins(path, () => undefined)],
    ])('has no file of root removed that a journal beside %s names', (name, open) => {
      const { theirs, secret } = givenFolders()
      const path = join(theirs, name)
      const database = new Database(path)
      database.exec('CREATE TABLE anything (a)')
      database.close()
      writeFileSync(`${path}-journal`, journalNaming(secret, statSync(path).size))
      giveAway(theirs)
      countDone(1, () => open(path))
      expect(existsSync(secret)).toBe(true)
    })

    it.each([
      ['opened', async (sqlite: string) => (await openStore({ sqlite }, [])).close()],
      ['looked at', async (sqlite: string) => inspectStore({ sqlite })],
      ['copied', async (sqlite: string) => (await takeSnapshot({ sqlite })).close()],
    ])('has no file of root removed that a journal beside a database names that is %s', async (_, use) => {
      const { theirs, secret } = givenFolders()
      const path = join(theirs, 'strongroom.db')
      const database = new Database(path)
      database.exec('CREATE TABLE anything (a)')
      database.close()
      writeFileSync(`${path}-journal`, journalNaming(secret, statSync(path).size))
      giveAway(theirs)
      await use(path).catch(() => undefined)
      expect(existsSync(secret)).toBe(true)
    })

    it('has no database made elsewhere by a link in its place', async () => {
      const { theirs, roots } = givenFolders()
      const [path, planted] = [join(theirs, 'strongroom.db'), join(roots, 'planted')]
      symlinkSync(planted, path)
      giveAway(theirs)
      await openStore({ sqlite: path }, []).then(
        (store) => store.close(),
        () => undefined,
      )
      expect(existsSync(planted)).toBe(false)
    })

    it('has nothing done by statements that keeper.sqlite brings along', async () => {
      const premises = await givenInitialised({ tokenHost: false })
      const { roots } = givenFolders()
      const planted = join(roots, 'planted')
      const state = new Database(join(premises.directory, 'data/keeper.sqlite')).unsafeMode()
      state.pragma('writable_schema = ON')
      const planting = `; ATTACH '${planted}' AS planted; CREATE TABLE planted.line (text)`
      expect(
        state.prepare("UPDATE sqlite_schema SET sql = sql || ? WHERE name = 'used_otps'").run(planting).changes,
      ).toBe(1)
      state.close()
      const { recipient } = givenAgePair(premises.directory)
      // They are copied with the file, as they are.
      const made = premises.runProcess(['backup', 'create', join(roots, 'b.age'), '--recipient', recipient])
      expect(made.status).toBe(0)
      expect(existsSync(planted)).toBe(false)
    })

    it('is given no file of root by a link in the place of the copy of the file of the token', async () => {
      const { premises, files } = await givenTheirToken()
      const { secret } = givenFolders()
      const [file = '', copy = ''] = files('token.object', 'token.object.copy')
      rmSync(copy)
      symlinkSync(secret, copy)
      writeFileSync(file, '')
      expect((await premises.run(['token', 'status'])).status).not.toBe(0)
      expect(readFileSync(file, 'utf8')).toBe('')
    })

    it('has no file of root changed or made by links in a software token', async () => {
      const { premises, files } = await givenTheirToken()
      const { roots, secret } = givenFolders()
      const [changes = '', lock = ''] = files('generation', 'token.lock')
      const planted = join(roots, 'planted')
      for (const [link, target] of [
        [changes, secret],
        [lock, planted],
      ] as const) {
        rmSync(link)
        symlinkSync(target, link)
      }
      await premises.run(['root-keys', 'rotate', 'pepper'])
      await premises.run(['root-keys', 'rotate', 'kek.strict'])
      expect(readFileSync(secret, 'utf8')).toBe(secretText)
      expect(existsSync(planted)).toBe(false)
    })

    it('has the commands of root change a software token all the same, whose files stay theirs', async () => {
      const { premises, files } = await givenTheirToken()
      for (const role of ['pepper', 'kek.strict'])
        expect(await premises.run(['root-keys', 'rotate', role])).toMatchObject({ status: 0, stderr: '' })
      expect(await premises.run(['token', 'change-pin'])).toMatchObject({ status: 0, stderr: '' })
      const [file = '', copy = ''] = files('token.object', 'token.object.copy')
      const { uid } = statSync(premises.token.tokenDirectory)
      expect([file, copy].map((path) => statSync(path).uid)).toEqual([uid, uid])
      expect(uid).not.toBe(0)
    })

    it('gets no slower with each object of the token: rights are changed once for a list of all', async () => {
      const { premises } = await givenTheirToken()
      const change = vi.spyOn(process, 'seteuid')
      onTestFinished(() => change.mockRestore())
      withToken(tokenLocationOf(loadConfig(premises.configFile)), (token) => {
        change.mockClear()
        expect(listObjects(token).length).toBeGreaterThan(5)
        expect(change).toHaveBeenCalledTimes(2)
      })
    })

    it.each([
      ['the folder that is given back', ''],
      ['a folder in it', 'below'],
    ])('is given no file of root by a link in the place of %s', async (_, name) => {
      const { theirs, roots, secret } = givenFolders()
      const folder = join(theirs, 'tokens')
      const swapped = join(folder, name)
      mkdirSync(swapped, { recursive: true })
      for (let number = 0; number < 20; number++) writeFileSync(join(swapped, `${number}.object`), '')
      giveAway(theirs)
      let done = 0
      await whileSwapping(swapped, roots, () => (done = countDone(4_000, () => leaveToOwner(folder))))
      expect(statSync(secret).uid).toBe(0)
      expect(done).toBeGreaterThan(0)
    })

    it('is given no file of root by a link that lies there', () => {
      const { theirs, roots, secret } = givenFolders()
      const folder = join(theirs, 'tokens')
      symlinkSync(roots, folder)
      giveAway(folder)
      leaveToOwner(folder)
      leaveDatabaseToOwner(join(folder, 'secret'))
      expect(statSync(secret).uid).toBe(0)
    })

    it('is given what root made there', () => {
      const { theirs } = givenFolders()
      mkdirSync(join(theirs, 'below'))
      const made = ['below', 'a', 'below/b'].map((name) => join(theirs, name))
      for (const path of made.slice(1)) writeFileSync(path, '')
      leaveToOwner(theirs)
      for (const path of made) expect(statSync(path).uid).toBe(statSync(theirs).uid)
      writeFileSync(join(theirs, 'c-wal'), '')
      leaveDatabaseToOwner(join(theirs, 'c'))
      expect(statSync(join(theirs, 'c-wal')).uid).toBe(statSync(theirs).uid)
    })
  },
)

describe.runIf(hasTwoUsers)('the same where Node.js cannot drop the rights of root, as in Debian', () => {
  beforeEach(() => {
    vi.spyOn(process, 'setgroups').mockImplementation(() => {
      throw Object.assign(new Error('setgroups() disabled: io_uring may be enabled.'), { code: 'ERR_INVALID_STATE' })
    })
  })
  afterEach(() => vi.restoreAllMocks())

  const opened: readonly (readonly [string, (path: string) => Promise<unknown>])[] = [
    ['keeper.sqlite', (path: string) => Promise.resolve(openKeeperState(path).close())],
    ['floors.sqlite', (path: string) => Promise.resolve(openFloors(path).close())],
    ['strongroom.db', async (sqlite: string) => (await openStore({ sqlite }, [])).close()],
  ]

  it('moves keys from one software token to another, by the ceremony helper, which finds what root has made', async () => {
    const from = await makeToken()
    makeMovable(from)
    const ends = { from: movedBetween(from), to: movedBetween(makeEmptyToken()) }
    expect(moveKeys({ ...ends, isWanted: () => true, progress: () => undefined }).total).toBeGreaterThan(0)
  })

  it.each(opened)('opens %s', async (name, open) => {
    const { theirs } = givenFolders()
    await open(join(theirs, name))
    await open(join(theirs, name))
  })

  it.each(opened)(
    'has nothing made or removed elsewhere by a link or a journal that lies at %s',
    async (name, open) => {
      const { theirs, roots, secret } = givenFolders()
      const [path, planted] = [join(theirs, name), join(roots, 'planted')]
      symlinkSync(planted, path)
      await expect(Promise.resolve().then(() => open(path))).rejects.toThrow()
      expect(existsSync(planted)).toBe(false)
      rmSync(path)
      new Database(path).exec('CREATE TABLE anything (a)').close()
      writeFileSync(`${path}-journal`, journalNaming(secret, statSync(path).size))
      giveAway(theirs)
      await expect(Promise.resolve().then(() => open(path))).rejects.toThrow(/-journal is there/)
      expect(existsSync(secret)).toBe(true)
    },
  )
})
