import { createClient, type Client, type ClientOptions } from '../../clients/node/src/client.ts'
import { totpLogin } from '../../clients/node/src/logins.ts'
import { nodeTransport } from '../../clients/node/src/node-transport.ts'
import type { TestAppliance, TestUser } from '../support/appliance.ts'

/** What a program says of itself at the login. */
export const personOf = (appliance: TestAppliance, { username, passphrase }: TestUser) => ({
  username,
  passphrase,
  applicationKey: appliance.applicationKey,
})

/** The client for Node.js as a program sets it up, for this user; retries come at once. */
export function nodeClient(appliance: TestAppliance, user: TestUser, more: Partial<ClientOptions> = {}): Client {
  return createClient({
    url: appliance.url,
    login: totpLogin({ ...personOf(appliance, user), totpSecret: user.totpSecret }),
    transport: nodeTransport({ ca: appliance.ca }),
    firstDelayMs: 5,
    ...more,
  })
}

/** What a call fails with. */
export const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'no failure',
    (error: unknown) => error,
  )
