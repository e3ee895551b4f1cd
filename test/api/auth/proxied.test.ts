import { describe, expect, it } from 'vitest'
import { TestAppliance } from '../../support/appliance.ts'
import { applianceForTests } from '../../support/for-tests.ts'
import { expectFault } from '../../support/client.ts'
import { HardwareToken } from '../../support/hardware-token.ts'
import { eventsOf } from '../../support/trail.ts'

const stranger = '198.51.100.66'
const colleague = '203.0.113.7'
const login = { freeAttempts: 2, firstDelayMs: 900_000, argon2: { memoryKiB: 8192, passes: 1 } }

// The tests take the place of the nearest proxy, at 127.0.0.1.
const appliance = applianceForTests(() =>
  TestAppliance.own({
    http: { workers: 1, proxies: ['127.0.0.1', '192.0.2.0/24', '2001:db8:ff::/48'] },
    login,
  }),
)

/** A login with `written` as X-Forwarded-For. Resolves to the address in the audit trail. */
async function logIn(from: TestAppliance, body: object, written?: string) {
  const headers = written === undefined ? {} : { 'X-Forwarded-For': written }
  const answer = await from.client().call('POST', '/auth', { body, headers })
  return { answer, address: eventsOf(from).findLast(({ operation }) => operation === 'auth.login')?.['address'] }
}

describe('X-Forwarded-For', () => {
  const written: readonly (readonly [string, string | undefined, string])[] = [
    ['with one address, is the client', colleague, colleague],
    [
      'is read from its end: what a client has written itself counts for nothing',
      `${stranger}, ${colleague}`,
      colleague,
    ],
    ['is read past further proxies', `${stranger}, ${colleague}, 192.0.2.9,192.0.2.7`, colleague],
    ['may hold IPv6', `${colleague}, 2001:db8::7, 2001:db8:ff::1`, '2001:db8::7'],
    ['may map IPv4 into it', `::ffff:${colleague}`, colleague],
    ['of proxies alone, is the first of them', '192.0.2.9, 192.0.2.7', '192.0.2.9'],
    ['that is missing, leaves the proxy', undefined, '127.0.0.1'],
    ['that is empty, leaves the proxy', '', '127.0.0.1'],
    ['that ends in no address, leaves the proxy', `${colleague}, unknown`, '127.0.0.1'],
    ['with a name, leaves the proxy', 'client.example.test', '127.0.0.1'],
    ['with a port, leaves the proxy', `${colleague}:443`, '127.0.0.1'],
  ]
  it.each(written)('%s', async (_what, header, address) => {
    const body = appliance.credentials(await appliance.addUser())
    expect(await logIn(appliance, body, header)).toMatchObject({ answer: { status: 200 }, address })
  })

  it('tells the delays who fails: a stranger behind the same proxy delays nobody else', async () => {
    const user = await appliance.addUser()
    const guess = () => ({ ...appliance.credentials(user), otp: new HardwareToken().press() })
    for (let attempt = 0; attempt < login.freeAttempts; attempt++)
      expectFault((await logIn(appliance, guess(), stranger)).answer, 403, 1201)
    expectFault((await logIn(appliance, guess(), stranger)).answer, 429, 1202)
    expectFault((await logIn(appliance, guess(), `192.0.2.200, ${stranger}`)).answer, 429, 1202)
    expectFault((await logIn(appliance, guess(), colleague)).answer, 403, 1201)
  })

  it('means nothing from anybody else: no address of his own choice gets a guesser round the delays', async () => {
    const direct = await TestAppliance.own({ login, http: { workers: 1, proxies: ['192.0.2.1'] } })
    try {
      const user = await direct.addUser()
      const guess = () => ({ ...direct.credentials(user), otp: new HardwareToken().press() })
      const tries = []
      for (const last of [1, 2, 3]) tries.push(await logIn(direct, guess(), `198.51.100.${last}`))
      expect(tries.map(({ answer }) => answer.status)).toEqual([403, 403, 429])
      expect(tries.map(({ address }) => address)).toEqual(['127.0.0.1', '127.0.0.1', '127.0.0.1'])
    } finally {
      await direct.close()
    }
  })
})
