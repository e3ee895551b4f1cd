import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openssl } from '../api/transparent/key-kit.ts'
import { TestAppliance, type TestUser } from '../support/appliance.ts'
import { expectFault, type Answer } from '../support/client.ts'
import { makeVault, type TestVault } from '../support/vault.ts'

/**
 * The attacker is a logged-in user without special rights. His calls cost the appliance much more than him. The delays
 * of other users are compared with those without him, in the same run.
 */
let appliance: TestAppliance
let attacker: TestVault
let victim: TestVault
let victimUser: TestUser

beforeAll(async () => {
  appliance = await TestAppliance.own({ http: { workers: 2 } })
  attacker = await makeVault(appliance)
  victim = await makeVault(appliance)
  victimUser = await appliance.addUser()
})
afterAll(() => appliance.close())

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now()
  await work()
  return performance.now() - startedMs
}

/** Repeats `work` during the attack, but at least once. */
async function during<T>(attack: Promise<T>, work: (round: number) => Promise<void>): Promise<T> {
  const state = { isOver: false }
  const ending = attack.finally(() => (state.isOver = true))
  ending.catch(() => undefined)
  let round = 0
  do await work(round++)
  while (!state.isOver)
  return ending
}

describe('RSA keys', () => {
  it('twelve of 4096 bits at once hold nobody up', async () => {
    const ciphertext = await victim.encrypt('mine', 'c2VjcmV0')
    const longest = { decryption: 0, edit: 0, login: 0 }
    const note = (what: keyof typeof longest, ms: number) => (longest[what] = Math.max(longest[what], ms))
    const startedMs = performance.now()
    const attack = Array.from({ length: 12 }, (_, at) =>
      attacker.admin.post(`/transparent/${attacker.id}/keys/large-${at}`, { type: 'rsa-4096' }),
    )
    const answers = await during(Promise.all(attack), async (round) => {
      note('decryption', await timed(() => victim.decrypt('mine', ciphertext)))
      note('edit', await timed(() => victim.encrypt(`new-${round}`, 'c2VjcmV0')))
      note('login', await timed(() => appliance.login(victimUser)))
    })
    const made = answers.filter(({ status }) => status === 201)
    expect(made.length).toBeGreaterThan(0)
    // A user waits for one key of somebody else at most.
    const perKeyMs = (performance.now() - startedMs) / made.length
    for (const ms of Object.values(longest)) expect(ms).toBeLessThan(perKeyMs)
  })
})

describe('signatures by RSA', () => {
  // The key maker starts last and makes one key at a time.
  async function makeSigner({ id, admin }: TestVault, name: string, type = 'rsa-4096'): Promise<void> {
    const create = () => admin.post(`/transparent/${id}/keys/${name}`, { type })
    for (let tries = 0; tries < 40 && (await create()).status === 503; tries += 1)
      await new Promise((resolve) => setTimeout(resolve, 500))
  }
  const sign = ({ id, admin }: TestVault, name: string) =>
    admin.post(`/transparent/${id}/sign/${name}`, { input: 'c2VjcmV0' })

  it('by twelve keys of one user do not take twelve turns before one of another user', async () => {
    const names = Array.from({ length: 12 }, (_, at) => `signer-${at}`)
    for (const name of names) await makeSigner(attacker, name, 'rsa-3072')
    await makeSigner(victim, 'single', 'rsa-3072')
    const count = 240
    const waitsMs: number[] = []
    const startedMs = performance.now()
    const attack = Promise.all(Array.from({ length: count }, (_, at) => sign(attacker, names[at % 12] ?? '')))
    const answers = await during(attack, async () => {
      waitsMs.push(await timed(() => sign(victim, 'single')))
    })
    expect([...new Set(answers.map(({ status }) => status))]).toEqual([200])
    const perSignatureMs = (performance.now() - startedMs) / (count + waitsMs.length)
    // The last one ran alone for a part of the time.
    const middle = waitsMs.toSorted((a, b) => a - b)[Math.floor(waitsMs.length / 2)] ?? 0
    expect(middle / perSignatureMs).toBeLessThan(8)
  })

  it('hundreds at once hold up no decryption, and no signature of another user', async () => {
    const ciphertext = await victim.encrypt('mine', 'c2VjcmV0')
    for (const vault of [attacker, victim]) await makeSigner(vault, 'signer')
    const count = 300
    const startedMs = performance.now()
    const longest = { decryption: 0, signature: 0 }
    const attack = Promise.all(Array.from({ length: count }, () => sign(attacker, 'signer')))
    const answers = await during(attack, async () => {
      longest.decryption = Math.max(longest.decryption, await timed(() => victim.decrypt('mine', ciphertext)))
      longest.signature = Math.max(longest.signature, await timed(() => sign(victim, 'signer')))
    })
    expect([...new Set(answers.map(({ status }) => status))]).toEqual([200])
    // Without turns, others would wait for all 64 signatures that the attacker's connections request at once.
    const perSignatureMs = (performance.now() - startedMs) / count
    for (const ms of Object.values(longest)) expect(ms / perSignatureMs).toBeLessThan(32)
  })
})

