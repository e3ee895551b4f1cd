import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { capabilitiesOf, type Capability } from '../../../src/access/capabilities.ts'
import { twoWorkers } from '../../support/appliance.ts'
import { expectFault } from '../../support/client.ts'
import { hasPostgres, startPostgres, type TestPostgres } from '../../support/postgres.ts'
import { setCapabilities } from '../../support/sealed-people.ts'
import {
  expectSigned,
  newNonce,
  queryOf,
  signature,
  TestValidator,
  type TestValidationClient,
  type ValidatorAnswer,
} from './validation-kit.ts'

const counted = (words: readonly (string | undefined)[]): Record<string, number> => {
  const counts: Record<string, number> = {}
  for (const word of words) counts[word ?? ''] = (counts[word ?? ''] ?? 0) + 1
  return counts
}

const wordsOf = (answers: readonly ValidatorAnswer[]) => answers.map(({ members }) => members['status'])

/** Races that exactly one request may win, on every database. */
function decidesRaces(start: () => Promise<TestValidator>): void {
  let validator: TestValidator
  let client: TestValidationClient

  beforeAll(async () => {
    validator = await start()
    client = await validator.addClient()
  })
  afterAll(() => validator.close())

  it('50 parallel replays, over all workers, are accepted once', async () => {
    const { hardwareToken } = await validator.appliance.addUser()
    for (let round = 0; round < 4; round++) {
      const otp = hardwareToken.press()
      const answers = await Promise.all(Array.from({ length: 50 }, () => validator.verify(client, otp)))
      expect(counted(wordsOf(answers))).toEqual({ OK: 1, REPLAYED_OTP: 49 })
    }
    const chains = new Set(validator.records().map(({ chain }) => chain))
    expect(chains).toEqual(new Set(['worker-1', 'worker-2']))
  })

  it('50 parallel copies of one request are accepted once, and each other is told that it is a copy', async () => {
    const { hardwareToken } = await validator.appliance.addUser()
    const members = { id: String(client.id), nonce: newNonce(), otp: hardwareToken.press() }
    const query = `${queryOf(members)}&h=${encodeURIComponent(signature(client.key, members))}`
    const answers = await Promise.all(Array.from({ length: 50 }, () => validator.ask(query)))
    expect(counted(wordsOf(answers))).toEqual({ OK: 1, REPLAYED_REQUEST: 49 })
  })

  it('OTPs of many tokens at once, each shown twice, are each accepted once', async () => {
    const users = await Promise.all(Array.from({ length: 12 }, () => validator.appliance.addUser()))
    const otps = users.map(({ hardwareToken }) => hardwareToken.press())
    const answers = await Promise.all([...otps, ...otps.toReversed()].map((otp) => validator.verify(client, otp)))
    expect(counted(wordsOf(answers))).toEqual({ OK: 12, REPLAYED_OTP: 12 })
    const accepted = answers.filter(({ members }) => members['status'] === 'OK').map(({ members }) => members['otp'])
    expect(new Set(accepted)).toEqual(new Set(otps))
  })

  it('a login and a verification with one OTP: only one of them is let in', async () => {
    const user = await validator.appliance.addUser()
    for (let round = 0; round < 4; round++) {
      const credentials = validator.appliance.credentials(user)
      const [login, verification] = await Promise.all([
        validator.appliance.client().post('/auth', credentials),
        validator.verify(client, credentials['otp'] ?? ''),
      ])
      const won = [login.status === 200, verification.members['status'] === 'OK']
      expect(won.filter(Boolean), `${login.status} ${verification.members['status']}`).toHaveLength(1)
    }
  })
}

describe('on SQLite', () => decidesRaces(() => TestValidator.start(twoWorkers)))

describe.skipIf(!hasPostgres)('on PostgreSQL', () => {
  let server: TestPostgres
  decidesRaces(() => {
    server = startPostgres()
    return TestValidator.start({ ...twoWorkers, store: { postgresUrlFile: server.urlFile } })
  })
  afterAll(() => server.cleanup())
})

