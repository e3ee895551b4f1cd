import { z } from 'zod'
import { endpoint } from '../../api/endpoint.ts'
import { passwordPolicies } from '../policies.ts'

/** `GET /utils/policies` (spec: Obtain password policies). */
export const listPolicies = () =>
  endpoint({
    operation: 'utils.policies',
    handler: 'UtilsHandler',
    method: 'GET',
    path: '/utils/policies',
    summary: 'List the password policies',
    access: { kind: 'session' },
    success: 200,
    params: z.object({}),
    body: z.object({}),
    run: () => Promise.resolve({ callinfo: { policies: passwordPolicies } }),
  })
