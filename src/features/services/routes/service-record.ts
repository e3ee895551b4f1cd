import { z } from 'zod'
import { pathId } from '../../../access/resource.ts'
import type { ServiceCredential } from '../../../hsm/service-credential.ts'
import { idSegment, idText, moment } from '../../../http/contract/shared-fields.ts'
import type { Service } from '../described-service.ts'
import type { ServiceAccounts } from '../service-accounts.ts'

export const credentialSchema = z.object({
  id: z.string().describe('Id of the credential, 16 hexadecimal digits; sessions and the audit trail name it.'),
  kind: z.string().describe('Kind of the credential: certificate, ca, jwt, federated or static.'),
  name: z.string().describe('Name of the credential, of 1 to 64 characters.'),
  added: moment('When it was added.'),
  expires: z.string().describe('From when it is refused, RFC 3339 in UTC; or never.'),
  sha256: z.string().optional().describe('Of a certificate: SHA-256 of its DER, 64 hexadecimal digits.'),
  san: z
    .object({
      type: z.string().describe('Kind of the name: dns, uri or email.'),
      pattern: z.string().describe('What the name has to be; * stands for any characters.'),
    })
    .optional()
    .describe('Of a CA: the subject alternative name of the certificates that it issues to this account.'),
  publickey: z.string().optional().describe('Of a jwt: the public key, the JSON text of a JWK.'),
  kid: z
    .string()
    .optional()
    .describe('Of a jwt: the key id that its assertions have to name, of 1 to 256 characters; without it, any.'),
  issuer: z.string().optional().describe('Of a federated one: the issuer, of 1 to 512 characters.'),
  claims: z
    .record(z.string().describe('Name of a claim.'), z.string().describe('What it has to be; * is any characters.'))
    .optional()
    .describe('Of a federated one: the claims, all of which have to fit.'),
  lastuse: z
    .object({
      at: moment('When, to the minute.'),
      address: z.string().describe('Address of the client.'),
    })
    .nullable()
    .describe('The last login by it; null: none yet.'),
})

export const serviceSchema = z.object({
  id: idText('Id of the account: that of a member where it shares a vault.'),
  name: z.string().describe('Name of the account, of 3 to 64 letters, digits and - _ . characters.'),
  description: z.string().describe('What it is for, of at most 128 characters.'),
  owner: z
    .object({
      id: z.string().describe('Id of the user, decimal.'),
      username: z.string().describe('Login name of the user.'),
    })
    .describe('The user who changes it.'),
  active: z.boolean().describe('Whether it may log in.'),
  created: moment('When it was made.'),
  expires: z.string().describe('When it ends, RFC 3339 in UTC; or never.'),
  addresses: z
    .array(z.string())
    .describe('IP addresses and ranges such as 192.0.2.0/24 from which it logs in and calls; any where there is none.'),
  credentials: z.array(credentialSchema).describe('What it logs in with, 16 at most.'),
})

const isoOf = (at: number): string => new Date(at).toISOString()
const endOf = (at: number | null): string => (at === null ? 'never' : isoOf(at))

export function serviceRecord(service: Service): Record<string, unknown> {
  const { id, name, description, owner, account, isActive, createdAt } = service
  return {
    id: String(id),
    name,
    description,
    owner: { id: String(owner?.id ?? ''), username: owner?.username ?? '' },
    active: isActive,
    created: isoOf(createdAt),
    expires: endOf(account.expiresAt),
    addresses: account.addresses,
    credentials: account.credentials.map((credential) => credentialRecord(service, credential)),
  }
}

export function credentialRecord(
  { uses }: Pick<Service, 'uses'>,
  credential: ServiceCredential,
): Record<string, unknown> {
  const { id, kind, name, addedAt, expiresAt } = credential
  const use = uses.find((one) => one.credential === id)
  return {
    id,
    kind,
    name,
    added: isoOf(addedAt),
    expires: endOf(expiresAt),
    ...(credential.kind === 'certificate' && { sha256: credential.sha256 }),
    ...(credential.kind === 'ca' && { san: credential.san }),
    ...(credential.kind === 'jwt' && { publickey: JSON.stringify(credential.publicKey) }),
    ...(credential.kind === 'jwt' && credential.kid !== null && { kid: credential.kid }),
    ...(credential.kind === 'federated' && { issuer: credential.issuer, claims: credential.claims }),
    lastuse: use === undefined ? null : { at: isoOf(use.usedAt), address: use.address },
  }
}

export const serviceParams = z.object({ serviceid: idSegment('Id of the service account.') })

const anEnd = 'must be a time such as 2027-01-31T00:00:00Z, or never'

/** A time in a body at which something ends. */
export const endField = z
  .union([z.literal('never'), z.iso.datetime(anEnd)], anEnd)
  .transform((text) => (text === 'never' ? null : Date.parse(text)))
export const addressesField = z.array(z.string().max(64)).max(64, 'must have 64 entries at most')
const aUser = 'must be the id of a user'
export const ownerField = z
  .union([z.int(aUser).positive(aUser), z.string().regex(/^[1-9]\d{0,14}$/, aUser)], aUser)
  .transform(Number)

/** Access to the account that the path names: for its owner, and for administrators. */
export const ofOwner = (accounts: Pick<ServiceAccounts, 'ownerIdOf'>) =>
  ({
    kind: 'session',
    capability: 'admin',
    owner: { noun: 'service accounts', parameter: 'serviceid', of: (id: number) => accounts.ownerIdOf(id) },
  }) as const

/** @throws Fault `service.not_found` */
export const serviceIdOf = (serviceid: string): number => pathId(serviceid, 'service.not_found')

/** For CALLINFO.general; empty where no membership is on hold. */
export const onHoldSentence = (putsOnHold: boolean): string[] =>
  putsOnHold
    ? [
        'The memberships of the account are on hold until an Admin of each vault, or the operator if there is none, confirms them.',
      ]
    : []
