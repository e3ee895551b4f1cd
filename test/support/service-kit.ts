import { readFileSync } from 'node:fs'
import { type GrantEntry, keyOperations, objectOperations } from '../../src/access/scope.ts'
import { operatorId } from '../../src/access/confirmation.ts'
import { readCertificate } from '../../src/features/certificates/certificate.ts'
import type { AskedCredential } from '../../src/features/services/new-credential.ts'
import type { Service } from '../../src/features/services/described-service.ts'
import { pemBlocks } from '../../src/encoding/pem.ts'
import type { TestAppliance, TestUser } from './appliance.ts'
import type { TestClient } from './client.ts'
import type { Card } from './client-pki.ts'

type Place = Pick<TestAppliance, 'services' | 'commit'>

let made = 0

/** Makes a service account for this owner by the operator, without a credential. */
export async function addService(
  { services, commit }: Place,
  owner: Pick<TestUser, 'id'>,
  settings: { readonly addresses?: readonly string[]; readonly expiresAt?: number } = {},
): Promise<Service> {
  const name = `service-${++made}-${Date.now().toString(36)}`
  const account = { name, description: 'A service', owner: owner.id, addresses: [], expiresAt: null, ...settings }
  return services.serviceAccounts.create(account, commit)
}

/** Adds a credential by the operator. Resolves to its id and, for a static one, its key. */
export async function addCredential(
  { services, commit }: Place,
  { id }: Pick<Service, 'id'>,
  asked: AskedCredential,
): Promise<{ readonly id: string; readonly key: string }> {
  const { credential, key = '' } = await services.serviceAccounts.addCredential(id, asked, operatorId, commit)
  return { id: credential.id, key }
}

export const asked = { name: 'first', expiresAt: null } as const

export function certificateOf(card: Pick<Card, 'certificate'>) {
  const [block] = pemBlocks(readFileSync(card.certificate, 'latin1'))
  return readCertificate(block?.bytes ?? Buffer.alloc(0))
}

/** The members of a login by a static key. */
export const byKey = (account: string, key: string): Record<string, string> => ({
  logintype: 'service_static',
  account,
  key,
})

/** Logs a client in. Resolves to the same client. */
export async function loggedIn(client: TestClient, body: Record<string, string>): Promise<TestClient> {
  const { CALLINFO } = await client.must('POST', '/auth', body)
  client.token = CALLINFO.token
  return client
}

/** Grants that allow a service account all operations. */
export const everything = [
  { keys: '*', operations: keyOperations },
  { objects: objectOperations },
] as const satisfies readonly GrantEntry[]

/** A vault of this client's user with the account as a member. */
export async function sharedVault(
  owner: TestClient,
  service: Pick<Service, 'id'>,
  grants: readonly GrantEntry[] = everything,
): Promise<string> {
  const [{ id }] = (await owner.must('POST', '/vault', { vaultname: 'Shared' }))['VAULT'] as [{ id: string }]
  await owner.must('POST', `/vault/${id}/member/${service.id}`, { status: 1, grants })
  return id
}

/** The members of a login by an assertion with the account's own key. */
export const byAssertion = (assertion: string): Record<string, string> => ({ logintype: 'service_jwt', assertion })

/** The members of a login by a JWT of an issuer. */
export const byFederation = (account: string, assertion: string): Record<string, string> => ({
  logintype: 'service_federated',
  account,
  assertion,
})
