import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { inspectStore, occupantsOf } from '../../../src/store/inspection.ts'
import { addUser, givenInitialised, givenPremises, recorded } from '../../support/console-kit.ts'
import { hasPostgres, startPostgres } from '../../support/postgres.ts'

const initToken = resolve(import.meta.dirname, '../../../softhsm/init-token')

describe('strongroom init', () => {
  it('makes the root keys in an empty token, and the database', async () => {
    const premises = await givenPremises({ tokenHost: false })
    const { directory, token } = premises
    const empty = join(directory, 'empty')
    const made = JSON.parse(
      execFileSync(initToken, ['--directory', empty, '--label', 'fresh', '--json'], { encoding: 'utf8' }),
    )
    premises.configure({
      hsm: {
        token: made.uri,
        pinFile: made.pinFile,
        softhsmConf: made.softhsmConf,
        tokenDirectory: made.tokenDirectory,
      },
    })
    const first = await premises.ask(['init'])
    expect(first.created).toHaveLength(8)
    expect(first.present).toEqual([])
    expect(first.database).toMatchObject({ existed: false, place: premises.database })
    expect(statSync(premises.database).mode & 0o777).toBe(0o600)

    const seen = execFileSync(
      'pkcs11-tool',
      [
        '--module',
        token.module,
        '--token-label',
        'fresh',
        '--login',
        '--pin',
        readFileSync(made.pinFile, 'utf8'),
        '-O',
      ],
      { encoding: 'utf8', env: { ...process.env, SOFTHSM2_CONF: made.softhsmConf } },
    )
    for (const label of first.created) expect(seen).toContain(label)
    expect(recorded(premises)).toEqual([
      ['console.init', 'allowed', expect.stringMatching(/8 root objects, \d+ migrations?/)],
    ])
  })

  it.skipIf(process.getuid?.() !== 0)(
    'run by root, leaves the files of the keeper to the owner of their folder',
    async () => {
      const premises = await givenPremises({ tokenHost: false })
      const folder = join(premises.directory, 'keeper')
      mkdirSync(folder)
      chownSync(folder, 65_534, 65_534)
      const sockets = { socket: join(folder, 'worker.sock'), operatorSocket: join(folder, 'operator.sock') }
      premises.configure({ hsm: { keeper: { ...sockets, state: join(folder, 'keeper.sqlite') } } })
      await premises.ask(['init'])
      expect(readdirSync(folder).toSorted()).toEqual(expect.arrayContaining(['floors.sqlite', 'keeper.sqlite']))
      for (const name of readdirSync(folder)) {
        const { uid, mode } = statSync(join(folder, name))
        expect([name, uid, mode & 0o777]).toEqual([name, 65_534, 0o600])
      }
    },
  )

  it('changes nothing the second time', async () => {
    const premises = await givenPremises({ tokenHost: false })
    expect((await premises.ask(['init'])).database.existed).toBe(false)
    const before = fingerprints(premises.token.tokenDirectory)
    const events = recorded(premises)
    const second = await premises.ask(['init'])
    expect(second.created).toEqual([])
    expect(second.present).toHaveLength(8)
    expect(second.database).toMatchObject({ existed: true, applied: [] })
    expect(fingerprints(premises.token.tokenDirectory)).toEqual(before)
    expect(recorded(premises)).toEqual(events)
  })

  it('says what exists and what it made, in aligned lines', async () => {
    const premises = await givenPremises({ tokenHost: false })
    const { stdout } = await premises.run(['init'])
    expect(stdout).toMatch(/^ {2}exists {2}strongroom\.kek\.strict\.v1$/m)
    expect(stdout).toMatch(/^ {2}made {4}\d+ migrations? applied$/m)
  })

  it('refuses what it cannot do, with the exit code of the part that fails', async () => {
    const premises = await givenPremises({ tokenHost: false })
    premises.configure({ hsm: { module: '/nowhere/module.so' } })
    expect(await premises.run(['init'])).toMatchObject({
      status: 3,
      stdout: '',
      stderr: expect.stringContaining('hsm.module'),
    })
    premises.configure({ store: { sqlite: join(premises.configFile, 'strongroom.db') } })
    expect((await premises.run(['init'])).status).not.toBe(0)
    premises.configure({ audit: { directory: premises.configFile } })
    expect(await premises.run(['init'])).toMatchObject({
      status: 6,
      stderr: expect.stringContaining('audit.directory'),
    })
  })

  it('tries a wrong PIN once, and says so', async () => {
    const premises = await givenPremises({ tokenHost: false })
    const wrong = join(premises.directory, 'wrong-pin')
    execFileSync('sh', ['-c', 'umask 077; printf 000000 >"$0"', wrong])
    premises.configure({ hsm: { pinFile: wrong } })
    expect(await premises.run(['init'])).toMatchObject({ status: 3, stderr: expect.stringContaining('hsm.pinFile') })
    expect(existsSync(premises.database)).toBe(false)
  })

  it('makes nothing in a new token where the database is in use', async () => {
    const premises = await givenPremises({ tokenHost: false })
    await premises.ask(['init'])
    await addUser(premises, 'alice')
    const directory = join(premises.directory, 'new')
    const made = JSON.parse(
      execFileSync(initToken, ['--directory', directory, '--label', 'fresh', '--json'], { encoding: 'utf8' }),
    )
    const { uri: token, pinFile, softhsmConf, tokenDirectory } = made
    premises.configure({ hsm: { token, pinFile, softhsmConf, tokenDirectory } })
    const before = fingerprints(tokenDirectory)
    const refused = await premises.run(['init'])
    expect(refused.status).toBe(3)
    for (const words of ['kek.strict', 'Nothing was made', 'Restore the token', 'strongroom migrate token'])
      expect(refused.stderr).toContain(words)
    expect(fingerprints(tokenDirectory)).toEqual(before)
    // The token with which it was made is still accepted.
    premises.configure({})
    expect((await premises.ask(['init'])).created).toEqual([])
  })

  describe('where the database of an appliance in use is not there', () => {
    const refusal = (sentence: RegExp) => ({
      status: 4,
      stdout: '',
      stderr: expect.stringMatching(sentence) as unknown,
    })

    it('makes none, and says what to do: without the disk of the database, by what the keeper knows', async () => {
      const premises = await givenInitialised({ tokenHost: false })
      await addUser(premises, 'alice')
      const data = join(premises.directory, 'elsewhere')
      mkdirSync(data)
      const place = join(data, 'strongroom.db')
      // The disk has both, as in /var/lib/strongroom.
      premises.configure({ store: { sqlite: place }, audit: { directory: join(data, 'audit') } })
      const sentence = /strongroom\.db does not exist, .* in use: .*floors\.sqlite.*Mount its disk.*store\.sqlite/
      expect(await premises.run(['init'])).toMatchObject(refusal(sentence))
      expect(readdirSync(data)).toEqual([])
      // A file that some program made empty is none either.
      writeFileSync(place, '')
      expect(await premises.run(['init'])).toMatchObject(refusal(/strongroom\.db is empty, .*in use/))
      expect(statSync(place).size).toBe(0)
    })

    it('by its audit trail', async () => {
      const premises = await givenInitialised({ tokenHost: false })
      rmSync(premises.database)
      expect(await premises.run(['init'])).toMatchObject(refusal(/does not exist, .* in use: .*data\/audit/))
      expect(existsSync(premises.database)).toBe(false)
    })

    it('makes one where the operator has moved trail and keeper aside, as it says', async () => {
      const premises = await givenInitialised({ tokenHost: false })
      await addUser(premises, 'alice')
      rmSync(premises.database)
      const { stderr } = await premises.run(['init'])
      expect(stderr).toMatch(/To begin anew .*move \S+\/audit and the keeper's files in \S+\/data aside/)
      rmSync(premises.auditDirectory, { recursive: true })
      for (const name of readdirSync(join(premises.directory, 'data')).filter((one) => /^(keeper|floors)/.test(one)))
        rmSync(join(premises.directory, 'data', name))
      expect(await premises.ask(['init'])).toMatchObject({ created: [], database: { existed: false } })
      await addUser(premises, 'alice')
    })

    it.skipIf(!hasPostgres)('in an empty PostgreSQL database, which no other command fills either', async () => {
      const server = startPostgres()
      onTestFinished(() => server.cleanup())
      const premises = await givenInitialised({ tokenHost: false })
      await addUser(premises, 'alice')
      premises.configure({ store: { sqlite: undefined, postgresUrlFile: server.urlFile } })
      const empty = /PostgreSQL database in store\.postgresUrlFile is empty/
      expect(await premises.run(['init'])).toMatchObject(refusal(empty))
      expect(await premises.run(['user', 'list'])).toMatchObject(refusal(empty))
      expect(await occupantsOf({ postgresUrl: server.url })).toEqual([])
      expect((await inspectStore({ postgresUrl: server.url })).exists).toBe(false)
    })
  })

  it('tells other commands apart from itself: they make no database', async () => {
    const premises = await givenPremises({ tokenHost: false })
    expect(await premises.run(['user', 'list'])).toMatchObject({
      status: 4,
      stderr: expect.stringContaining('strongroom init'),
    })
    expect(existsSync(premises.database)).toBe(false)
    rmSync(premises.token.pinFile)
    expect(await premises.run(['init'])).toMatchObject({
      status: 2,
      stderr: expect.stringContaining(premises.token.pinFile),
    })
  })
})

/** Fingerprints of all keys in a SoftHSM2 token. */
function fingerprints(directory: string): Record<string, string> {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true })
    // SoftHSM2 rewrites its flags at every login.
    .filter(({ name }) => name.endsWith('.object') && name !== 'token.object')
  return Object.fromEntries(
    files.map(({ parentPath, name }) => {
      const path = join(parentPath, name)
      return [path, createHash('sha256').update(readFileSync(path)).digest('hex')]
    }),
  )
}
