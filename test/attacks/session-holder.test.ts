import { beforeAll, describe, expect, it } from 'vitest'
import { openssl } from '../api/transparent/key-kit.ts'
import { TestAppliance, type TestUser, twoWorkers } from '../support/appliance.ts'
import { applianceForTests, vaultForTests } from '../support/for-tests.ts'
import { expectFault, type Answer } from '../support/client.ts'
import type { TestVault } from '../support/vault.ts'

/**
 * The attacker is a logged-in user without special rights. His calls cost the appliance much more than him. The delay of
 * another user is counted in calls of the attacker that are answered meanwhile, and costs are compared with those of
 * harmless calls: a busy machine takes its time for both.
 */
// A busy machine takes long for six keys.
const appliance = applianceForTests(() => TestAppliance.own({ ...twoWorkers, hsm: { deadlineMs: 60_000 } }))
const attacker = vaultForTests(appliance)
const victim = vaultForTests(appliance)
let victimUser: TestUser

beforeAll(async () => {
  victimUser = await appliance.addUser()
})

/** A slow machine takes minutes for keys and signatures by RSA. */
const patient = { timeout: 600_000 }

/**
 * How many times longer an attack takes than a harmless work, by the quickest of some tries, which the machine disturbed
 * least. They take turns, so that both meet the same machine.
 */
async function costOf(attack: () => Promise<unknown>, harmless: () => Promise<unknown>): Promise<number> {
  const [attackMs, harmlessMs]: [number[], number[]] = [[], []]
  for (let tried = 0; tried < 5; tried += 1)
    for (const [work, tries] of [
      [harmless, harmlessMs],
      [attack, attackMs],
    ] as const) {
      const startedMs = performance.now()
      await work()
      tries.push(performance.now() - startedMs)
    }
  return Math.min(...attackMs) / Math.min(...harmlessMs)
}

/**
 * Repeats the works of another user during the attack, but at least once. Resolves to its answers, and to how many of
 * them came during each work; in the middle, because any number may come while the machine stands still.
 */
async function during<W extends string>(
  attack: readonly Promise<Answer>[],
  works: Readonly<Record<W, (round: number) => Promise<unknown>>>,
) {
  const answers: Answer[] = []
  const ending = Promise.all(attack.map((call) => call.then((answer) => answers.push(answer))))
  ending.catch(() => undefined)
  const waits = new Map<string, number[]>(Object.keys(works).map((name) => [name, []]))
  let round = 0
  do {
    for (const [name, work] of Object.entries<(round: number) => Promise<unknown>>(works)) {
      const before = answers.length
      await work(round)
      waits.get(name)?.push(answers.length - before)
    }
    round += 1
  } while (answers.length < attack.length)
  await ending
  const middle = (counts: readonly number[]) => counts.toSorted((a, b) => a - b)[Math.floor(counts.length / 2)] ?? 0
  return { answers, waits: [...waits].map(([name, counts]) => ({ name, passed: middle(counts) })) }
}

describe('RSA keys', () => {
  it('six of 4096 bits at once hold nobody up', patient, async () => {
    const ciphertext = await victim.encrypt('mine', 'c2VjcmV0')
    const attack = Array.from({ length: 6 }, (_, at) =>
      attacker.admin.post(`/transparent/${attacker.id}/keys/large-${at}`, { type: 'rsa-4096' }),
    )
    const { answers, waits } = await during(attack, {
      decryption: () => victim.decrypt('mine', ciphertext),
      edit: (round) => victim.encrypt(`new-${round}`, 'c2VjcmV0'),
      login: () => appliance.login(victimUser),
    })
    expect(answers.filter(({ status }) => status === 201).length).toBeGreaterThan(0)
    // A user waits for one key of somebody else at most.
    expect(waits.filter(({ passed }) => passed > 1)).toEqual([])
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

  it('by twelve keys of one user do not take twelve turns before one of another user', patient, async () => {
    const names = Array.from({ length: 12 }, (_, at) => `signer-${at}`)
    for (const name of names) await makeSigner(attacker, name, 'rsa-3072')
    await makeSigner(victim, 'single', 'rsa-3072')
    const count = 240
    const attack = Array.from({ length: count }, (_, at) => sign(attacker, names[at % 12] ?? ''))
    const { answers, waits } = await during(attack, { signature: () => sign(victim, 'single') })
    expect([...new Set(answers.map(({ status }) => status))]).toEqual([200])
    expect(waits.filter(({ passed }) => passed >= 8)).toEqual([])
  })

  it('hundreds at once hold up no decryption, and no signature of another user', patient, async () => {
    const ciphertext = await victim.encrypt('mine', 'c2VjcmV0')
    for (const vault of [attacker, victim]) await makeSigner(vault, 'signer')
    const count = 300
    const attack = Array.from({ length: count }, () => sign(attacker, 'signer'))
    const { answers, waits } = await during(attack, {
      decryption: () => victim.decrypt('mine', ciphertext),
      signature: () => sign(victim, 'signer'),
    })
    expect([...new Set(answers.map(({ status }) => status))]).toEqual([200])
    // Without turns, others would wait for all 64 signatures that the attacker's connections request at once.
    expect(waits.filter(({ passed }) => passed >= 32)).toEqual([])
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
    let answers: Answer[] = []
    const guessing = async () => {
      answers = await many(() => attacker.admin.call('PUT', '/auth/passphrase', { body: attempt }))
    }
    expect(await costOf(guessing, () => many(() => attacker.admin.get('/vault')))).toBeLessThan(5)
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
    const attack = async () => {
      const { status, json } = await collect(form(file))
      expect([status, json.CALLINFO.general]).toEqual([200, [expect.stringContaining('more than 1200 parts')]])
    }
    expect(await costOf(attack, () => collect(text))).toBeLessThan(5)
  })
})
