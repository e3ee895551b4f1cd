import { createHash, randomBytes } from 'node:crypto'
import { capabilitiesOf } from '../../src/access/capabilities.ts'
import { clockSkewMs, longestGrantMs } from '../../src/access/decision.ts'
import { permissionBits } from '../../src/access/permission.ts'
import type { GrantRequest, SealedRecord } from '../../src/hsm/hsm.ts'
import { findVault } from '../../src/features/vaults/records.ts'
import { composeRecord, type FieldsOf, type RecordType } from '../../src/hsm/record-layouts.ts'
import type { TestAppliance } from './appliance.ts'
import { rawSeal } from './raw-seal.ts'
import type { TestToken } from './token.ts'

type SealingToken = Pick<TestToken, 'module' | 'softhsmConf' | 'pinFile'>

/** A record with a valid seal, as the keeper makes it. */
export function sealedRecord<T extends RecordType>(token: SealingToken, type: T, fields: FieldsOf<T>): SealedRecord {
  const record = composeRecord(type, { ...fields })
  return { record, seal: rawSeal(token, record) }
}

export const newIdentity = (): Buffer => randomBytes(16)

/** Id of the row of an account that is in no database: a different one for each identity, above all real ids. */
export const rowIdOf = (identity: Buffer): number => 2 ** 32 + Buffer.concat([identity, Buffer.alloc(4)]).readUInt32BE()

/** A grant of an Admin of a vault, valid for as long as a host accepts one, changed by `edits`. */
export function sealedGrant(token: SealingToken, edits: Partial<FieldsOf<'grant'>> = {}): SealedRecord {
  return sealedRecord(token, 'grant', {
    session: newIdentity(),
    user: newIdentity(),
    userId: 4711,
    capabilities: capabilitiesOf(['read', 'active']),
    vault: null,
    permission: permissionBits.Admin,
    expiresAt: Date.now() + longestGrantMs + clockSkewMs - 1_000,
    grants: null,
    recoveries: 0,
    ...edits,
  })
}

/** Such a grant for a vault of an appliance. */
export async function grantIn(
  { store, token }: Pick<TestAppliance, 'store' | 'token'>,
  vaultId: string | number,
  edits: Partial<FieldsOf<'grant'>> = {},
): Promise<SealedRecord> {
  const vault = await findVault(store.read, Number(vaultId))
  if (vault === null) throw new Error(`there is no vault ${vaultId}`)
  return sealedGrant(token, { vault: Buffer.from(vault.identity, 'hex'), ...edits })
}

/** The sealed row of a user, changed by `edits`. */
export function sealedPerson(token: SealingToken, edits: Partial<FieldsOf<'user'>> = {}): SealedRecord {
  const { identity = newIdentity() } = edits
  return sealedRecord(token, 'user', {
    identity,
    id: rowIdOf(identity),
    username: 'mallory',
    capabilities: capabilitiesOf(['read', 'active']),
    passphraseSalt: Buffer.alloc(16),
    passphraseCheck: Buffer.alloc(32),
    passphraseCost: '',
    passphraseChangedAt: Date.now(),
    factors: Buffer.alloc(0),
    recoveries: 0,
    madeBy: null,
    generation: 1,
    ...edits,
  })
}

/** Changes to the usual records of a grant request for a new session. */
export interface GrantEdits {
  readonly session?: Partial<FieldsOf<'session'>>
  readonly user?: Partial<FieldsOf<'user'>>
  readonly applicationKey?: Partial<FieldsOf<'application key'>>
  readonly membership?: Partial<FieldsOf<'membership'>>
}

/** A valid grant request of a user with Write in a vault, changed by `edits`. */
export function grantRequest(token: SealingToken, edits: GrantEdits = {}): GrantRequest {
  const sessionToken = randomBytes(21).toString('hex')
  const [userIdentity, keyIdentity, vault] = [newIdentity(), newIdentity(), newIdentity()]
  const now = Date.now()
  return {
    token: sessionToken,
    session: sealedRecord(token, 'session', {
      identity: newIdentity(),
      tokenHash: createHash('sha256').update(sessionToken).digest('base64'),
      user: userIdentity,
      applicationKey: keyIdentity,
      recoveries: 0,
      certificate: null,
      createdAt: now,
      expiresAt: now + 3_600_000,
      ...edits.session,
    }),
    user: sealedPerson(token, { identity: userIdentity, ...edits.user }),
    applicationKey: sealedRecord(token, 'application key', {
      identity: keyIdentity,
      name: 'tests',
      keyCheck: Buffer.alloc(32),
      revokedAt: null,
      generation: 1,
      ...edits.applicationKey,
    }),
    membership: sealedRecord(token, 'membership', {
      vault,
      user: userIdentity,
      permission: permissionBits.Write,
      recoveries: 0,
      generation: 1,
      ...edits.membership,
    }),
  }
}
