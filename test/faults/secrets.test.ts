import { base32nopad } from '@scure/base'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { rsaAesWrap } from '../hsm/rsa-aes-wrap.ts'
import { TestAppliance, type TestUser } from '../support/appliance.ts'
import { totpCode } from '../support/hardware-token.ts'
import { makeVault, type TestVault } from '../support/vault.ts'
import { processesOf } from './fault-kit.ts'
import { everyForm, findIn, findInFiles, findInMemory, mayReadMemory, type Needles, spelled } from './memory.ts'

/*
 * What cannot be asserted, and why.
 * - Pass phrase, application key, OTP and session token come in the body or the headers of a call, and so through the memory of a
 *   worker, as text that JavaScript cannot wipe; so does plaintext to and from encryption. They are looked for on disk alone.
 * - The keys that the token makes are known to nobody: a key that was made here and imported stands for them.
 * - In a token host SoftHSM2 is the token itself: its memory holds keys and PIN, as an HSM's does. A hardware module has them
 *   elsewhere. That process is left out, but for its promise to leave no core dump.
 */

let appliance: TestAppliance
let user: TestUser
let vault: TestVault
const importedKey = randomBytes(32)
const marker = randomBytes(24)
/** Nothing secret, and sent as a header: what a worker has certainly had in its memory. */
const witness = `witness-${randomBytes(12).toString('hex')}`
const sessions: string[] = []

/** Keys, and what opens the token: never in a process of ours but the token host. */
function keys(): Needles {
  const seed = Buffer.from(base32nopad.decode(user.totpSecret))
  return {
    'the imported key': everyForm(importedKey),
    'the TOTP seed': [...everyForm(seed), ...spelled(user.totpSecret)],
    "the hardware token's key": everyForm(Buffer.from(user.hardwareToken.key, 'hex')),
    'the PIN': spelled(readFileSync(appliance.token.pinFile, 'utf8').trim()),
  }
}

/** What passes through a worker and must not stay anywhere. */
function passing(): Needles {
  return {
    'the pass phrase': spelled(user.passphrase),
    'the application key': spelled(appliance.applicationKey),
    'the plaintext': everyForm(marker),
    'the private id': everyForm(Buffer.from(user.hardwareToken.privateId, 'hex')),
    'a session token': sessions.flatMap(spelled),
  }
}

/** Every use there is of each secret, through every worker and token host. */
async function useAll(): Promise<void> {
  const { admin, id } = vault
  const { CALLINFO } = await admin.must('GET', '/transparent/wrapping_key')
  const recipient = Buffer.from(String(CALLINFO['public_key_der']), 'base64')
  const wrapped = rsaAesWrap(recipient, importedKey).toString('base64')
  await admin.must('POST', `/transparent/import/${id}/imported`, {
    type: 'aes256-gcm96',
    wrapped_key: wrapped,
    allow_export: true,
  })
  const plaintext = marker.toString('base64')
  for (let round = 0; round < 12; round++) {
    // Three new connections each time, so that every worker has its turn at each call.
    const client = appliance.client(admin.token)
    const headers = { 'X-Witness': witness }
    const sealed = await client.call('POST', `/transparent/${id}/encrypt/imported`, { body: { plaintext }, headers })
    const { ciphertext } = sealed.json.CALLINFO
    await client.must('POST', `/transparent/${id}/decrypt/imported`, { ciphertext })
    client.close()
    const login = await appliance.client().must('POST', '/auth', appliance.credentials(user))
    expect((await appliance.client(admin.token).call('GET', '/vault', { headers })).status).toBe(200)
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

beforeAll(async () => {
  // The most that the journal can be made to say.
  appliance = await TestAppliance.start({ log: { level: 'trace' } })
  user = await appliance.addUser()
  vault = await makeVault(appliance)
  await useAll()
})
afterAll(() => appliance.close())

describe('after every use of them, keys and PIN', () => {
  it.skipIf(!mayReadMemory())(
    'are in the memory of no worker and not in the primary (needs the right to read it)',
    () => {
      const { workers } = processesOf(appliance)
      expect(workers).toHaveLength(2)
      for (const pid of workers) {
        // The search finds what is there: the header that this worker was sent, and what passes through it unavoidably.
        expect(findInMemory(pid, { ...keys(), witness: spelled(witness) })).toEqual(['witness'])
      }
      const { primary, tlsKey } = { primary: appliance.pid, tlsKey: readFileSync(appliance.config.tls.key, 'latin1') }
      const secretLine = tlsKey.split('\n')[1] ?? ''
      const configured = { 'its configuration': spelled(appliance.config.hsm.pinFile) }
      const needles = { ...keys(), ...passing(), ...configured, "the server's private key": spelled(secretLine) }
      expect(findInMemory(primary, needles)).toEqual(['its configuration'])
    },
  )

  it('are in no argument and no environment of a process, and no token host leaves a core dump', () => {
    const { workers, hosts } = processesOf(appliance)
    expect(hosts).toHaveLength(2)
    for (const pid of [appliance.pid, ...workers, ...hosts]) {
      for (const file of ['cmdline', 'environ'])
        expect(findIn(readFileSync(`/proc/${pid}/${file}`), keys())).toEqual([])
    }
    for (const pid of hosts)
      expect(readFileSync(`/proc/${pid}/limits`, 'latin1')).toMatch(/^Max core file size +0 +0 /m)
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
