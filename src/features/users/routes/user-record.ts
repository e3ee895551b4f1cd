import { z } from 'zod'
import { bitsOf } from './capability-words.ts'
import type { ListedUser, User } from '../records.ts'

type Shown = Pick<User, 'id' | 'fullname' | 'email'>

/** `userRecord`, for the documentation. */
export const userSchema = z.object({
  id: z.string(),
  fullname: z.string(),
  email: z.string(),
  username: z.string(),
  status: z.string().describe('capabilities, a bitmap'),
  otpprefix: z.string().describe('public ids of the hardware tokens, with commas between'),
  fingerprint: z.string(),
  tags: z.array(z.string()),
  bits: z.record(z.string(), z.string()).describe('the bits of status that are set, by their numbers'),
})

/** The same for who is no administrator. */
export const publicSchema = userSchema.pick({ id: true, fullname: true, email: true })

/** What everybody who may look for users sees of one. */
export function publicRecord({ id, fullname, email }: Shown): Record<string, string> {
  return { id: String(id), fullname, email }
}

/** The whole record, for administrators. `tags` are none here, but clients know them as a list. */
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
