import { expect, it } from 'vitest'
import { devicesOf, stateOf } from '../../src/features/otp/records.ts'
import { parseOtp } from '../../src/features/otp/yubico-otp.ts'
import { sealedUser } from '../../src/features/users/user-seals.ts'
import { TestAppliance, type TestUser } from '../support/appliance.ts'
import { applianceForTests, workerForTests } from '../support/for-tests.ts'
import { begunSession } from '../support/attacker-kit.ts'
import type { TestClient } from '../support/client.ts'
import { loginRequest } from '../support/login-request.ts'
import { outcomeOf } from '../support/step-outcome.ts'
import { accountRow } from '../support/user-row.ts'

/**
 * Code in a worker, through which a user logs in, begins a session by what the user shows, and puts it into no row: it
 * stands in no list of the user's sessions.
 */
const appliance = applianceForTests(() => TestAppliance.own())
const worker = workerForTests(appliance)

/** A session of the user that only the attacker knows, and whether it is granted anything. */
async function hidden(user: TestUser) {
  const [device] = await devicesOf(appliance.store.read, user.id, 'hwkey_otp')
  const block = parseOtp(user.hardwareToken.press())?.block
  if (device === undefined || block === undefined) throw new Error('no hardware token')
  const factor = { certificate: undefined, devices: [stateOf(device)], otp: { block } }
  const request = await loginRequest(appliance, user, factor)
  const begun = await begunSession(appliance, await accountRow(appliance, user), await worker.login(request))
  const { applicationKey } = request
  if (applicationKey === undefined) throw new Error('no application key')
  return async () =>
    outcomeOf(worker.grant({ ...begun, applicationKey, user: sealedUser(await accountRow(appliance, user)) }))
}

type Act = (user: TestUser, own: TestClient, admin: TestClient) => Promise<unknown>

const passphrase = 'another pass phrase of 7 words and more'

it.each<[string, boolean, Act]>([
  [
    'a new pass phrase',
    true,
    ({ passphrase: present, hardwareToken }, own) =>
      own.must('PUT', '/auth/passphrase', {
        passphrase: present,
        newpassphrase: passphrase,
        otp: hardwareToken.press(),
      }),
  ],
  ['the end of all other sessions', true, (_user, own) => own.must('DELETE', '/me/sessions')],
  [
    'the end of all sessions by an administrator',
    false,
    ({ id }, _own, admin) => admin.must('DELETE', `/user/${id}/sessions`),
  ],
  [
    'a pass phrase that an administrator sets',
    false,
    ({ id }, _own, admin) => admin.must('PUT', `/user/${id}/passphrase`, { newpassphrase: passphrase }),
  ],
])('is ended by %s', async (_what, isOwnKept, act) => {
  const user = await appliance.addUser()
  const own = await appliance.login(user)
  const admin = await appliance.login(await appliance.addUser(['read', 'active', 'admin']))
  const granted = await hidden(user)
  expect(await granted()).toBe('done')
  await act(user, own, admin)
  expect(await granted()).toBe('session.invalid')
  expect((await own.get('/vault')).status).toBe(isOwnKept ? 200 : 403)
})
