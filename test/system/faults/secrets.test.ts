import { operatorId } from '../../../src/access/confirmation.ts'
import { base32nopad } from '@scure/base'
import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it, vi } from 'vitest'
import { createObject, upload } from '../../support/object-kit.ts'
import { importBody } from '../../api/transparent/key-kit.ts'
import { twoWorkers, TestAppliance, type TestUser } from '../../support/appliance.ts'
import { applianceForTests } from '../../support/for-tests.ts'
import { hotpCodes, totpCode } from '../../support/hardware-token.ts'
import { makeVault, type TestVault } from '../../support/vault.ts'
import { processesOf } from '../../support/fault-kit.ts'
import { everyForm, findIn, findInFiles, findInMemory, mayReadMemory, type Needles, spelled } from './memory.ts'

/*
 * What cannot be asserted, and why.
 * - Pass phrase, application key, OTP and session token come in the body or the headers of a call, and so through the memory of a
 *   worker, as text that JavaScript cannot wipe; so does plaintext to and from encryption. They are looked for on disk alone.
 * - The keys that the token makes are known to nobody: a key that was made here and imported stands for them.
 * - In a token host SoftHSM2 is the token itself: its memory holds keys and PIN, as an HSM's does. A hardware module has them
 *   elsewhere. That process is left out, but for its promise to leave no core dump.
 */

// The most verbose journal.
const appliance = applianceForTests(() => TestAppliance.own({ ...twoWorkers, log: { level: 'trace' } }))
let user: TestUser
let vault: TestVault
const importedKey = randomBytes(32)
const marker = randomBytes(24)
/** A value that is not secret and is sent as a header, so that it was certainly in the memory of a worker. */
const witness = `witness-${randomBytes(12).toString('hex')}`
const sessions: string[] = []
const hotpSeed = randomBytes(20)
/** Content of objects. */
const fieldValue = `field-${randomBytes(12).toString('hex')}`
const fileMarker = randomBytes(24)
/** Secrets that administrators sent, or were told once, by name. */
const told: Record<string, string> = {}

/** Keys and the PIN, which must never be in a process other than token hosts and keeper. */
function keys(): Needles {
  const seed = Buffer.from(base32nopad.decode(user.totpSecret))
  return {
    'the imported key': everyForm(importedKey),
    'the HOTP seed': [...everyForm(hotpSeed), ...spelled(base32nopad.encode(hotpSeed))],
    'the TOTP seed': [...everyForm(seed), ...spelled(user.totpSecret)],
    "the hardware token's key": everyForm(Buffer.from(user.hardwareToken.key, 'hex')),
    'the PIN': spelled(readFileSync(appliance.token.pinFile, 'utf8').trim()),
  }
}

/** Secrets that pass through a worker and must not stay anywhere. */
function passing(): Needles {
  return {
    'the pass phrase': spelled(user.passphrase),
    'the application key': spelled(appliance.applicationKey),
    'the plaintext': everyForm(marker),
    'the private id': everyForm(Buffer.from(user.hardwareToken.privateId, 'hex')),
    'a session token': sessions.flatMap(spelled),
    'a secret field': everyForm(Buffer.from(fieldValue)),
    'a file': everyForm(fileMarker),
    ...Object.fromEntries(Object.entries(told).map(([what, text]) => [what, everyForm(Buffer.from(text))])),
  }
}

/** Uses each secret in all ways, through every worker and token host. */
async function useAll(): Promise<void> {
  const { admin, id } = vault
  const policy = { type: 'aes256-gcm96', allow_export: true }
  // The key maker may start later than the workers.
  const body = await vi.waitFor(() => importBody(admin, id, 'imported', importedKey, policy), 60_000)
  await admin.must('POST', `/transparent/import/${id}/imported`, body)
  const plaintext = marker.toString('base64')
  for (let round = 0; round < 12; round++) {
    // Three new connections for each call, so that every worker serves each of them.
    const client = appliance.client(admin.token)
    const sealed = await client.must('POST', `/transparent/${id}/encrypt/imported`, { plaintext })
    const { ciphertext } = sealed.CALLINFO
    await client.must('POST', `/transparent/${id}/decrypt/imported`, { ciphertext })
    client.close()
    const login = await appliance.client().must('POST', '/auth', appliance.credentials(user))
    await appliance.client(admin.token).must('GET', '/vault')
    sessions.push(String(login.CALLINFO.token))
  }
  await admin.must('POST', `/transparent/${id}/keys/imported/rotate`)
  const totp = { ...appliance.credentials(user), otp: totpCode(user.totpSecret), logintype: 'totp' }
  await appliance.client().must('POST', '/auth', totp)
  const refused = { ...appliance.credentials(user), passphrase: `${user.passphrase} almost` }
  expect((await appliance.client().post('/auth', refused)).status).toBe(403)
  expect((await appliance.client().call('POST', '/auth', { raw: `{"passphrase":"${user.passphrase}"` })).status).toBe(
    400,
  )
}

