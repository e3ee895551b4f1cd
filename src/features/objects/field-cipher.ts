import { Fault, isFault } from '../../fault.ts'
import type { Hsm, Outcome } from '../../hsm/hsm.ts'
import { fieldAad } from '../../hsm/object-aad.ts'
import { vaultKeyReference } from '../vaults/vault-key.ts'
import type { GrantedVault } from './read-records.ts'
import type { SecretField, VaultObject } from './records.ts'

/** What an encrypted field is bound to: its bytes decrypt there and nowhere else. */
export type FieldOwner = Pick<VaultObject, 'id' | 'vaultId' | 'templateId'>

/** A field as it is written for one object, to be written for another. */
export interface Rebinding {
  readonly secret: SecretField
  readonly from: FieldOwner
  readonly to: FieldOwner
  readonly version: number
}

/** 64 fields are 16 MiB in a frame at the most, and hold a host up for some milliseconds. */
const reboundAtOnce = 64

/** The encrypted fields of objects, sealed in the token with the data key of their vault. */
export interface FieldCipher {
  /** One use of the vault's key for each value; the caller counts them. */
  seal(
    vault: GrantedVault,
    object: FieldOwner,
    version: number,
    values: Readonly<Record<string, string>>,
  ): Promise<SecretField[]>
  /**
   * Encrypts fields anew in the token, where they open for another object, vault or version: one use of the key of `to` for
   * each. @throws Fault `object.tampered`
   */
  rebind(from: GrantedVault, to: GrantedVault, fields: readonly Rebinding[]): Promise<SecretField[]>
  /** @throws Fault `object.tampered` when one of them is not as it was written there */
  open(vault: GrantedVault, object: FieldOwner, secrets: readonly SecretField[]): Promise<Record<string, string>>
}

export function createFieldCipher(hsm: Pick<Hsm, 'encryptMany' | 'decryptMany' | 'rewrapMany'>): FieldCipher {
  return {
    async seal(vault, object, version, values) {
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
      for (let first = 0; first < fields.length; first += reboundAtOnce) {
        const some = fields.slice(first, first + reboundAtOnce)
        const [fromKey, toKey] = [await vaultKeyReference(from), await vaultKeyReference(to)]
        const outcomes = await hsm.rewrapMany(
          some.map(({ secret, from: owner, to: heir, version }) => ({
            from: fromKey,
            to: toKey,
            ciphertext: secret.ciphertext,
            aad: fieldAad(owner, secret.field, secret.version),
            newAad: fieldAad(heir, secret.field, version),
          })),
        )
        for (const [at, { secret, from: owner, to: heir, version }] of some.entries()) {
          const ciphertext = untampered(outcomes[at], owner, secret.field)
          rebound.push({ objectId: heir.id, field: secret.field, version, ciphertext })
        }
      }
      return rebound
    },

    async open(vault, object, secrets) {
      const key = await vaultKeyReference(vault)
      const outcomes = await hsm.decryptMany(
        secrets.map(({ field, version, ciphertext }) => ({ key, ciphertext, aad: fieldAad(object, field, version) })),
      )
      const values: Record<string, string> = {}
      for (const [at, { field }] of secrets.entries())
        values[field] = untampered(outcomes[at], object, field).toString()
      return values
    },
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

function resultOf(outcome: Outcome | undefined): Buffer {
  if (outcome === undefined) throw new RangeError('a batch without an outcome')
  if ('fault' in outcome) throw outcome.fault
  return outcome.result
}
