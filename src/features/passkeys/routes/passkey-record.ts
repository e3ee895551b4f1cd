import { z } from 'zod'
import { pathId } from '../../../access/resource.ts'
import { idSegment, idText, lineOfText, moment } from '../../../http/contract/shared-fields.ts'
import { credentialIdField } from '../presented-passkey.ts'
import type { Passkey } from '../records.ts'

export const passkeySegment = () => idSegment('Id of the passkey, as `GET /user/{userid}/passkeys` lists it.')

export const passkeyName = lineOfText
  .min(1, 'must not be empty')
  .max(64, 'must have 64 characters at most')
  .describe('What the user calls it: 1 to 64 characters, such as the device that holds it.')

export const passkeySchema = z
  .object({
    id: idText('Id of the passkey.'),
    name: z.string().describe('What the user calls it.'),
    credential: credentialIdField,
    created: moment('When it was registered.'),
    used: moment('When it was last used.').optional(),
  })
  .meta({ id: 'Passkey', description: 'A passkey of a user.' })

export function passkeyItem({ id, name, credentialId, createdAt, usedAt }: Passkey): Record<string, string> {
  return {
    id: String(id),
    name,
    credential: credentialId.toString('base64url'),
    created: new Date(createdAt).toISOString(),
    ...(usedAt !== null && { used: new Date(usedAt).toISOString() }),
  }
}

/** @throws Fault `passkey.not_found` for what cannot be an id */
export const passkeyIdOf = (segment: string): number => pathId(segment, 'passkey.not_found')
