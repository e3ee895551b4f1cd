import { z } from 'zod'
import { holds } from '../../../access/capabilities.ts'
import { endpoint } from '../../../http/contract/endpoint.ts'
import type { ServiceAccounts } from '../service-accounts.ts'
import { serviceIdOf, ofOwner, serviceParams, serviceRecord, serviceSchema } from './service-record.ts'

/** `GET /service`: the caller's service accounts; for an administrator all. */
export const listServices = (accounts: ServiceAccounts) =>
  endpoint({
    operation: 'service.list',
    handler: 'ServiceHandler',
    method: 'GET',
    path: '/service',
    summary: 'List service accounts',
    access: { kind: 'session' },
    reply: {
      callinfo: z.object({ services: z.array(serviceSchema).describe('In the order in which they were made.') }),
    },
    async run({ caller }) {
      const all = await accounts.list()
      const seen = holds(caller.capabilities, 'admin') ? all : all.filter(({ owner }) => owner?.id === caller.userId)
      return { callinfo: { services: seen.map(serviceRecord) } }
    },
  })

/** `GET /service/:serviceid`. */
export const readService = (accounts: ServiceAccounts) =>
  endpoint({
    operation: 'service.read',
    handler: 'ServiceHandler',
    method: 'GET',
    path: '/service/:serviceid',
    summary: 'Read a service account',
    access: ofOwner(accounts),
    faults: ['service.not_found'],
    reply: { callinfo: z.object({ service: serviceSchema.describe('The account.') }) },
    params: serviceParams,
    async run({ params }) {
      return { callinfo: { service: serviceRecord(await accounts.read(serviceIdOf(params.serviceid))) } }
    },
  })