describe('an attacker', () => {
  let validator: TestValidator
  let client: TestValidationClient

  beforeAll(async () => {
    validator = await TestValidator.start()
    client = await validator.addClient()
  })
  afterAll(() => validator.close())

  const logIn = (credentials: object) => validator.appliance.client().post('/auth', credentials)

  it('finds an OTP that was used at login used up here', async () => {
    const credentials = validator.appliance.credentials(await validator.appliance.addUser())
    expect((await logIn(credentials)).status).toBe(200)
    expect(await validator.status(client, credentials['otp'] ?? '')).toBe('REPLAYED_OTP')
  })

  it('finds an OTP that was shown here used up at login', async () => {
    const credentials = validator.appliance.credentials(await validator.appliance.addUser())
    expect(await validator.status(client, credentials['otp'] ?? '')).toBe('OK')
    expectFault(await logIn(credentials), 403, 1201)
  })

  it('gains nothing by wearing the counters of a token out', async () => {
    const { hardwareToken } = await validator.appliance.addUser()
    expect(await validator.status(client, hardwareToken.otpAt(0x7ffe, 0xff))).toBe('OK')
    const older = [
      [0x7ffe, 0xff],
      // Bit 15 indicates caps lock and is not counted.
      [0xfffe, 0xff],
      [0x8000, 1],
      [0, 0],
      [1, 1],
    ] as const
    for (const [useCounter, sessionUse] of older)
      expect(await validator.status(client, hardwareToken.otpAt(useCounter, sessionUse))).toBe('REPLAYED_OTP')
    // Here the counter of the device stops, and proves nothing any more.
    expect(await validator.status(client, hardwareToken.otpAt(0x7fff, 0xff))).toBe('BAD_OTP')
  })

  it.each([
    ['disabled', ['read']],
    ['an escrow account', ['read', 'active', 'escrow']],
  ] as const)(
    'gets BAD_OTP for the token of a user who is %s, and OK again when he no longer is',
    async (_what, held) => {
      const user = await validator.appliance.addUser()
      const become = (names: readonly Capability[]) =>
        setCapabilities(validator.appliance, user.id, capabilitiesOf(names))
      const otp = user.hardwareToken.press()
      await become(held)
      expect(await validator.status(client, otp)).toBe('BAD_OTP')
      await become(['read', 'active'])
      expect(await validator.status(client, otp)).toBe('OK')
    },
  )

  it('with the key of a revoked client gets OPERATION_NOT_ALLOWED, without it not even that', async () => {
    const revoked = await validator.addClient()
    const { hardwareToken } = await validator.appliance.addUser()
    const otp = hardwareToken.press()
    const { services, commit } = validator.appliance
    await services.validationClients.revoke(revoked.name, commit)
    expect(await validator.status(revoked, otp)).toBe('OPERATION_NOT_ALLOWED')
    const stranger = await validator.verify({ ...revoked, key: client.key }, otp)
    expect(stranger.members['status']).toBe('BAD_SIGNATURE')
    expect(await validator.status(client, otp)).toBe('OK')
  })

  it('who writes to the database cannot revive a client, free it of signatures or give it a key that he knows', async () => {
    const { hardwareToken } = await validator.appliance.addUser()
    const { services, commit, store } = validator.appliance
    const own = await validator.addClient()
    const edits = [
      'revoked_at = NULL',
      'allow_unsigned = 1',
      `(kek, blob) = (SELECT kek, blob FROM validation_clients WHERE id = ${own.id})`,
      `(kek, blob, seal) = (SELECT kek, blob, seal FROM validation_clients WHERE id = ${own.id})`,
    ]
    for (const edit of edits) {
      const victim = await validator.addClient()
      if (edit.startsWith('revoked')) await services.validationClients.revoke(victim.name, commit)
      await store.transaction((tx) => tx.query(`UPDATE validation_clients SET ${edit} WHERE id = ${victim.id}`))
      const otp = hardwareToken.press()
      const { key } = edit.includes('SELECT') ? own : victim
      const members = { id: String(victim.id), nonce: newNonce(), otp }
      const signed = `${queryOf(members)}&h=${encodeURIComponent(signature(key, members))}`
      const answer = await validator.ask(edit.startsWith('allow') ? queryOf(members) : signed)
      expect(answer.members, edit).toMatchObject({ status: 'BACKEND_ERROR', h: '' })
      expect(await validator.status(client, otp), edit).toBe('OK')
    }
    expect(validator.appliance.journal).toMatch(/seal_broken/)
  })

  it.each(['SIGTERM', 'SIGKILL'] as const)('finds nothing forgotten after a restart by %s', async (signal) => {
    const { hardwareToken } = await validator.appliance.addUser()
    const [otp, nonce] = [hardwareToken.press(), newNonce()]
    expect(await validator.status(client, otp, { nonce })).toBe('OK')
    await validator.appliance.restart(signal)
    expect(await validator.status(client, otp)).toBe('REPLAYED_OTP')
    expect(await validator.status(client, otp, { nonce })).toBe('REPLAYED_REQUEST')
    expect(await validator.status(client, hardwareToken.press())).toBe('OK')
  })

  it('finds nothing forgotten when all processes die between the decision and its answer', async () => {
    const users = await Promise.all(Array.from({ length: 8 }, () => validator.appliance.addUser()))
    const accepted = new Map<string, number>()
    const accept = (otp: string, { members }: ValidatorAnswer) => {
      if (members['status'] === 'OK') accepted.set(otp, (accepted.get(otp) ?? 0) + 1)
    }
    for (let round = 0; round < 3; round++) {
      const otps = users.map(({ hardwareToken }) => hardwareToken.press())
      const first = otps.map(async (otp) => accept(otp, await validator.verify(client, otp)))
      // When the first answer arrives, the others are under way.
      await Promise.any(first)
      await validator.appliance.stop('SIGKILL')
      await Promise.allSettled(first)
      await validator.appliance.restart()
      for (let replay = 0; replay < 2; replay++)
        await Promise.all(otps.map(async (otp) => accept(otp, await validator.verify(client, otp))))
    }
    expect(accepted.size).toBeGreaterThan(0)
    expect([...accepted.values()].filter((times) => times > 1)).toEqual([])
  })

  it('gets answers that are signed for the client that he names, and for no other', async () => {
    const other = await validator.addClient()
    const { hardwareToken } = await validator.appliance.addUser()
    const answer = await validator.verify(other, hardwareToken.press())
    expectSigned(answer, other)
    expect(answer.members['h']).not.toBe(signature(client.key, answer.members))
  })
})
