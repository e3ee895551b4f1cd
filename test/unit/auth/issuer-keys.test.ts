import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createIssuerKeys } from '../../../src/features/auth/issuer-keys.ts'
import { makePair, type SigningPair } from '../../support/assertion-kit.ts'
import { JwksServer } from '../../support/jwks-server.ts'

/** Keys of an issuer that come by URL, of a server that answers as it likes. */
const issuer = 'https://issuer.example'
const server = new JwksServer()
let jwksUrl: string
let first: SigningPair
let second: SigningPair
let now = 0
let reports: string[] = []

beforeAll(async () => {
  jwksUrl = await server.start()
  ;[first, second] = await Promise.all([makePair(), makePair()])
})
afterAll(() => server.stop())
beforeEach(() => {
  server.asked = 0
  reports = []
  server.serves(first.jwk)
})

const issuerKeys = (jwksCa: string | undefined = server.ca) =>
  createIssuerKeys([{ issuer, jwksUrl, jwksCa }], { now: () => now }, (sentence, cause) =>
    reports.push(`${sentence} ${String(cause)}`),
  )
const keyIdsIn = (set: Uint8Array | undefined): unknown =>
  JSON.parse(Buffer.from(set ?? Buffer.alloc(0)).toString()).keys.map(({ kid }: { kid: string }) => kid)

describe('keys of an issuer', () => {
  it('are fetched once for all who ask, and again when they are old', async () => {
    const keys = issuerKeys()
    await Promise.all(Array.from({ length: 200 }, () => keys.of(issuer, first.kid)))
    expect(server.asked).toBe(1)
    now += 299_000
    await keys.of(issuer, first.kid)
    expect(server.asked).toBe(1)
    now += 2_000
    await keys.of(issuer, first.kid)
    expect(server.asked).toBe(2)
  })

  it('that were swapped come with the first assertion that names a new one', async () => {
    const keys = issuerKeys()
    expect(keyIdsIn(await keys.of(issuer, first.kid))).toEqual([first.kid])
    server.serves(second.jwk)
    now += 60_000
    expect(keyIdsIn(await keys.of(issuer, second.kid))).toEqual([second.kid])
  })

  it('that were fetched while the clock was ahead are fetched again once it is right', async () => {
    const keys = issuerKeys()
    now += 86_400_000
    await keys.of(issuer, first.kid)
    now -= 86_400_000
    server.serves(second.jwk)
    expect(keyIdsIn(await keys.of(issuer, second.kid))).toEqual([second.kid])
  })

  it('are fetched once a minute at most for keys that a stranger makes up', async () => {
    const keys = issuerKeys()
    for (let at = 0; at < 50; at++) await keys.of(issuer, `made up ${at}`)
    expect(server.asked).toBe(1)
    now += 60_000
    for (let at = 0; at < 50; at++) await keys.of(issuer, `made up ${at}`)
    expect(server.asked).toBe(2)
  })

  it('are none of an issuer that is not known, or whose keys lie in a file', async () => {
    expect(await issuerKeys().of('https://other.example', undefined)).toBeUndefined()
  })

  it('stay good for a day while the server is gone', async () => {
    const keys = issuerKeys()
    await keys.of(issuer, first.kid)
    server.answers((request) => request.socket.destroy())
    now += 86_000_000
    expect(keyIdsIn(await keys.of(issuer, first.kid))).toEqual([first.kid])
    expect(reports).toEqual([expect.stringContaining('those fetched before stay in force for a day')])
    now += 500_000
    await expect(keys.of(issuer, first.kid)).rejects.toMatchObject({ code: 'login.refused' })
    server.serves(first.jwk)
    now += 60_000
    await keys.of(issuer, first.kid)
  })
})

describe('an answer is no set of keys', () => {
  const elsewhere = new JwksServer()
  let elsewhereUrl: string
  beforeAll(async () => {
    elsewhereUrl = await elsewhere.start()
  })
  afterAll(() => elsewhere.stop())
  const refused = async (keys: ReturnType<typeof createIssuerKeys>, why: RegExp) => {
    await expect(keys.of(issuer, first.kid)).rejects.toMatchObject({ code: 'login.refused' })
    expect(reports).toEqual([expect.stringMatching(why)])
    // It is not tried again at once.
    await expect(keys.of(issuer, first.kid)).rejects.toMatchObject({ code: 'login.refused' })
    expect(server.asked).toBeLessThanOrEqual(1)
  }

  it('of 10 MB, which is not read to its end', async () => {
    let sent = 0
    server.answers((_request, response) => {
      const more = (): void => {
        while (sent < 10_000_000) {
          sent += 65_536
          if (!response.write(Buffer.alloc(65_536, 0x20))) return void response.once('drain', more)
        }
        response.end()
      }
      more()
    })
    await refused(issuerKeys(), /too long/)
    expect(sent).toBeLessThan(10_000_000)
  })

  it('that comes too slowly', async () => {
    server.answers((_request, response) => {
      const drip = setInterval(() => response.write(' '), 50)
      response.once('close', () => clearInterval(drip))
    })
    await refused(issuerKeys(), /abort|timeout/i)
  })

  it('that points elsewhere, where nothing asks', async () => {
    server.answers((_request, response) => response.writeHead(302, { Location: elsewhereUrl }).end())
    await refused(issuerKeys(), /status 302/)
    expect(elsewhere.asked).toBe(0)
  })

  it.each([
    ['that is HTML', '<html></html>', /JSON/],
    ['that is cut', '{"keys":[{"kty"', /JSON/],
    ['with a private key', '{"keys":[{"kty":"OKP","d":"x"}]}', /private key/],
  ])('%s', async (_which, text, why) => {
    server.answers((_request, response) => response.end(text))
    await refused(issuerKeys(), why)
  })

  it('of a server that no CA of the setting has issued', async () => {
    const keys = createIssuerKeys([{ issuer, jwksUrl }], { now: () => now }, (sentence, cause) =>
      reports.push(`${sentence} ${String(cause)}`),
    )
    await refused(keys, /certificate/)
    expect(server.asked).toBe(0)
  })
})
