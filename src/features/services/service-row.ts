import type { Hsm } from '../../hsm/hsm.ts'
import type { NewUserRow } from '../users/records.ts'
import { fingerprintOf } from '../users/user.ts'
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

/**
 * The row to insert. The fingerprint of a new key pair is the one by which answers name the account, as they name
 * users.
 */
export async function newServiceRow(
  hsm: Pick<Hsm, 'generatePair'>,
  { name, description }: { readonly name: string; readonly description: string },
  now: number,
): Promise<NewUserRow> {
  const pair = await hsm.generatePair('ec-p256')
  return {
    ...none,
    username: name,
    fullname: description,
    capabilities: capabilitiesWhile(true),
    passphraseChangedAt: now,
    keyKek: pair.kek,
    keyBlob: pair.blob,
    publicKey: pair.publicKey,
    fingerprint: fingerprintOf(pair.publicKey),
    createdAt: now,
  }
}
