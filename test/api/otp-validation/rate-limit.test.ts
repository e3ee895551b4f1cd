import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createRateLimit } from '../../../src/features/otp-validation/rate-limit.ts'
import { TestValidator } from './validation-kit.ts'

describe('the rate of an address', () => {
  let now = 1_000_000
  const reported: string[] = []
  const limit = (requestsPerSecond: number) =>
    createRateLimit({ requestsPerSecond, now: () => now, report: (address) => reported.push(address) })

  const admitted = (times: number, ask: () => boolean): number =>
    Array.from({ length: times }, ask).filter(Boolean).length

  it('allows a second of requests at once, then goes on at its pace', () => {
    const rate = limit(10)
    expect(admitted(50, () => rate.allows('192.0.2.1'))).toBe(10)
    now += 500
    expect(admitted(50, () => rate.allows('192.0.2.1'))).toBe(5)
    now += 60_000
    expect(admitted(50, () => rate.allows('192.0.2.1'))).toBe(10)
  })

  it('is reported once each time that it begins to be too high', () => {
    reported.length = 0
    const rate = limit(2)
    admitted(20, () => rate.allows('192.0.2.2'))
    expect(reported).toEqual(['192.0.2.2'])
    now += 10_000
    admitted(20, () => rate.allows('192.0.2.2'))
    expect(reported).toEqual(['192.0.2.2', '192.0.2.2'])
  })

  it('is its own, and shared by the 64 bits of an IPv6 network', () => {
    const rate = limit(1)
    expect(rate.allows('192.0.2.3')).toBe(true)
    expect(rate.allows('192.0.2.4')).toBe(true)
    expect(rate.allows('2001:db8:0:1::1')).toBe(true)
    expect(rate.allows('2001:db8:0:1:ffff::2')).toBe(false)
    expect(rate.allows('2001:db8:0:2::1')).toBe(true)
    expect(rate.allows('fe80::1%eth0')).toBe(true)
  })

  it('is remembered for 10,000 addresses', () => {
    const rate = limit(1)
    expect(rate.allows('192.0.2.6')).toBe(true)
    for (let at = 0; at < 9_999; at++) rate.allows(`address ${at}`)
    expect(rate.allows('192.0.2.6')).toBe(false)
    for (let at = 0; at < 10_000; at++) rate.allows(`another ${at}`)
    expect(rate.allows('192.0.2.6')).toBe(true)
  })
})

describe('a program that asks too often', () => {
  let validator: TestValidator
  beforeAll(async () => {
    validator = await TestValidator.start({
      http: { workers: 1, proxies: ['127.0.0.1'] },
      validator: { requestsPerSecond: 5 },
    })
  })
  afterAll(() => validator.close())

  it('is answered with 429 beyond its rate, which uses nothing up, leaves no record and is told to the journal', async () => {
    const client = await validator.addClient()
    const { hardwareToken } = await validator.appliance.addUser()
    const answers = await Promise.all(
      Array.from({ length: 60 }, () => validator.ask(`id=${client.id}&nonce=${'n'.repeat(16)}`)),
    )
    const refused = answers.filter(({ status }) => status === 429)
    expect(refused.length).toBeGreaterThan(0)
    expect(refused.length + validator.records().length).toBe(60)
    for (const { headers, text } of refused) {
      expect(headers['retry-after']).toBe('1')
      expect(text).toBe('Too many requests from this address.\r\n')
    }
    expect(validator.appliance.journal).toMatch(/asks the validator more often/)
    const headers = { 'X-Forwarded-For': '192.0.2.9' }
    expect((await validator.ask(`id=${client.id}`, { headers })).members['status']).toBe('MISSING_PARAMETER')
    expect(validator.records().at(-1)).toMatchObject({ address: '192.0.2.9' })
    const otp = hardwareToken.press()
    await expect.poll(async () => (await validator.verify(client, otp)).members['status']).toBe('OK')
  })
})
