import { passkeysOf } from '../../src/features/passkeys/records.ts'
import type { TestAppliance, TestUser } from './appliance.ts'
import type { TestClient } from './client.ts'
import { SoftAuthenticator, type AnswerEdits, type ShownAnswer } from './soft-authenticator.ts'

/** A challenge for a login, for a caller without a session. */
export async function loginChallenge(appliance: TestAppliance): Promise<string> {
  return String((await appliance.client().must('POST', '/auth/challenge')).CALLINFO['challenge'])
}

/** A challenge for this session. */
export async function ownChallenge(session: TestClient): Promise<string> {
  return String((await session.must('POST', '/me/challenge')).CALLINFO['challenge'])
}

/**
 * Registers an authenticator for the user of a session, with an OTP of the user's hardware token. Resolves to its id.
 */
export async function register(
  { store }: Pick<TestAppliance, 'store'>,
  session: TestClient,
  user: TestUser,
  authenticator = new SoftAuthenticator(),
): Promise<{ readonly authenticator: SoftAuthenticator; readonly id: string }> {
  await session.must('POST', '/me/passkeys', {
    name: 'Key on my desk',
    registration: authenticator.register(await ownChallenge(session)),
    otp: user.hardwareToken.press(),
  })
  const passkey = (await passkeysOf(store.read, user.id)).find(({ credentialId }) =>
    credentialId.equals(authenticator.credentialId),
  )
  return { authenticator, id: String(passkey?.id) }
}

/** A user with a session and a passkey. */
export async function givenHolder(appliance: TestAppliance, authenticator = new SoftAuthenticator()) {
  const user = await appliance.addUser()
  const session = await appliance.login(user)
  return { user, session, ...(await register(appliance, session, user, authenticator)) }
}

/** The members of a login with the answer of an authenticator. */
export const passkeyLogin = (
  { applicationKey: apikey }: TestAppliance,
  { username, passphrase }: Pick<TestUser, 'username' | 'passphrase'>,
  passkey: ShownAnswer,
) => ({ username, passphrase, apikey, passkey, logintype: 'webauthn' })

/** The members of a login with an answer to a new challenge. */
export async function freshLogin(
  appliance: TestAppliance,
  user: Pick<TestUser, 'username' | 'passphrase'>,
  authenticator: SoftAuthenticator,
  edits?: AnswerEdits,
) {
  return passkeyLogin(appliance, user, authenticator.answer(await loginChallenge(appliance), edits))
}
