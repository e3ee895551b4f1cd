import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { readCertificate, type Certificate } from '../../../src/features/certificates/certificate.ts'
import { createOcsp, type Ocsp, type OcspOptions } from '../../../src/features/certificates/ocsp.ts'
import { pemBlocks } from '../../../src/encoding/pem.ts'
import { systemClock } from '../../../src/clock.ts'
import { freePort } from '../../support/appliance.ts'
import { ClientCa, caExtensions, type Card } from '../../support/client-pki.ts'
import { OcspResponder } from '../../support/ocsp-responder.ts'

const ca = new ClientCa()
const stranger = new ClientCa()
const notVouchedFor = 'not vouched for by the OCSP responder'
const open: OcspResponder[] = []
const servers: Server[] = []
let problems: unknown[] = []

beforeEach(() => void (problems = []))
afterEach(async () => {
  for (const responder of open.splice(0)) await responder.stop()
  for (const server of servers.splice(0)) server.close()
})

function read({ certificate }: Pick<Card, 'certificate'>): Certificate {
  const [block] = pemBlocks(readFileSync(certificate, 'latin1'))
  return readCertificate(block?.bytes ?? Buffer.alloc(0))
}

async function responder(...given: Parameters<typeof OcspResponder.start>): Promise<string> {
  const started = await OcspResponder.start(...given)
  open.push(started)
  return started.url
}

const clock = { ms: 0, now: () => systemClock.now() + clock.ms }

function ocsp(ocspResponder: string | undefined, options: Partial<OcspOptions> = {}): Ocsp {
  const usual = { ocsp: 'hard', ocspTimeoutMs: 10_000, ocspCacheMs: 1, ocspResponder } as const
  return createOcsp({ ...usual, ...options }, clock, (_sentence, cause) => problems.push(cause))
}

describe('the responder of the CA', () => {
  it('vouches for a card until it is revoked', async () => {
    const card = ca.issue('/CN=Alice')
    expect(await ocsp(await responder(ca)).rejectReason(read(card), read(ca))).toBeUndefined()
    ca.revoke(card)
    expect(await ocsp(await responder(ca)).rejectReason(read(card), read(ca))).toBe('revoked')
    expect(problems).toEqual([])
  })

  it('may have made another its responder, for this alone', async () => {
    const card = read(ca.issue('/CN=Alice'))
    const uses = (use: string) => ca.issue('/CN=Responder', { extensions: [`extendedKeyUsage=${use}`] })
    expect(await ocsp(await responder(ca, uses('OCSPSigning'))).rejectReason(card, read(ca))).toBeUndefined()
    expect(await ocsp(await responder(ca, uses('clientAuth'))).rejectReason(card, read(ca))).toBe(notVouchedFor)
    const expired = ca.issue('/CN=Responder', {
      extensions: ['extendedKeyUsage=OCSPSigning'],
      validFromMs: -7_200_000,
      validForMs: 3_600_000,
    })
    expect(await ocsp(await responder(ca, expired)).rejectReason(card, read(ca))).toBe(notVouchedFor)
  })

  it('is not another person with the same name', async () => {
    const card = read(ca.issue('/CN=Alice'))
    const forger = stranger.issue('/CN=Responder', { extensions: ['extendedKeyUsage=OCSPSigning'] })
    for (const signer of [stranger, forger])
      expect(await ocsp(await responder(ca, signer)).rejectReason(card, read(ca))).toBe(notVouchedFor)
  })

  it('that does not know the card refuses it, however soft the setting', async () => {
    const twin = new ClientCa('/CN=Card CA/O=Example', undefined, caExtensions)
    const known = read(ca.issue('/CN=Alice'))
    expect(await ocsp(await responder(twin), { ocsp: 'soft' }).rejectReason(known, read(ca))).toBeUndefined()
    const forgotten = twin.issue('/CN=Bob')
    expect(await ocsp(await responder(twin)).rejectReason(read(forgotten), read(twin))).toBeUndefined()
    twin.forget()
    expect(await ocsp(await responder(twin), { ocsp: 'soft' }).rejectReason(read(forgotten), read(twin))).toBe(
      'unknown to its CA',
    )
  })

  it('is named by the certificate where the configuration names none', async () => {
    const port = await freePort()
    const extensions = ['extendedKeyUsage=clientAuth', `authorityInfoAccess=OCSP;URI:http://127.0.0.1:${port}/`]
    const [naming, silent] = [read(ca.issue('/CN=Alice', { extensions })), read(ca.issue('/CN=Alice'))]
    await responder(ca, ca, [], port)
    expect(await ocsp(undefined).rejectReason(naming, read(ca))).toBeUndefined()
    expect(await ocsp(undefined).rejectReason(silent, read(ca))).toBe(notVouchedFor)
  })
})

