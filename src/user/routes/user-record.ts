import type { ListedUser, User } from '../records.ts'

type Shown = Pick<User, 'id' | 'fullname' | 'email'>

/** What everybody who may look for users sees of one. */
export function publicRecord({ id, fullname, email }: Shown): Record<string, string> {
  return { id: String(id), fullname, email }
}

/** The whole record, for administrators. */
export function userRecord(user: ListedUser): Record<string, string> {
  return {
    ...publicRecord(user),
    username: user.username,
    status: String(user.capabilities),
    otpprefix: user.otpPrefixes.join(','),
    fingerprint: user.fingerprint,
  }
}
