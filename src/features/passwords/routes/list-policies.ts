import { z } from 'zod'
import { endpoint } from '../../../http/contract/endpoint.ts'
import { passwordPolicies } from '../policies.ts'

const policySchema = z.object({
  id: z.int(),
  name: z.string(),
  rules: z.record(z.string(), z.union([z.int(), z.boolean()])).describe('those that apply'),
})

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
    reply: { callinfo: z.object({ policies: z.array(policySchema) }) },
    params: z.object({}),
    body: z.object({}),
    run: () => Promise.resolve({ callinfo: { policies: passwordPolicies } }),
  })