/** Uses of secrets by people: in fields and files, shown and sent at enrolments, generated, changed. */
async function useAmongPeople(): Promise<void> {
  const { admin, id } = vault
  const object = await createObject(admin, id, { password: fieldValue })
  // More than is kept in memory during an upload.
  const file = await upload(admin, { groupid: id }, Buffer.alloc(1_500_000, fileMarker))
  for (let round = 0; round < 6; round++) {
    const client = appliance.client(admin.token)
    await client.must('GET', `/object/${object}?decrypt=true`)
    await client.must('GET', `/object/${file}?filedata=true`)
    client.close()
  }
  const { enrolments } = appliance.services
  await enrolments.enrolCodes(user, { kind: 'hotp', seed: Buffer.from(hotpSeed) }, operatorId, appliance.commit)
  for (const otp of hotpCodes(base32nopad.encode(hotpSeed), 0, { count: 6 }))
    await appliance.client().must('POST', '/auth', { ...appliance.credentials(user), otp })

  const chief = await appliance.login(await appliance.addUser(['read', 'admin', 'active']))
  told['a generated password'] = String((await chief.must('GET', '/utils/pwgen')).CALLINFO['passphrase'])
  told["a new user's pass phrase"] = `brown lanterns ${randomBytes(8).toString('hex')}`
  const person = { username: 'someone', fullname: 'Some One', email: 'someone@example.test', status: 129, totp: true }
  const made = await chief.must('POST', '/user', { ...person, passphrase: told["a new user's pass phrase"] })
  told['a seed shown in a URI'] = new URL(String(made.CALLINFO['otpauth'])).searchParams.get('secret') ?? ''
  told['a seed shown'] = String((await chief.must('POST', `/user/${user.id}/otp`, { kind: 'totp' })).CALLINFO['secret'])
  told['a seed sent'] = base32nopad.encode(randomBytes(20))
  const sent = JSON.stringify({ kind: 'hotp', secret: told['a seed sent'] })
  expect((await chief.call('POST', `/user/${user.id}/otp`, { raw: sent })).status).toBe(201)
  told['a pass phrase given'] = `grey lanterns ${randomBytes(8).toString('hex')}`
  const { id: other } = await appliance.addUser()
  await chief.must('PUT', `/user/${other}/passphrase`, { newpassphrase: told['a pass phrase given'] })
  // Refusals repeat no input.
  await chief.call('POST', `/user/${user.id}/otp`, { raw: sent })
  await admin.call('PUT', `/object/${object}`, { body: { password: `${fieldValue}\u0001` } })
}

/** Puts the witness into the memory of every worker, where it stays until the search. */
async function showWitness(): Promise<void> {
  for (let round = 0; round < 12; round++) {
    const client = appliance.client(vault.admin.token)
    expect((await client.call('GET', '/vault', { headers: { 'X-Witness': witness } })).status).toBe(200)
  }
}

beforeAll(async () => {
  user = await appliance.addUser()
  vault = await makeVault(appliance)
  // Temporary files are searched as well.
  const temporary = join(appliance.directory, 'temporary')
  mkdirSync(temporary)
  await appliance.restart('SIGTERM', { TMPDIR: temporary })
  await useAll()
  await useAmongPeople()
  await showWitness()
})

describe('after every use of them, keys and PIN', () => {
  it.skipIf(!mayReadMemory())(
    'are in the memory of no worker and not in the primary (needs the right to read it)',
    () => {
      const { workers } = processesOf(appliance)
      expect(workers).toHaveLength(2)
      for (const pid of workers) {
        // Proves that the search works: it finds the header that this worker was sent, and nothing but it.
        expect(findInMemory(pid, { ...keys(), witness: spelled(witness) })).toEqual(['witness'])
      }
      const { primary, tlsKey } = { primary: appliance.pid, tlsKey: readFileSync(appliance.config.tls.key, 'latin1') }
      const secretLine = tlsKey.split('\n')[1] ?? ''
      const configured = { 'its configuration': spelled(appliance.config.hsm.pinFile) }
      const needles = { ...keys(), ...passing(), ...configured, "the server's private key": spelled(secretLine) }
      expect(findInMemory(primary, needles)).toEqual(['its configuration'])
    },
  )

  it('are in no argument and no environment of a process, and none leaves a core dump', () => {
    const { workers, hosts, keyMaker } = processesOf(appliance)
    expect([hosts, keyMaker]).toMatchObject([{ length: 2 }, { length: 1 }])
    for (const pid of [appliance.pid, ...workers, ...hosts, ...keyMaker]) {
      for (const file of ['cmdline', 'environ'])
        expect(findIn(readFileSync(`/proc/${pid}/${file}`), keys())).toEqual([])
      expect(readFileSync(`/proc/${pid}/limits`, 'latin1')).toMatch(/^Max core file size +1 +1 /m)
      expect(readFileSync(`/proc/${pid}/coredump_filter`, 'latin1').trim()).toBe('00000000')
    }
  })
})

describe('on the disk', () => {
  it('database, audit trail and journal hold no key and nothing that passed through', async () => {
    const secrets = { ...keys(), ...passing() }
    const controls: Needles = { 'the user name': spelled(user.username) }
    const search = () => findInFiles(appliance.directory, { ...secrets, ...controls })
    expect(new Set(search().map((finding) => finding.replace(/ in .*/, '')))).toEqual(new Set(['the user name']))
    expect(
      search()
        .map((finding) => finding.replace(/.* in /, ''))
        .toSorted(),
    ).toEqual(expect.arrayContaining(['strongroom.sqlite-wal', 'worker-1.000001.jsonl', 'worker-2.000001.jsonl']))
    await appliance.stop()
    expect(findInFiles(appliance.directory, secrets)).toEqual([])
    expect(findIn(Buffer.from(appliance.journal), { ...secrets, control: spelled('worker listens') })).toEqual([
      'control',
    ])
  })
})
