import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { closeSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { capabilitiesOf } from '../../src/access/capabilities.ts'
import { rsaAesWrap } from '../hsm/rsa-aes-wrap.ts'
import { TestAppliance } from '../support/appliance.ts'
import type { TestClient } from '../support/client.ts'
import { HardwareToken } from '../support/hardware-token.ts'
import { makeVault, type TestVault } from '../support/vault.ts'

/**
 * Known secrets go through the appliance, then are looked for where they must not be: in the database, the audit trail,
 * the journal, and the memory of the processes that face the network. What the token host has in its memory is the
 * business of the module in it: SoftHSM2 is a token in software and holds its keys there. Keys that the token makes
 * cannot be looked for, because nobody knows them; so an imported one stands for all.
 */
let appliance: TestAppliance
let vault: TestVault
let client: TestClient
const importedKey = randomBytes(32)
const passphrase = `very long ${randomBytes(9).toString('hex')} phrase`
const hardwareToken = new HardwareToken()
let totpSecret: string

beforeAll(async () => {
  appliance = await TestAppliance.start()
  const { users, enrolments } = appliance.services
  const fields = { username: 'keeper', fullname: 'Keeper of Secrets', email: 'keeper@example.test', passphrase }
  const user = await users.create(
    { ...fields, capabilities: capabilitiesOf(['read', 'createVault', 'active']) },
    appliance.commit,
  )
  await enrolments.enrolHardwareToken(user.id, hardwareToken.secrets(), appliance.commit)
  totpSecret = (await enrolments.enrolTotp(user, appliance.commit)).secret
  const apikey = appliance.applicationKey
  client = appliance.client()
  const { CALLINFO } = await client.must('POST', '/auth', {
    username: 'keeper',
    passphrase,
    apikey,
    otp: hardwareToken.press(),
    logintype: 'hwkey_otp',
  })
  client.token = CALLINFO.token
  vault = await makeVault(appliance)
  const { CALLINFO: wrapping } = await client.must('GET', '/transparent/wrapping_key')
  const wrapped = rsaAesWrap(Buffer.from(String(wrapping['public_key_der']), 'base64'), importedKey)
  await vault.admin.must('POST', `/transparent/import/${vault.id}/known`, {
    type: 'aes256-gcm96',
    wrapped_key: wrapped.toString('base64'),
  })
  for (let use = 0; use < 20; use++) await vault.decrypt('known', await vault.encrypt('known', 'AAAA'))
})
afterAll(() => appliance.close())

/** The forms in which a secret of bytes might lie about. */
const forms = (secret: Buffer): Buffer[] => [
  secret,
  Buffer.from(secret.toString('hex')),
  Buffer.from(secret.toString('base64')),
]

const keys = (): readonly (readonly [name: string, forms: readonly Buffer[]])[] => [
  ['the imported key', forms(importedKey)],
  ['the secret of the hardware token', forms(Buffer.from(hardwareToken.key, 'hex'))],
  [
    'the private id of the hardware token',
    [Buffer.from(hardwareToken.privateId, 'hex'), Buffer.from(hardwareToken.privateId)],
  ],
  ['the TOTP seed', [Buffer.from(totpSecret), base32(totpSecret)]],
  ['the PIN of the token', [Buffer.from(readFileSync(appliance.token.pinFile, 'utf8').trim())]],
]

function base32(text: string): Buffer {
  return execFileSync('base32', ['-d'], { input: text.padEnd(Math.ceil(text.length / 8) * 8, '=') })
}

interface Process {
  readonly pid: number
  readonly command: string
}

function descendants(pid: number): Process[] {
  const listed = execFileSync('ps', ['-eo', 'pid=,ppid=,args='], { encoding: 'utf8' }).trim().split('\n')
  const all = listed.map((line) => /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line)).filter((match) => match !== null)
  const below = (parent: number): Process[] =>
    all
      .filter((match) => Number(match[2]) === parent)
      .flatMap((match) => [{ pid: Number(match[1]), command: match[3] ?? '' }, ...below(Number(match[1]))])
  return [{ pid, command: 'strongroomd' }, ...below(pid)]
}

/** Everything a process could be made to dump. */
function memoryOf(pid: number): Buffer[] {
  const memory = openSync(`/proc/${pid}/mem`, 'r')
  const regions = readFileSync(`/proc/${pid}/maps`, 'utf8')
    .split('\n')
    .map((line) => /^([0-9a-f]+)-([0-9a-f]+) rw/.exec(line))
    .filter((match) => match !== null)
  const read = regions.flatMap(([, from = '', to = '']) => {
    const [start, end] = [Number.parseInt(from, 16), Number.parseInt(to, 16)]
    const region = Buffer.alloc(end - start)
    try {
      return [region.subarray(0, readSync(memory, region, 0, region.length, start))]
    } catch {
      // Reserved and never touched: there is nothing in it.
      return []
    }
  })
  closeSync(memory)
  return read
}

function filesBelow(directory: string): Buffer[] {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name)))
}

const foundIn = (places: readonly Buffer[], secret: readonly (readonly [string, readonly Buffer[]])[]): string[] =>
  secret
    .filter(([, variants]) => variants.some((variant) => places.some((place) => place.includes(variant))))
    .map(([name]) => name)

const isRoot = process.getuid?.() === 0

describe('keys stay inside', () => {
  it('and are in no file of the appliance: database, audit trail, configuration; nor in its journal', () => {
    const places = [...filesBelow(appliance.directory), Buffer.from(appliance.journal)]
    expect(places.length).toBeGreaterThan(5)
    expect(foundIn(places, [['a name that is there', [Buffer.from('keeper')]]])).toHaveLength(1)
    expect(foundIn(places, keys())).toEqual([])
    expect(
      foundIn(places, [
        ['pass phrase', [Buffer.from(passphrase)]],
        ['application key', [Buffer.from(appliance.applicationKey)]],
      ]),
    ).toEqual([])
    expect(foundIn(places, [['session token', [Buffer.from(client.token ?? '')]]])).toEqual([])
  })

  it.skipIf(!isRoot)('and never enter the memory of the primary or a worker', () => {
    const facing = descendants(appliance.pid).filter(({ command }) => !command.includes('hsm/host'))
    expect(facing.length).toBeGreaterThanOrEqual(3)
    for (const { pid, command } of facing) {
      const memory = memoryOf(pid)
      expect(foundIn(memory, [['something that is there', [Buffer.from('strongroomd')]]]), command).toHaveLength(1)
      expect([command, foundIn(memory, keys())]).toEqual([command, []])
    }
  })
})
