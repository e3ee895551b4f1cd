import { z } from 'zod'
import { endpoint } from '../../../http/contract/endpoint.ts'
import { messageSchema } from '../../../http/contract/shared-fields.ts'
import type { ServiceAccounts } from '../service-accounts.ts'
import {
  addressesField,
  endField,
  serviceIdOf,
  ofOwner,
  ownerField,
  onHoldSentence,
  serviceParams,
  serviceRecord,
  serviceSchema,
} from './service-record.ts'

const body = z.object({
  description: z.string().optional().describe('What it is for, of at most 128 characters.'),
  owner: ownerField.optional().describe('Id of the user who changes it; only administrators may name another user.'),
  addresses: addressesField
    .optional()
    .describe('IP addresses and ranges, 64 at most, from which it logs in and calls; an empty list: any.'),
  expires: endField.optional().describe('When it ends, RFC 3339 in UTC; or never.'),
  active: z.boolean().optional().describe('Whether it may log in; with false its sessions end at once.'),
})

/** An owner may not name another owner. */
function access(accounts: ServiceAccounts) {
  const own = ofOwner(accounts)
  return { ...own, owner: { ...own.owner, reserved: 'owner' } } as const
}

/** `PUT /service/:serviceid`. */
export const changeService = (accounts: ServiceAccounts) =>
  endpoint({
    operation: 'service.change',
    handler: 'ServiceHandler',
    method: 'PUT',
    path: '/service/:serviceid',
    summary: 'Change a service account',
    access: access(accounts),
    faults: ['service.not_found', 'service.invalid', 'user.not_found'],
    reply: { callinfo: z.object({ service: serviceSchema.describe('The account as it is now.') }) },
    params: serviceParams,
    body,
    async run({ params, body: { expires, active, ...fields }, caller, note, commit }) {
      const id = serviceIdOf(params.serviceid)
      note({ target: `service ${id}: ${Object.keys({ expires, active, ...fields }).join(', ')}`.slice(0, 200) })
      const changes = { ...fields, expiresAt: expires, isActive: active }
      const { service, putsOnHold } = await accounts.change(id, changes, caller.userId, commit)
      return { callinfo: { service: serviceRecord(service) }, general: onHoldSentence(putsOnHold) }
    },
  })

/** `DELETE /service/:serviceid`: disables the account. Its name stays in the audit trail. */
export const removeService = (accounts: ServiceAccounts) =>
  endpoint({
    operation: 'service.remove',
    handler: 'ServiceHandler',
    method: 'DELETE',
    path: '/service/:serviceid',
    summary: 'Disable a service account and take all its credentials',
    access: ofOwner(accounts),
    faults: ['service.not_found'],
    reply: { callinfo: messageSchema },
    params: serviceParams,
    async run({ params, caller, commit }) {
      const id = serviceIdOf(params.serviceid)
      await accounts.remove(id, caller.userId, commit)
      return { callinfo: { message: 'Service account removed' } }
    },
  })
