import { Fault, isFault } from '../../fault.ts'
import type { Hsm, Outcome } from '../../hsm/hsm.ts'
import { fieldAad } from '../../hsm/object-aad.ts'
import { vaultKeyReference } from '../vaults/vault-key.ts'
import type { GrantedVault } from './read-records.ts'
import type { SecretField, VaultObject } from './records.ts'

/** What an encrypted field is bound to: its bytes decrypt there and nowhere else. */
export type FieldOwner = Pick<VaultObject, 'id' | 'vaultId' | 'templateId'>

/** The encrypted fields of objects, sealed in the token with the data key of their vault. */
export interface FieldCipher {
  /** One use of the vault's key for each value; the caller counts them. */
  seal(
    vault: GrantedVault,
    object: FieldOwner,
    version: number,
    values: Readonly<Record<string, string>>,
  ): Promise<SecretField[]>
  /** @throws Fault `object.tampered` when one of them is not as it was written there */
  open(vault: GrantedVault, object: FieldOwner, secrets: readonly SecretField[]): Promise<Record<string, string>>
}

export function createFieldCipher(hsm: Pick<Hsm, 'encryptMany' | 'decryptMany'>): FieldCipher {
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

    async open(vault, object, secrets) {
      const key = await vaultKeyReference(vault)
      const outcomes = await hsm.decryptMany(
        secrets.map(({ field, version, ciphertext }) => ({ key, ciphertext, aad: fieldAad(object, field, version) })),
      )
      const values: Record<string, string> = {}
      for (const [at, { field }] of secrets.entries()) values[field] = openedOf(outcomes[at], object, field)
      return values
    },
  }
}

function openedOf(outcome: Outcome | undefined, { id }: FieldOwner, field: string): string {
  try {
    return resultOf(outcome).toString()
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
