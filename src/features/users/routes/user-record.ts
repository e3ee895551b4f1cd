import { z } from 'zod'
import { bitmapText, idText } from '../../../http/contract/shared-fields.ts'
import {
  capabilityBits,
  capabilityNames,
  namesOf,
  type Capabilities,
  type Capability,
} from '../../../access/capabilities.ts'
import type { ListedUser, User } from '../records.ts'

type Shown = Pick<User, 'id' | 'fullname' | 'email'>

/** `userRecord`, for the documentation. */
export const userSchema = z
  .object({
    id: idText('Id of the user.'),
    fullname: z.string().describe('Full name.'),
    email: z.string().describe('E-mail address.'),
    username: z.string().describe('Login name.'),
    status: bitmapText('Capabilities of the user.'),
    otpprefix: z
      .string()
      .describe(
        'Public ids of the hardware tokens of the user, 12 characters each, with commas between; empty for none.',
      ),
    fingerprint: z.string().describe('Fingerprint of the public key of the user: 40 hexadecimal digits.'),
    tags: z.array(z.string().describe('A tag.')).max(0).describe('Always empty.'),
    bits: z
      .record(z.string(), z.string().describe('Name of the capability.'))
      .describe('The bits of `status` that are set: their names by their numbers.'),
  })
  .meta({ id: 'User', description: 'A user, as administrators see it.' })

/** The record of a user as users without the capability Admin see it. */
export const publicSchema = userSchema
  .pick({ id: true, fullname: true, email: true })
  .meta({ id: 'PublicUser', description: 'A user, as users who may create vaults see it.' })

/** The fields of a user that everyone who may search for users sees. */
export function publicRecord({ id, fullname, email }: Shown): Record<string, string> {
  return { id: String(id), fullname, email }
}

/** The whole record, for administrators. `tags` is always empty here, but clients expect the list. */
export function userRecord(user: ListedUser): Record<string, unknown> {
  return {
    ...publicRecord(user),
    username: user.username,
    status: String(user.capabilities),
    otpprefix: user.otpPrefixes.join(','),
    fingerprint: user.fingerprint,
    tags: [],
    bits: bitsOf(user.capabilities),
  }
}

/** The names of capabilities in the interface. */
const words: Readonly<Record<Capability, string>> = {
  read: 'Read',
  createVault: 'Write',
  admin: 'Admin',
  audit: 'Audit',
  escrow: 'Escrow',
  changePassphrase: 'Changepass',
  active: 'Active',
  ugList: 'UG-list',
  mail: 'Mail',
}

/** The number of each bit, by its name. */
export const userBits: Readonly<Record<string, number>> = Object.fromEntries(
  capabilityNames.map((name) => [words[name], capabilityBits[name]]),
)

/** The names of the set bits, by their numbers. */
function bitsOf(capabilities: Capabilities): Record<string, string> {
  return Object.fromEntries(namesOf(capabilities).map((name) => [capabilityBits[name], words[name]]))
}
