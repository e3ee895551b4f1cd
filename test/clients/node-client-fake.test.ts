import { expect, it } from 'vitest'
import { NotFoundError, ProtocolError, StrongroomError, ThrottledError } from '../../clients/node/src/errors.ts'
import { createFakeAppliance } from '../../clients/node/src/fake.ts'
import { failureOf } from './node-client-kit.ts'

it('encrypts and decrypts for real, in batches, with versions and additional data', async () => {
  const fake = createFakeAppliance()
  const key = fake.client().key(1, 'k')
  const ciphertexts = await Promise.all(['a', 'b', 'c'].map(async (text) => key.encrypt(text, { aad: text })))
  expect(new Set([...ciphertexts, await key.encrypt('a')]).size).toBe(4)
  expect(fake.calls.map(({ operation }) => operation)).toEqual(['transparent.encrypt', 'transparent.encrypt'])
  const outcomes = await Promise.allSettled(
    ciphertexts.map(async (one, at) => key.decryptText(one, { aad: at === 1 ? 'x' : (['a', 'b', 'c'][at] ?? '') })),
  )
  expect(outcomes.map((one) => (one.status === 'fulfilled' ? one.value : one.reason.number))).toEqual(['a', 1507, 'c'])
  await fake.client().call('transparent.key.rotate', { params: { vaultid: 1, name: 'k' } })
  const fresh = await key.rewrap(ciphertexts[0] ?? '', { aad: 'a' })
  expect(fresh).toMatch(/^service:v2:/)
  expect(await key.decryptText(fresh, { aad: 'a' })).toBe('a')
})

it('signs, makes HMACs, data keys and streams', async () => {
  const client = createFakeAppliance().client()
  for (const [name, type] of [
    ['s', 'ecdsa-p256'],
    ['m', 'hmac-sha256'],
    ['f', 'aes256-gcm96'],
  ] as const)
    await client.call('transparent.key.create', { params: { vaultid: 1, name }, body: { type } })
  const signature = await client.key(1, 's').sign('line')
  expect(await client.key(1, 's').verify('line', signature)).toBe(true)
  expect(await client.key(1, 's').verify('other', signature)).toBe(false)
  const hmac = await client.key(1, 'm').hmac('line')
  expect(await client.key(1, 'm').verifyHmac('line', hmac)).toBe(true)
  expect(await failureOf(client.key(1, 'm').encrypt('x'))).toMatchObject({ code: 'key.wrong_type' })
  async function* source() {
    yield new Uint8Array(1_500_000).fill(7)
  }
  let length = 0
  const key = client.key(1, 'f')
  for await (const piece of key.decryptStream(key.encryptStream(source()))) length += piece.length
  expect(length).toBe(1_500_000)
})

it('fails as it is told, and the client does what it does before an appliance', async () => {
  const fake = createFakeAppliance()
  const client = fake.client()
  const key = client.key(1, 'k')
  const ciphertext = await key.encrypt('secret')
  fake.fail('transparent.decrypt', 'key.version_disabled')
  expect(await failureOf(key.decrypt(ciphertext))).toMatchObject({ number: 1509, status: 409 })
  for (const failure of ['network', 'cut', 'html', 'hsm.unavailable'] as const)
    fake.fail('transparent.decrypt', failure)
  expect(await key.decryptText(ciphertext)).toBe('secret')
  fake.fail('transparent.decrypt', 'request.quota', { retryAfterSeconds: 60 })
  const throttled = await failureOf(key.decrypt(ciphertext))
  expect(throttled).toBeInstanceOf(ThrottledError)
  expect(throttled).toMatchObject({ retryAfterMs: 60_000 })
  fake.fail('transparent.key.create', 'html')
  const made = client.call('transparent.key.create', { params: { vaultid: 1, name: 'new' } })
  expect(await failureOf(made)).toBeInstanceOf(ProtocolError)
  expect(await failureOf(client.key(1, 'gone').decrypt(ciphertext))).toBeInstanceOf(NotFoundError)
})

it('ends sessions, and answers what a test says', async () => {
  const fake = createFakeAppliance()
  const client = fake.client()
  expect((await client.call('vault.list')).VAULTS).toMatchObject([{ id: '1', groupname: 'Test' }])
  fake.endSessions()
  await Promise.all([1, 2, 3].map(async () => client.call('vault.list')))
  expect(fake.logins).toBe(2)
  const unknown = await failureOf(client.call('object.read', { params: { objectid: 7 } }))
  expect(unknown).toBeInstanceOf(StrongroomError)
  expect(String(unknown)).toContain('answer()')
  fake.answer('object.read', ({ params, query }) => ({ members: { OBJECT: [{ id: params['objectid'], query }] } }))
  const { OBJECT } = await client.call('object.read', { params: { objectid: 7 }, query: { decrypt: true } })
  expect(OBJECT).toEqual([{ id: '7', query: { decrypt: 'true' } }])
  await client.logout()
  await client.call('vault.list')
  expect(fake.logins).toBe(3)
})

it('logs out of a session that has ended without another login', async () => {
  const fake = createFakeAppliance()
  const tokens: (string | undefined)[] = []
  const client = fake.client({ onToken: (token) => tokens.push(token) })
  await client.login()
  fake.endSessions()
  await client.logout()
  expect(fake.logins).toBe(1)
  expect(tokens).toEqual(['fake-1', undefined])
})