describe('no good answer', () => {
  const answers: readonly (readonly [string, (reply: Buffer) => Buffer])[] = [
    ['nothing', () => Buffer.alloc(0)],
    ['garbage', () => Buffer.from('garbage')],
    ['half of it', (reply) => reply.subarray(0, reply.length / 2)],
    ['a changed one', (reply) => (reply.writeUInt8(reply.readUInt8(80) ^ 1, 80), reply)],
    ['a very long one', () => Buffer.alloc(1 << 20)],
  ]
  it.each(answers)('%s refuses when hard, passes when soft, and is told', async (_what, change) => {
    const card = read(ca.issue('/CN=Alice'))
    const url = await between(await responder(ca), change)
    expect(await ocsp(url).rejectReason(card, read(ca))).toBe(notVouchedFor)
    expect(await ocsp(url, { ocsp: 'soft' }).rejectReason(card, read(ca))).toBeUndefined()
    expect(problems).toHaveLength(2)
  })

  it('of one that takes too long, or is not there', async () => {
    const card = read(ca.issue('/CN=Alice'))
    const silent = await serving(() => undefined)
    expect(await ocsp(silent, { ocspTimeoutMs: 50 }).rejectReason(card, read(ca))).toBe(notVouchedFor)
    expect(await ocsp('http://127.0.0.1:1/').rejectReason(card, read(ca))).toBe(notVouchedFor)
  })

  it('is one to another question, or one of yesterday', async () => {
    const card = read(ca.issue('/CN=Alice'))
    const origin = await responder(ca, ca, ['-nmin', '60'])
    const kept: Buffer[] = []
    const url = await between(origin, (reply) => (kept.push(reply), kept[0] ?? reply))
    expect(await ocsp(url).rejectReason(card, read(ca))).toBeUndefined()
    // The response has the nonce of the first request.
    expect(await ocsp(url).rejectReason(card, read(ca))).toBe(notVouchedFor)
    clock.ms = 86_400_000
    expect(await ocsp(origin).rejectReason(card, read(ca))).toBe(notVouchedFor)
    clock.ms = -86_400_000
    expect(await ocsp(origin).rejectReason(card, read(ca))).toBe(notVouchedFor)
    clock.ms = 0
  })
})

describe('an answer', () => {
  it('is believed as long as it says, and no longer than the setting', async () => {
    let asked = 0
    const card = read(ca.issue('/CN=Alice'))
    const url = await between(await responder(ca, ca, ['-nmin', '60']), (reply) => ((asked += 1), reply))
    const patient = ocsp(url, { ocspCacheMs: 600_000 })
    for (let times = 0; times < 3; times++) expect(await patient.rejectReason(card, read(ca))).toBeUndefined()
    expect(asked).toBe(1)
    clock.ms = 601_000
    await patient.rejectReason(card, read(ca))
    expect(asked).toBe(2)
    clock.ms = 0
  })

  it('is asked for once by calls at the same moment, whatever it is, and a silent responder not again at once', async () => {
    let asked = 0
    const card = read(ca.issue('/CN=Alice'))
    const good = await between(await responder(ca), (reply) => ((asked += 1), reply))
    const bad = await between(await responder(ca), () => ((asked += 1), Buffer.alloc(0)))
    for (const [url, refusal] of [
      [good, undefined],
      [bad, notVouchedFor],
    ] as const) {
      asked = 0
      const patient = ocsp(url, { ocspCacheMs: 600_000 })
      const answers = await Promise.all(Array.from({ length: 5 }, () => patient.rejectReason(card, read(ca))))
      expect([...answers, await patient.rejectReason(card, read(ca))]).toEqual(Array.from({ length: 6 }, () => refusal))
      expect(asked).toBe(1)
    }
    expect(problems).toHaveLength(1)
  })

  it('of a responder that was silent is asked for again after ten seconds', async () => {
    let silent = true
    const card = read(ca.issue('/CN=Alice'))
    const url = await between(await responder(ca), (reply) => (silent ? Buffer.alloc(0) : reply))
    const patient = ocsp(url, { ocspCacheMs: 600_000 })
    expect(await patient.rejectReason(card, read(ca))).toBe(notVouchedFor)
    silent = false
    expect(await patient.rejectReason(card, read(ca))).toBe(notVouchedFor)
    clock.ms = 10_000
    expect(await patient.rejectReason(card, read(ca))).toBeUndefined()
    clock.ms = 0
  })

  it('that came while the clock was ahead is asked for again, whether it was good or none', async () => {
    let [asked, silent] = [0, true]
    const [one, other] = [read(ca.issue('/CN=Alice')), read(ca.issue('/CN=Bob'))]
    const week = await responder(ca, ca, ['-nmin', '10080'])
    const url = await between(week, (reply) => ((asked += 1), silent ? Buffer.alloc(0) : reply))
    const patient = ocsp(url, { ocspCacheMs: 600_000 })
    clock.ms = 86_400_000
    expect(await patient.rejectReason(one, read(ca))).toBe(notVouchedFor)
    silent = false
    expect(await patient.rejectReason(other, read(ca))).toBeUndefined()
    clock.ms = 0
    for (const card of [one, other]) expect(await patient.rejectReason(card, read(ca))).toBeUndefined()
    expect(asked).toBe(4)
  })

  it('is not asked for when the setting is off', async () => {
    expect(
      await ocsp('http://127.0.0.1:1/', { ocsp: 'off' }).rejectReason(read(ca.issue('/CN=Alice')), read(ca)),
    ).toBeUndefined()
    expect(problems).toEqual([])
  })
})

/** A responder that forwards requests and changes the responses. */
function between(origin: string, change: (reply: Buffer) => Buffer): Promise<string> {
  return serving(async (question) => {
    const reply = await fetch(origin, {
      method: 'POST',
      body: new Uint8Array(question),
      headers: { 'Content-Type': 'application/ocsp-request' },
    })
    return change(Buffer.from(await reply.arrayBuffer()))
  })
}

async function serving(answer: (question: Buffer) => Promise<Buffer> | undefined): Promise<string> {
  const server = createServer((request, response) => {
    void (async () => {
      const pieces: Buffer[] = []
      for await (const piece of request) pieces.push(piece as Buffer)
      const reply = await answer(Buffer.concat(pieces))
      if (reply) response.end(reply)
    })()
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
}
