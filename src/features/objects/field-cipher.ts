import { Fault, isFault } from '../../fault.ts'
import { groupsOf } from '../../groups.ts'
import { resultOf } from '../../hsm/batch-outcomes.ts'
import type { Hsm, Outcome } from '../../hsm/hsm.ts'
import { earlierFieldAad, fieldAad, type FieldOwner } from '../../hsm/object-aad.ts'
import { vaultKeyReference } from '../vaults/vault-key.ts'
import type { GrantedVault } from './read-records.ts'
import type { SecretField } from './records.ts'

/** A stored field of one object that is to be encrypted for another. */
export interface Rebinding {
  readonly secret: SecretField
  readonly from: FieldOwner
  readonly to: FieldOwner
  readonly version: number
}

/** 64 fields are at most 16 MiB in one frame, and keep a token host busy for some milliseconds. */
const reboundAtOnce = 64

/** Encrypts and decrypts fields of objects in the token, with the data key of their vault. */
export interface FieldCipher {
  /** Takes one use of the vault's key per value, which the caller counts. */
  encrypt(
    vault: GrantedVault,
    object: FieldOwner,
    version: number,
    values: Readonly<Record<string, string>>,
  ): Promise<SecretField[]>
  /**
   * Encrypts fields again in the token, bound to another object, vault or version. Takes one use of the key of `to` per
   * field.
   * @throws Fault `object.tampered`
   */
  rebind(from: GrantedVault, to: GrantedVault, fields: readonly Rebinding[]): Promise<SecretField[]>
  /**
   * Encrypts fields again in the token as those of an earlier version of their object. Takes one use of the vault's key
   * per field. A tampered field is copied as it is, and refused when that version is read, so that the edit itself
   * succeeds.
   */
  keepEarlier(
    vault: GrantedVault,
    object: FieldOwner,
    version: number,
    secrets: readonly SecretField[],
  ): Promise<SecretField[]>
  /** @throws Fault `object.tampered` when a ciphertext is not the one written for this owner */
  decrypt(vault: GrantedVault, object: FieldOwner, secrets: readonly SecretField[]): Promise<Record<string, string>>
  /** The same for the fields of an earlier version. */
  decryptEarlier(
    vault: GrantedVault,
    object: FieldOwner,
    secrets: readonly SecretField[],
  ): Promise<Record<string, string>>
}

export function createFieldCipher(hsm: Pick<Hsm, 'encryptMany' | 'decryptMany' | 'rewrapMany'>): FieldCipher {
  return {
    async encrypt(vault, object, version, values) {
      const key = await vaultKeyReference(vault)
      const entries = Object.entries(values)
      const outcomes = await hsm.encryptMany(
        entries.map(([field, value]) => ({
          key,
          plaintext: Buffer.from(value),
          aad: fieldAad(object, field, version),
        })),
      )
      return outcomes.map((outcome, at) => ({
        objectId: object.id,
        field: entries[at]?.[0] ?? '',
        version,
        ciphertext: resultOf(outcome),
      }))
    },

    async rebind(from, to, fields) {
      const rebound: SecretField[] = []
      for (const some of groupsOf(fields, reboundAtOnce)) {
        const [fromKey, toKey] = [await vaultKeyReference(from), await vaultKeyReference(to)]
        const outcomes = await hsm.rewrapMany(
          some.map(({ secret, from: owner, to: target, version }) => ({
            from: fromKey,
            to: toKey,
            ciphertext: secret.ciphertext,
            aad: fieldAad(owner, secret.field, secret.version),
            newAad: fieldAad(target, secret.field, version),
          })),
        )
        for (const [at, { secret, from: owner, to: target, version }] of some.entries()) {
          const ciphertext = untampered(outcomes[at], owner, secret.field)
          rebound.push({ objectId: target.id, field: secret.field, version, ciphertext })
        }
      }
      return rebound
    },

    async keepEarlier(vault, object, version, secrets) {
      const kept: SecretField[] = []
      const key = await vaultKeyReference(vault)
      for (const some of groupsOf(secrets, reboundAtOnce)) {
        const outcomes = await hsm.rewrapMany(
          some.map(({ field, version: writtenAt, ciphertext }) => ({
            from: key,
            to: key,
            ciphertext,
            aad: fieldAad(object, field, writtenAt),
            newAad: earlierFieldAad(object, field, version),
          })),
        )
        for (const [at, { objectId, field, ciphertext }] of some.entries())
          kept.push({ objectId, version, field, ciphertext: resultUnlessRejected(outcomes[at]) ?? ciphertext })
      }
      return kept
    },

    decrypt: (vault, object, secrets) => decryptEach(hsm, vault, object, secrets, fieldAad),
    decryptEarlier: (vault, object, secrets) => decryptEach(hsm, vault, object, secrets, earlierFieldAad),
  }
}

async function decryptEach(
  hsm: Pick<Hsm, 'decryptMany'>,
  vault: GrantedVault,
  object: FieldOwner,
  secrets: readonly Pick<SecretField, 'field' | 'version' | 'ciphertext'>[],
  aadOf: typeof fieldAad,
): Promise<Record<string, string>> {
  const key = await vaultKeyReference(vault)
  const outcomes = await hsm.decryptMany(
    secrets.map(({ field, version, ciphertext }) => ({ key, ciphertext, aad: aadOf(object, field, version) })),
  )
  const values: Record<string, string> = {}
  for (const [at, { field }] of secrets.entries()) values[field] = untampered(outcomes[at], object, field).toString()
  return values
}

function resultUnlessRejected(outcome: Outcome | undefined): Buffer | undefined {
  try {
    return resultOf(outcome)
  } catch (error) {
    if (isFault(error, 'hsm.rejected')) return undefined
    throw error
  }
}

function untampered(outcome: Outcome | undefined, { id }: FieldOwner, field: string): Buffer {
  try {
    return resultOf(outcome)
  } catch (cause) {
    if (!isFault(cause, 'hsm.rejected')) throw cause
    throw new Fault(
      'object.tampered',
      `The field ${field} of object ${id} is not as the appliance wrote it there, and is not shown. Tell the operator.`,
      { cause },
    )
  }
}
