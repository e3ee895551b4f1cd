import type { Hsm } from '../../hsm/hsm.ts'
import type { NewUserRow } from '../users/records.ts'
import { newPair } from '../users/user.ts'
import { capabilitiesWhile } from './service-change.ts'

/** The columns that a service account leaves empty, since it has no pass phrase and no second factor. */
const none = {
  email: '',
  passphraseSalt: Buffer.alloc(0),
  passphraseCheck: Buffer.alloc(0),
  passphraseCost: '',
  passphraseStrength: null,
  passphraseBy: null,
  madeBy: null,
} as const

/** The row to insert. */
export async function newServiceRow(
  hsm: Pick<Hsm, 'generatePair'>,
  { name, description }: { readonly name: string; readonly description: string },
  now: number,
): Promise<NewUserRow> {
  return {
    ...none,
    username: name,
    fullname: description,
    capabilities: capabilitiesWhile(true),
    passphraseChangedAt: now,
    ...(await newPair(hsm)),
    createdAt: now,
  }
}
