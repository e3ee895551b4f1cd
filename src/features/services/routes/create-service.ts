import { z } from 'zod'
import { endpoint } from '../../../http/contract/endpoint.ts'
import type { ServiceAccounts } from '../service-accounts.ts'
import { addressesField, endField, ownerField, serviceRecord, serviceSchema } from './service-record.ts'

const body = z.object({
  name: z.string().describe('Name of the account: 3 to 64 letters, digits and - _ . characters; no user has it.'),
  description: z.string().default('').describe('What it is for, of at most 128 characters.'),
  owner: ownerField.optional().describe('Id of the user who changes it; without it, the caller.'),
  addresses: addressesField
    .default([])
    .describe('IP addresses and ranges such as 192.0.2.0/24, 64 at most, from which it logs in and calls; none: any.'),
  expires: endField.optional().describe('When it ends, RFC 3339 in UTC; or never, as without it.'),
})

/** `POST /service`. */
export const createService = (accounts: ServiceAccounts) =>
  endpoint({
    operation: 'service.create',
    handler: 'ServiceHandler',
    method: 'POST',
    path: '/service',
    summary: 'Create a service account',
    access: { kind: 'session', capability: 'admin' },
    success: 201,
    faults: ['service.invalid', 'user.exists', 'user.not_found'],
    reply: { callinfo: z.object({ service: serviceSchema.describe('The new account.') }) },
    body,
    target: { noun: 'service', member: 'name' },
    async run({ body: { owner, expires, ...fields }, caller, commit }) {
      const service = { ...fields, owner: owner ?? caller.userId, expiresAt: expires ?? null }
      return { callinfo: { service: serviceRecord(await accounts.create(service, commit)) } }
    },
  })
