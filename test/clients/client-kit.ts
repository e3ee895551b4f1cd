import { StoredSafe } from 'storedsafe'
import { expect } from 'vitest'
import { TestAppliance, type Overrides, type TestUser } from '../support/appliance.ts'

/** Published clients are driven as they are installed: what they need beyond an address and a CA is a setting of ours. */
export function startForClients(overrides: Overrides = {}): Promise<TestAppliance> {
  return TestAppliance.shared({ ...overrides, http: { acceptChunked: true, ...overrides.http } })
}

/** The npm client of this interface, logged in with the user's hardware token; `request` options carry nothing but our CA. */
export async function npmClient(appliance: TestAppliance, user: TestUser): Promise<StoredSafe> {
  const client = new StoredSafe({
    host: new URL(appliance.url).host,
    apikey: appliance.applicationKey,
    options: { ca: appliance.ca },
  })
  accepted(await client.loginYubikey(user.username, user.passphrase, user.hardwareToken.press()))
  return client
}

/** An answer that the client itself takes for a success. */
export function accepted<T extends { success: boolean; hasErrors?: boolean }>(answer: T): T {
  expect(answer).toMatchObject({ success: true, hasErrors: false })
  return answer
}
