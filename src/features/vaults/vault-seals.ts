import type { SealedGrant } from '../../access/transaction-grant.ts'
import type { SealedRecord } from '../../hsm/hsm.ts'
import { composeRecord, type FieldsOf } from '../../hsm/record-layouts.ts'
import type { Reader, Tx } from '../../store/store.ts'
import type { User } from '../users/records.ts'
import { sealChange, type Sealer } from '../users/sealed-change.ts'
import { sealedUser } from '../users/user-seals.ts'
import { findMember, type MembershipRow } from './membership-records.ts'
import { findVault, type Vault } from './records.ts'

/** The sealed record of a vault: its identity and its creator. */
export function sealedVault({ identity, creator, seal }: Pick<Vault, 'identity' | 'creator' | 'seal'>): SealedRecord {
  return { record: vaultRecord(Buffer.from(identity, 'hex'), creator), seal }
}

export function vaultRecord(identity: Buffer, creator: Buffer): Buffer {
  return composeRecord('vault', { identity, creator })
}

/** Draws the identity of a new vault. */
export async function sealNewVault(
  hsm: Pick<Sealer, 'sealNew'>,
  creator: Buffer,
  grant: SealedGrant,
): Promise<Pick<Vault, 'identity' | 'creator' | 'seal'>> {
  const { identity, seal } = await hsm.sealNew(vaultRecord(Buffer.alloc(0), creator), { grant })
  return { identity: identity.toString('hex'), creator, seal }
}

/** The vault and the user of a membership, whose identities its record names. */
export interface MembershipParties {
  readonly vault: Pick<Vault, 'identity'>
  readonly user: Pick<User, 'identity'>
}

/** The columns that the seal of a membership covers; permission 0 for a removed member. */
export interface MembershipState extends Pick<FieldsOf<'membership'>, 'permission' | 'recoveries' | 'generation'> {
  /** Null for a member who is not narrowed: that record has no field for grants. */
  readonly grants: string | null
}

export function membershipRecord({ vault, user }: MembershipParties, { grants, ...state }: MembershipState): Buffer {
  const fields = { ...state, vault: Buffer.from(vault.identity, 'hex'), user: user.identity }
  return grants === null
    ? composeRecord('membership', fields)
    : composeRecord('scoped membership', { ...fields, grants })
}

export function sealedMembership(
  parties: MembershipParties,
  membership: MembershipState & Pick<MembershipRow, 'seal'>,
): SealedRecord {
  return { record: membershipRecord(parties, membership), seal: membership.seal }
}

/** Undefined for a user who is not a member. */
export async function findSealedMembership(
  reader: Reader,
  user: Pick<User, 'id' | 'identity'>,
  vaultId: number,
): Promise<SealedRecord | undefined> {
  const [vault, membership] = [await findVault(reader, vaultId), await findMember(reader, { vaultId, userId: user.id })]
  return vault && membership ? sealedMembership({ vault, user }, membership) : undefined
}

/** Seals the next state of a membership. `previous`: its present record, or that of the vault for its first one. */
export async function sealMembership(
  hsm: Sealer,
  tx: Tx,
  parties: Pick<MembershipParties, 'vault'> & { readonly user: User },
  next: MembershipState,
  previous: SealedRecord | undefined,
): Promise<MembershipState & Pick<MembershipRow, 'seal'>> {
  const shown = { previous, person: sealedUser(parties.user) }
  return { ...next, seal: await sealChange(hsm, tx, membershipRecord(parties, next), shown) }
}
