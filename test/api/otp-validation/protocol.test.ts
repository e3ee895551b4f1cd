import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { HardwareToken } from '../../support/hardware-token.ts'
import { expectUnharmed } from '../../support/health.ts'
import {
  expectSigned,
  newNonce,
  queryOf,
  signature,
  TestValidator,
  type TestValidationClient,
} from './validation-kit.ts'

let validator: TestValidator
let client: TestValidationClient
let token: HardwareToken

beforeAll(async () => {
  validator = await TestValidator.start()
  client = await validator.addClient()
  token = (await validator.appliance.addUser()).hardwareToken
})
afterAll(async () => {
  await expectUnharmed(validator.appliance)
  await validator.close()
})

describe('an answer', () => {
  it('repeats OTP and nonce, tells the sync level, and is signed with the key of the client', async () => {
    const otp = token.press()
    const nonce = 'abcdefghij0123456789ABCDEFGHIJ0123456789'
    const answer = await validator.verify(client, otp, { nonce, sl: '50', timeout: '8' })
    expectSigned(answer, client)
    const { t, ...members } = answer.members
    expect(members).toEqual({ h: expect.any(String), otp, nonce, sl: '100', status: 'OK' })
    expect(Math.abs(Date.parse(`${t?.slice(0, 19)}Z`) - Date.now())).toBeLessThan(60_000)
    expect(answer.headers['cache-control']).toBe('no-store')
  })

  it('tells what the token told of itself when asked with timestamp=1', async () => {
    token.replug()
    const { members } = await validator.verify(client, token.press(), { timestamp: '1' })
    // The values of HardwareToken: clock 0x051234, first use of this session.
    expect(members).toMatchObject({
      status: 'OK',
      timestamp: String(0x051234),
      sessioncounter: String(token.useCounter),
      sessionuse: '1',
    })
    expect((await validator.verify(client, token.press(), { timestamp: '0' })).members).not.toHaveProperty('timestamp')
  })

  it('repeats the OTP as it was sent, in capitals too, which are one OTP with the others', async () => {
    const otp = token.press()
    const { members } = await validator.verify(client, otp.toUpperCase())
    expect(members).toMatchObject({ status: 'OK', otp: otp.toUpperCase() })
    expect(await validator.status(client, otp)).toBe('REPLAYED_OTP')
  })

  it('is recorded before it leaves: who asked, for which token, with which word', async () => {
    const answer = await validator.verify(client, token.press())
    const record = validator.records().find(({ requestId }) => requestId === answer.headers['x-request-id'])
    expect(record).toMatchObject({
      outcome: 'OK',
      subject: token.publicId,
      username: `validation client ${client.name}`,
      address: '127.0.0.1',
    })
  })
})

describe('an OTP', () => {
  it('is good once: REPLAYED_REQUEST with the nonce of the first time, else REPLAYED_OTP', async () => {
    const otp = token.press()
    const nonce = newNonce()
    expect(await validator.status(client, otp, { nonce })).toBe('OK')
    expect(await validator.status(client, otp, { nonce })).toBe('REPLAYED_REQUEST')
    expect(await validator.status(client, otp)).toBe('REPLAYED_OTP')
    expect(await validator.status(client, otp, { nonce })).toBe('REPLAYED_REQUEST')
    expect(await validator.status(client, token.press(), { nonce })).toBe('OK')
    expect(await validator.status(client, otp, { nonce })).toBe('REPLAYED_OTP')
  })

  it('made before the last one accepted is a replay', async () => {
    const earlier = token.press()
    expect(await validator.status(client, token.press())).toBe('OK')
    expect(await validator.status(client, earlier)).toBe('REPLAYED_OTP')
  })

  it.each([
    ['of an unknown token', () => `cccccccccccc${token.press().slice(12)}`],
    ['with another key', () => token.otpAt(0x7000, 1, { key: '00'.repeat(16) })],
    ['with another private id', () => token.otpAt(0x7000, 1, { privateId: '00'.repeat(6) })],
    ['with one letter changed', () => token.press().replace(/.$/, (letter) => (letter === 'c' ? 'b' : 'c'))],
    ['too short', () => token.press().slice(0, 43)],
    ['too long', () => `${token.press()}c`],
    ['of letters that are none of modhex', () => 'a'.repeat(44)],
    ['a code of six digits', () => '123456'],
  ])('%s is BAD_OTP', async (_name, otp) => {
    expect(await validator.status(client, otp())).toBe('BAD_OTP')
  })
})

