import { z } from 'zod'
import { endpoint, type Admit, type Endpoint } from '../../../http/contract/endpoint.ts'
import type { Templates } from '../../templates/templates.ts'
import { vaultRecord, vaultSchema } from '../../vaults/routes/vault-record.ts'
import type { Vaults } from '../../vaults/vault.ts'
import type { ObjectReading } from '../reading.ts'
import { objectMembers, objectSchema, templatesOfObjects } from './object-record.ts'

/** Browser extensions search for the host name of a page, which can have 253 characters. */
const needle = z
  .string()
  .regex(/^[^\0]*$/, 'must not hold NUL, or bytes that are not UTF-8')
  .trim()
  .min(1, 'must not be empty')
  .max(255, 'must have 255 characters at most')
  .describe('Text to look for, in upper or lower case.')

const mostFound = 1_000
const limit = z
  .string()
  .regex(/^([1-9]\d{0,2}|1000)$/, `must be 1 to ${mostFound}`)
  .describe(`Most objects of the answer, 1 to ${mostFound}.`)
  .default(String(mostFound))

interface Wanted {
  readonly userId: number
  readonly text: string
  readonly most: number
}

export interface FindDependencies {
  readonly reading: ObjectReading
  readonly templates: Templates
  readonly vaults: Pick<Vaults, 'listFor'>
}

/** `GET /find?needle=`: objects whose name or unencrypted fields contain a text, in every vault of the caller. */
export const findObjects = (on: FindDependencies) =>
  endpoint({
    ...shared,
    operation: 'object.find',
    path: '/find',
    body: z.object({ needle, limit }),
    run: ({ body, caller, admit }) =>
      find(on, { userId: caller.userId, text: body.needle, most: Number(body.limit) }, admit),
  })

/** `GET /find/:needle`: the same for older clients. */
export const findObjectsByPath = (on: FindDependencies) =>
  endpoint({
    ...shared,
    operation: 'object.find.path',
    path: '/find/:needle',
    params: z.object({ needle }),
    run: ({ params, caller, admit }) =>
      find(on, { userId: caller.userId, text: params.needle, most: mostFound }, admit),
  })

const shared = {
  handler: 'FindHandler',
  method: 'GET',
  summary: 'Find objects by their name and open fields',
  details:
    'It looks in every vault that is shared with the caller. Encrypted fields are not searched, and of an object with more than 16,384 characters of open fields the last of its longest ones are not.',
  access: { kind: 'session' },
  faults: ['request.quota'],
  reply: {
    members: z.object({
      OBJECT: z.array(objectSchema).describe('The objects that hold it, without encrypted fields.'),
      TEMPLATES: templatesOfObjects,
      VAULTS: z.array(vaultSchema).describe('The vaults in which they lie.'),
    }),
  },
} as const satisfies Partial<Endpoint>

async function find({ reading, templates, vaults }: FindDependencies, { userId, text, most }: Wanted, admit: Admit) {
  const found = await reading.search(userId, text, most, () => admit('longLists'))
  const within = new Set(found.map(({ vaultId }) => vaultId))
  const shown = within.size === 0 ? [] : (await vaults.listFor(userId)).filter(({ id }) => within.has(id))
  return { members: { ...(await objectMembers(found, templates)), VAULTS: shown.map(vaultRecord) } }
}
