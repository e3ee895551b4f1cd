import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { randomBytes } from 'node:crypto'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Overrides, TestAppliance, type TestUser, twoWorkers } from '../../support/appliance.ts'
import { makeVault, type TestVault } from '../../support/vault.ts'
import {
  attempt,
  countOf,
  eventually,
  expectSoundTrail,
  objectsIn,
  processesOf,
  said,
  under,
  verdict,
} from '../../support/fault-kit.ts'
import { mayOpenNoMore } from '../../support/processes.ts'
import { repeats } from '../../support/release.ts'

interface Given {
  readonly appliance: TestAppliance
  readonly vault: TestVault
  readonly sealedText: string
  readonly user: TestUser
}

async function givenAppliance(overrides: Overrides = {}): Promise<Given> {
  const appliance = await TestAppliance.own(overrides)
  onTestFinished(() => appliance.close())
  const vault = await makeVault(appliance)
  return { appliance, vault, sealedText: await vault.encrypt('kept', 'a2VwdA=='), user: await appliance.addUser() }
}

/** Encrypts and decrypts. Resolves to the outcome; a wrong plaintext fails the test. */
async function roundTrip({ admin, id }: TestVault, key: string): Promise<string> {
  const plaintext = randomBytes(24).toString('base64')
  const encrypted = await attempt(admin, 'POST', `/transparent/${id}/encrypt/${key}`, { plaintext })
  if ('lost' in encrypted || verdict(encrypted) !== 'done') return verdict(encrypted)
  const ciphertext = said(encrypted, 'ciphertext')
  const decrypted = await attempt(admin, 'POST', `/transparent/${id}/decrypt/${key}`, { ciphertext })
  if ('lost' in decrypted || verdict(decrypted) !== 'done') return verdict(decrypted)
  expect(said(decrypted, 'plaintext')).toBe(plaintext)
  return 'done'
}

const isServed = async ({ vault }: Given): Promise<boolean> => (await roundTrip(vault, 'kept')) === 'done'

/** Expects that calls that need the token are each refused with this verdict and without a trace. */
async function expectRefused(
  { appliance, vault, sealedText, user }: Given,
  refusal: string,
  usernames: readonly string[] = [user.username, 'nobody'],
): Promise<void> {
  const before = { vaults: await countOf(appliance, 'vaults'), keys: await countOf(appliance, 'transparent_keys') }
  const { admin, id } = vault
  const refused = await Promise.all([
    attempt(admin, 'POST', '/vault', { vaultname: 'Refused' }),
    attempt(admin, 'POST', `/transparent/${id}/keys/refused`),
    attempt(admin, 'POST', `/transparent/${id}/keys/kept/rotate`),
    attempt(admin, 'POST', `/transparent/${id}/encrypt/kept`, { plaintext: 'AAAA' }),
    attempt(admin, 'POST', `/transparent/${id}/decrypt/kept`, { ciphertext: sealedText }),
    ...usernames.map((username) =>
      attempt(appliance.client(), 'POST', '/auth', { ...appliance.credentials(user), username }),
    ),
  ])
  expect(refused.map(verdict)).toEqual(refused.map(() => refusal))
  expect({ vaults: await countOf(appliance, 'vaults'), keys: await countOf(appliance, 'transparent_keys') }).toEqual(
    before,
  )
}

async function expectRecovered(given: Given): Promise<void> {
  const { appliance, vault, sealedText, user } = given
  await eventually(() => isServed(given))
  expect(await vault.decrypt('kept', sealedText)).toBe('a2VwdA==')
  // A rotation needs the keeper, which may take longer to begin than requests wait for it.
  const rotate = `/transparent/${vault.id}/keys/kept/rotate`
  await eventually(async () => verdict(await attempt(vault.admin, 'POST', rotate)) === 'done')
  await vault.admin.must('POST', '/vault', { vaultname: 'After' })
  await appliance.login(user)
  await appliance.stop()
  await expectSoundTrail(appliance)
}