describe('a signature', () => {
  const signed = (otp: string) => ({ id: String(client.id), nonce: newNonce(), otp })
  const askWith = async (members: Record<string, string>, h: string) =>
    (await validator.ask(`${queryOf(members)}&h=${encodeURIComponent(h)}`)).members['status']

  it('covers every parameter, known or not, in the order of their names and not of their places', async () => {
    const members = { zone: 'vpn', otp: token.press(), sl: 'secure', nonce: newNonce(), id: String(client.id) }
    const h = signature(client.key, members)
    for (const name of ['otp', 'nonce', 'sl', 'zone'] as const) {
      const changed = { ...members, [name]: { ...signed(token.press()), sl: 'fast', zone: 'door' }[name] }
      expect(await askWith(changed, h), name).toBe('BAD_SIGNATURE')
    }
    expect(await askWith(members, h)).toBe('OK')
  })

  it.each([
    ['of another client', async (members: object) => signature((await validator.addClient()).key, { ...members })],
    // HMAC pads keys with zeros: a key of one zero byte equals the empty key.
    ['of an empty key', (members: object) => signature('AA==', { ...members })],
    ['cut short', (members: object) => signature(client.key, { ...members }).slice(0, 20)],
    ['with another last bit', (members: object) => signature(client.key, { ...members }).replace(/.=$/, '/=')],
    ['in another alphabet', (members: object) => `-${signature(client.key, { ...members }).slice(1)}`],
    ['that is empty', () => ''],
  ])('%s is BAD_SIGNATURE, and the OTP stays good', async (_name, sign) => {
    const members = signed(token.press())
    expect(await askWith(members, await sign(members))).toBe('BAD_SIGNATURE')
    expect(await validator.status(client, members.otp)).toBe('OK')
  })

  it('may be missing only where the client was made so', async () => {
    const members = signed(token.press())
    const refused = await validator.ask(queryOf(members))
    expectSigned(refused, client)
    expect(refused.members['status']).toBe('BAD_SIGNATURE')

    const lenient = await validator.addClient(true)
    const unsigned = { ...members, id: String(lenient.id) }
    expect(await askWith(unsigned, signature(client.key, unsigned))).toBe('BAD_SIGNATURE')
    const answer = await validator.ask(queryOf(unsigned))
    expectSigned(answer, lenient)
    expect(answer.members['status']).toBe('OK')
  })
})

