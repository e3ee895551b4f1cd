import { z } from 'zod'
import { endpoint } from '../../../http/contract/endpoint.ts'
import { passwordPolicies } from '../policies.ts'

const policySchema = z
  .object({
    id: z.int().min(0).describe('Id of the policy, which vaults name in `policy`.'),
    name: z.string().describe('What the policy asks for, in words.'),
    rules: z
      .record(
        z.string(),
        z.union([z.int().min(0), z.boolean()]).describe('A number of characters, or whether the rule applies.'),
      )
      .describe(
        'The rules that apply, by name, such as `min_length`, `min_lowercase_chars`, `min_uppercase_chars`, `min_numeric_chars` and `min_nonalphanumeric_chars`.',
      ),
  })
  .meta({ id: 'PasswordPolicy', description: 'A password policy.' })

/** `GET /utils/policies` (spec: Obtain password policies). */
export const listPolicies = () =>
  endpoint({
    operation: 'utils.policies',
    handler: 'UtilsHandler',
    method: 'GET',
    path: '/utils/policies',
    summary: 'List the password policies',
    access: { kind: 'session' },
    reply: {
      callinfo: z.object({
        policies: z.array(policySchema).describe('The policies, in a fixed order, which is not that of their ids.'),
      }),
    },
    run: () => Promise.resolve({ callinfo: { policies: passwordPolicies } }),
  })