describe('token hosts', () => {
  it('killed under load give no wrong plaintext and no error but 503, and come back', async () => {
    const given = await givenAppliance(twoWorkers)
    const { appliance, vault } = given
    const seen = new Set<string>()
    const killed = async (count: number): Promise<void> => {
      const { hosts } = processesOf(appliance)
      for (const pid of hosts.slice(0, count)) process.kill(pid, 'SIGKILL')
      await eventually(
        () => processesOf(appliance).hosts.filter((pid) => !hosts.slice(0, count).includes(pid)).length === 2,
      )
      await eventually(async () => (await appliance.hsm.status()).every(({ state }) => state === 'ready'))
    }
    await under(
      12,
      async (loop) => void seen.add(await roundTrip(vault, `key-${loop % 3}`)),
      async () => {
        for (const count of [1, 2]) await killed(count)
      },
    )
    seen.delete('503 1900')
    expect([...seen]).toEqual(['done'])
    expect(appliance.journal).toContain('"how":"SIGKILL, not by the daemon')
    await expectRecovered(given)
  })

  it('that all stop answering: calls are refused when hsm.deadlineMs has passed, or served by new hosts', async () => {
    const given = await givenAppliance({ ...twoWorkers, hsm: { deadlineMs: 5_000 } })
    const { hosts, keeper } = processesOf(given.appliance)
    // Calls need the hosts, logins the keeper.
    for (const pid of [...hosts, ...keeper]) process.kill(pid, 'SIGSTOP')
    const calls = await Promise.all(Array.from({ length: 8 }, () => roundTrip(given.vault, 'kept')))
    // New hosts may be up before the first call is given up.
    expect(new Set([...calls, 'done', '503 1900'])).toEqual(new Set(['done', '503 1900']))
    await eventually(() => isServed(given))
    expect(processesOf(given.appliance).hosts).not.toEqual(expect.arrayContaining([...hosts]))
    await expectRecovered(given)
  })

  it('that are stopped are replaced, and so is the keeper, long before the token has had its time', async () => {
    const given = await givenAppliance(twoWorkers)
    const { appliance, vault } = given
    const { hosts, keeper } = processesOf(appliance)
    const stopped = [...hosts, ...keeper]
    for (const pid of stopped) process.kill(pid, 'SIGSTOP')
    const calls = await Promise.all(Array.from({ length: 8 }, () => roundTrip(vault, 'kept')))
    // A call that waited at both hosts is refused; all others are served.
    expect(new Set([...calls, 'done', '503 1900'])).toEqual(new Set(['done', '503 1900']))
    const left = () => {
      const { hosts: hostsNow, keeper: keeperNow } = processesOf(appliance)
      return [...hostsNow, ...keeperNow].filter((pid) => stopped.includes(pid))
    }
    // Calls are served again before the keeper, which only logins need.
    await eventually(async () => (await isServed(given)) && left().length === 0)
    expect(appliance.journal.match(/killed: it is stopped/g)).toHaveLength(stopped.length)
    expect(appliance.journal).not.toContain('heartbeat stayed away')
    await expectRecovered(given)
  })

  it('that may open no more files say which limit that is and are replaced, and so is the keeper', async () => {
    const given = await givenAppliance()
    const { appliance, vault } = given
    const { hosts, keeper } = processesOf(appliance)
    const limited = [...hosts, ...keeper]
    for (const pid of limited) mayOpenNoMore(pid)
    // The token's module opens files for a new vault, and for the login of the keeper.
    const made = await attempt(vault.admin, 'POST', '/vault', { vaultname: 'Refused' })
    // Hosts that have noticed it by themselves are replaced before the call is given up.
    expect(['503 1900', 'done']).toContain(verdict(made))
    await eventually(() => {
      const now = processesOf(appliance)
      return [...now.hosts, ...now.keeper].every((pid) => !limited.includes(pid))
    })
    for (const pid of limited)
      expect(appliance.journal).toMatch(new RegExp(`"pid":${pid},.*may open no more files.*LimitNOFILE=`))
    await expectRecovered(given)
  })
})

describe('the token', () => {
  it('whose folder is moved away: calls are refused until it is back', async () => {
    const given = await givenAppliance()
    const { tokenDirectory } = given.appliance.token
    renameSync(tokenDirectory, `${tokenDirectory}-away`)
    // Keys that are already unwrapped may work until the next check of the token.
    await eventually(async () => (await roundTrip(given.vault, 'kept')) === '503 1900')
    await expectRefused(given, '503 1900')
    renameSync(`${tokenDirectory}-away`, tokenDirectory)
    const objects = objectsIn(given.appliance.token)
    await eventually(() => isServed(given))
    expect(objectsIn(given.appliance.token)).toBe(objects)
    await expectRecovered(given)
  })
})

/** Restarts the daemon with a defect, and again after its repair. */
async function expectMendable(given: Given, spoil: () => () => void, refusal: string, said: RegExp): Promise<void> {
  const { appliance } = given
  await appliance.stop()
  const length = appliance.journal.length
  const mend = spoil()
  await appliance.restart()
  expect(appliance.journal.slice(length)).toMatch(said)
  await expectRefused(given, refusal)
  await appliance.stop()
  mend()
  await appliance.restart()
  await expectRecovered(given)
}

function rewritten(file: string, change: (text: string) => string): () => void {
  const text = readFileSync(file, 'utf8')
  writeFileSync(file, change(text))
  return () => writeFileSync(file, text)
}

const spoilt = [
  ['a wrong PIN', '503 1901', /correct hsm\.pinFile/, 'pinFile', () => 'not the PIN'],
  [
    'a module that is missing',
    '503 1900',
    /hsm\.module/,
    'config',
    (text: string) => text.replace(/"module":"[^"]+"/, '"module":"/nowhere/libtoken.so"'),
  ],
  [
    'a token that is not there',
    '503 1900',
    /hsm\.token/,
    'config',
    (text: string) => text.replace(/"token":"[^"]+"/, '"token":"pkcs11:token=elsewhere"'),
  ],
] as const

describe('at the start, the daemon runs and refuses, and its journal says what to correct', () => {
  it.each(spoilt.slice(0, repeats(1, spoilt.length)))('%s', async (_what, refusal, said, file, change) => {
    const given = await givenAppliance()
    const { appliance } = given
    const path = file === 'pinFile' ? appliance.token.pinFile : appliance.configFile
    await expectMendable(given, () => rewritten(path, change), refusal, said)
  })
})