describe('a request', () => {
  it('for a client that does not exist is NO_SUCH_CLIENT, without a signature', async () => {
    const answer = await validator.verify({ ...client, id: 999_999 }, token.press())
    expect(answer.members).toMatchObject({ status: 'NO_SUCH_CLIENT', h: '' })
  })

  const nonce = 'n'.repeat(16)
  it.each([
    ['nothing', ''],
    ['no id', `nonce=${nonce}&otp=x`],
    ['id 0', `id=0&nonce=${nonce}&otp=x`],
    ['a negative id', `id=-1&nonce=${nonce}&otp=x`],
    ['a hexadecimal id', `id=0x1&nonce=${nonce}&otp=x`],
    ['a huge id', `id=99999999999999999999&nonce=${nonce}&otp=x`],
    ['two ids', `id=1&id=1&nonce=${nonce}&otp=x`],
    ['two OTPs', `id=1&nonce=${nonce}&otp=x&otp=y`],
    ['two signatures', `id=1&nonce=${nonce}&otp=x&h=a&h=b`],
    ['no nonce', 'id=1&otp=x'],
    ['a nonce of 15 characters', `id=1&otp=x&nonce=${'n'.repeat(15)}`],
    ['a nonce of 41 characters', `id=1&otp=x&nonce=${'n'.repeat(41)}`],
    ['a nonce with a dash', `id=1&otp=x&nonce=${nonce}-`],
    ['a nonce with a line break', `id=1&otp=x&nonce=${nonce}%0d%0astatus=OK`],
    ['an OTP with a line break', `id=1&nonce=${nonce}&otp=x%0d%0astatus=OK`],
    ['an OTP with NUL', `id=1&nonce=${nonce}&otp=x%00`],
    ['an OTP of four-byte Unicode', `id=1&nonce=${nonce}&otp=%F0%9F%94%91`],
    ['broken UTF-8', `id=1&nonce=${nonce}&otp=%FF`],
    ['an OTP of 129 characters', `id=1&nonce=${nonce}&otp=${'c'.repeat(129)}`],
    ['sl over 100', `id=1&nonce=${nonce}&otp=x&sl=101`],
    ['sl below 0', `id=1&nonce=${nonce}&otp=x&sl=-1`],
    ['sl in words of its own', `id=1&nonce=${nonce}&otp=x&sl=slow`],
    ['a timeout that is no number', `id=1&nonce=${nonce}&otp=x&timeout=soon`],
    ['a separator in a value', `id=1&nonce=${nonce}&otp=x&more=a%26otp=y`],
    ['names that every object has', 'constructor=1&__proto__=2&toString=3&hasOwnProperty=4'],
    ['a second question mark', `id=1&nonce=${nonce}&otp=x?otp=y`],
    ['200 parameters', Array.from({ length: 200 }, (_, at) => `p${at}`).join('&')],
    ['a separator in a name', `id=1&nonce=${nonce}&otp=x&a%3Db=c`],
  ])('with %s is MISSING_PARAMETER, and nothing unfit is repeated', async (_name, query) => {
    const { status, members, text } = await validator.ask(query)
    expect({ status, word: members['status'] }).toEqual({ status: 200, word: 'MISSING_PARAMETER' })
    expect(text).toMatch(/^(?:[a-z]+=[\w.:+/=-]*\r\n)+\r\n$/)
    expect(text.match(/status=/g)).toHaveLength(1)
  })

  it('without an OTP is MISSING_PARAMETER where all else is right', async () => {
    expect(await validator.status(client, '')).toBe('MISSING_PARAMETER')
  })

  it.each([
    ['another path', { path: '/wsapi/2.0/verif' }, 404],
    ['the old protocol', { path: `/wsapi/verify?id=1&otp=x` }, 404],
    ['a path of the API', { path: '/api/1.0/authinfo/logintypes' }, 404],
    ['POST', { method: 'POST', body: 'id=1' }, 405],
    ['a large POST', { method: 'POST', body: 'x'.repeat(1 << 20) }, 405],
    ['HEAD', { method: 'HEAD' }, 405],
    ['OPTIONS', { method: 'OPTIONS' }, 405],
    ['an address of 2,000 characters', { path: `/wsapi/2.0/verify?id=1&otp=${'x'.repeat(2000)}` }, 414],
  ])('with %s is refused in plain words', async (name, how, status) => {
    const answer = await validator.ask('id=1', how)
    expect(answer.status).toBe(status)
    expect(answer.headers['content-type']).toBe('text/plain; charset=us-ascii')
    if (status === 405) expect(answer.headers['allow']).toBe('GET')
    expect(answer.text).toMatch(name === 'HEAD' ? /^$/ : /^There is only GET|^An address has/)
  })

  it('leaves a record even when it is refused, and none of them holds an OTP', async () => {
    const otp = token.press()
    await validator.verify({ ...client, id: 999_999 }, otp)
    const words = validator.records().map(({ outcome }) => outcome)
    for (const word of ['MISSING_PARAMETER', 'NO_SUCH_CLIENT', 'BAD_SIGNATURE', 'BAD_OTP', 'REPLAYED_OTP'])
      expect(words).toContain(word)
    expect(JSON.stringify(validator.records()) + validator.appliance.journal).not.toContain(otp.slice(12))
  })
})
