import { describe, expect, it } from 'vitest'
import { systemClock } from '../../../src/clock.ts'
import { isFault } from '../../../src/fault.ts'
import type { Hsm } from '../../../src/hsm/hsm.ts'
import { otpKindOf, readKeys, type Credentials } from '../../../src/features/auth/credentials.ts'
import { createServices, type Services } from '../../../src/daemon/services.ts'
import type { ShownCredential } from '../../../src/features/auth/shown-credential.ts'
import { operatorId } from '../../../src/access/confirmation.ts'
import type { TestUser } from '../../support/appliance.ts'
import { applianceForTests } from '../../support/for-tests.ts'
import { makePair, ownClaims, signed } from '../../support/assertion-kit.ts'
import { HardwareToken, totpCode } from '../../support/hardware-token.ts'
import { addCredential, addService, asked as askedFirst } from '../../support/service-kit.ts'

const appliance = applianceForTests()

/** Counts the requests to keeper and token. A comparison of a pass phrase represents one run of argon2. */
function counted(hsm: Hsm): { hsm: Hsm; asked: Record<string, number> } {
  const asked: Record<string, number> = {}
  const proxy = new Proxy(hsm, {
    get(target, name, receiver) {
      const member: unknown = Reflect.get(target, name, receiver)
      // Requests of a login after everything was right.
      if (typeof member !== 'function' || ['sealNew', 'seal', 'raise', 'grant'].includes(String(name))) return member
      return (...args: unknown[]) => {
        asked[String(name)] = (asked[String(name)] ?? 0) + 1
        return Reflect.apply(member, target, args)
      }
    },
  })
  return { hsm: proxy, asked }
}

/** The requests of a login, which must end as given. */
async function workDone(
  begin: (logins: Pick<Services, 'login' | 'serviceLogin'>) => Promise<unknown>,
  good: boolean,
): Promise<object> {
  const { hsm, asked } = counted(appliance.hsm)
  const { store, config } = appliance
  const unrecorded = { append: () => Promise.resolve() }
  const ended = await begin(createServices({ config, store, hsm, clock: systemClock, audit: unrecorded })).then(
    () => true,
    (error: unknown) => {
      if (!isFault(error, 'login.refused')) throw error
      return false
    },
  )
  expect(ended).toBe(good)
  return asked
}

const workOf = (username: string, credentials: readonly Credentials[], good = false): Promise<object> =>
  workDone(
    ({ login }) =>
      login.logIn({ username, credentials, address: '192.0.2.1' }, (work) => appliance.store.transaction(work)),
    good,
  )

const workOfService = (account: string | undefined, shown: ShownCredential, good = false): Promise<object> =>
  workDone(
    ({ serviceLogin }) =>
      serviceLogin.logIn(
        { account, shown, address: '192.0.2.1' },
        (work) => appliance.store.transaction(work),
        () => undefined,
      ),
    good,
  )

function formB(
  user: TestUser,
  changes: Partial<Record<'passphrase' | 'applicationKey' | 'otp', string>> = {},
): Credentials[] {
  const otp = changes.otp ?? user.hardwareToken.press()
  const rest = { passphrase: user.passphrase, applicationKey: appliance.applicationKey, ...changes }
  return [{ ...rest, otp, otpKind: otpKindOf(otp, undefined) }]
}

describe('a login does the same work', () => {
  it('with a hardware token, whatever is wrong', async () => {
    const user = await appliance.addUser()
    const right = await workOf(user.username, formB(user), true)
    expect(right).toEqual({ applicationKeyChecks: 1, checkOtp: 1, login: 1 })
    const used = user.hardwareToken.press()
    await workOf(user.username, formB(user, { otp: used }), true)
    for (const [name, credentials] of [
      ['nobody-at-all', formB(user)],
      [user.username, formB(user, { passphrase: 'wrong wrong wrong' })],
      [user.username, formB(user, { applicationKey: 'AAAAAAAAAA' })],
      [user.username, formB(user, { otp: user.hardwareToken.otpAt(300, 1, { key: '00'.repeat(16) }) })],
      [user.username, formB(user, { otp: new HardwareToken().press() })],
      [user.username, formB(user, { otp: (await appliance.addUser()).hardwareToken.press() })],
      [user.username, formB(user, { otp: used })],
      ['nobody-at-all', formB(user, { passphrase: 'wrong', applicationKey: 'x', otp: new HardwareToken().press() })],
    ] as const)
      expect(await workOf(name, credentials), name).toEqual(right)
  })

  it('with a code, whatever is wrong', async () => {
    const user = await appliance.addUser()
    const code = totpCode(user.totpSecret)
    const wrong = String((Number(code) + 1) % 1_000_000).padStart(6, '0')
    const refused = await workOf(user.username, formB(user, { otp: wrong }))
    expect(refused).toEqual({ applicationKeyChecks: 1, checkOtp: 1, login: 1 })
    for (const [name, credentials] of [
      ['nobody-at-all', formB(user, { otp: code })],
      [user.username, formB(user, { otp: wrong, passphrase: 'wrong wrong wrong' })],
      [user.username, formB(user, { otp: wrong, applicationKey: 'AAAAAAAAAA' })],
    ] as const)
      expect(await workOf(name, credentials), name).toEqual(refused)
    const misshapen = formB(user, { otp: 'abcdef' })
    expect(await workOf(user.username, misshapen)).toEqual(await workOf('nobody-at-all', misshapen))
  })

  it('in form A, whether the application key is known or not', async () => {
    const user = await appliance.addUser()
    const keys = (applicationKey: string) =>
      readKeys(user.passphrase + applicationKey + user.hardwareToken.press(), undefined, undefined)
    const right = await workOf(user.username, keys(appliance.applicationKey), true)
    expect(await workOf('nobody-at-all', keys(appliance.applicationKey))).toEqual(right)
    expect(await workOf(user.username, keys('AAAAAAAAAA'))).toEqual(right)
  })
})

describe('a login of a service account does the same work', () => {
  it('whether there is an account of this name or not', async () => {
    const owner = await appliance.addUser()
    const pair = await makePair()
    const service = await addService(appliance, owner)
    await addCredential(appliance, service, { ...askedFirst, kind: 'jwt', publicKey: pair.jwk, kid: null })
    const assertion = async (name: string, by = pair): Promise<ShownCredential> => ({
      kind: 'jwt',
      assertion: await signed(by, ownClaims(name)),
    })
    const right = await workOfService(undefined, await assertion(service.name), true)
    expect(right).toEqual({ serviceLogin: 1 })
    const [far, disabled, ended] = [
      await addService(appliance, owner, { addresses: ['203.0.113.0/24'] }),
      await addService(appliance, owner),
      // An account that would have ended already is not made.
      await addService(appliance, owner, { expiresAt: Date.now() + 2_000 }),
    ]
    await new Promise((resolve) => setTimeout(resolve, 2_100))
    await appliance.services.serviceAccounts.change(disabled.id, { isActive: false }, operatorId, appliance.commit)
    const stranger = await makePair()
    for (const name of [service.name, far.name, disabled.name, ended.name, owner.username, 'nothing-here', 'x'])
      expect(await workOfService(undefined, await assertion(name, stranger)), name).toEqual(right)
    const federated = { kind: 'federated', assertion: await signed(stranger, { iss: 'https://none.example' }) } as const
    for (const shown of [{ kind: 'static', key: 'A'.repeat(43) }, federated] as const)
      for (const name of [service.name, 'nothing-here', owner.username])
        expect(await workOfService(name, shown), `${shown.kind} ${name}`).toEqual(right)
  })
})