describe('a new pass phrase', () => {
  it('is not judged at will for a caller whose OTP is wrong', async () => {
    const attempt = { passphrase: 'guess', newpassphrase: 'p@ssw0rd'.repeat(8), otp: '000000' }
    const calls = 150
    const many = (call: () => Promise<Answer>) => Promise.all(Array.from({ length: calls }, call))
    await many(() => attacker.admin.get('/vault'))
    // The first one in each worker loads the dictionaries.
    await Promise.all(
      Array.from({ length: 6 }, () => attacker.admin.call('PUT', '/auth/passphrase', { body: attempt })),
    )
    const plainMs = await timed(() => many(() => attacker.admin.get('/vault')))
    let answers: Answer[] = []
    const attackMs = await timed(async () => {
      answers = await many(() => attacker.admin.call('PUT', '/auth/passphrase', { body: attempt }))
    })
    expect(attackMs / plainMs).toBeLessThan(5)
    const refused = answers.filter(({ status }) => status === 429)
    expect(refused.length).toBeGreaterThan(0)
    for (const answer of refused) {
      expectFault(answer, 429, 1820)
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
    }
    // A refused user has used up only his own quota.
    expectFault(await victim.admin.call('PUT', '/auth/passphrase', { body: attempt }), 400, 1730)
  })
})

describe('a certificate of 9,000 names', () => {
  const names = Array.from({ length: 9_000 }, (_, at) => `DNS.${at}=a${at}.b`).join('\n')
  const config = `[req]\ndistinguished_name=n\n[n]\n[e]\nsubjectAltName=@a\n[a]\n${names}\n`
  const file = openssl(
    [
      'req',
      '-x509',
      '-newkey',
      'ed25519',
      '-nodes',
      '-keyout',
      'k',
      '-subj',
      '/CN=x',
      '-config',
      'c',
      '-extensions',
      'e',
    ],
    { c: config },
  )
  const collect = (content: Buffer) =>
    attacker.admin.call('POST', '/filecollect', {
      raw: content,
      headers: { 'Content-Type': 'multipart/form-data; boundary=b' },
    })
  const form = (content: Buffer | string) =>
    Buffer.concat([
      Buffer.from('--b\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\n'),
      Buffer.from(content),
      Buffer.from('\r\n--b--\r\n'),
    ])

  it('costs no more than a text of its size, and the answer says why its fields are empty', async () => {
    const text = form(Buffer.alloc(file.length, 'text '))
    await collect(text)
    await collect(form(file))
    const plainMs = await timed(() => collect(text))
    const attackMs = await timed(async () => {
      const { status, json } = await collect(form(file))
      expect([status, json.CALLINFO.general]).toEqual([200, [expect.stringContaining('more than 1200 parts')]])
    })
    expect(attackMs / plainMs).toBeLessThan(5)
  })
})
