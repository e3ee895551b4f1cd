import { decide, type KeyInVault, type KeyUse } from '../access/decision.ts'
import { Fault } from '../fault.ts'
import type { FieldsOf, OpenedRecord } from './record-layouts.ts'

/** The verified records on which a use of a key depends. */
export interface UsedRecords {
  readonly key: OpenedRecord
  /** Set for a named key. */
  readonly policy: OpenedRecord | undefined
  /** The keeper's grant to the caller. A key of a vault is never used without one. */
  readonly grant: FieldsOf<'grant'> | undefined
}

/**
 * Why a key may not be used this way; undefined when it may. The host asks before every use by any worker, so that no
 * worker gets what a policy forbids.
 */
export function useRefusal(
  use: KeyUse,
  { key, policy, grant }: UsedRecords,
  now: number,
  aad?: Buffer,
): Fault | undefined {
  switch (key.type) {
    case 'transparent key version 2':
      return policy?.type === 'transparent key 2' &&
        policy.fields.identity.equals(key.fields.identity) &&
        policy.fields.vault.equals(key.fields.vault)
        ? inVault(namedKey(key.fields, policy.fields))
        : notItsPolicy()
    case 'vault key 2':
      return inVault({ vault: key.fields.vault, version: undefined })
    case 'otp':
      return use === 'otp' ? undefined : rejected('The key of a one-time password serves nothing else.')
    case 'validation client':
      return use === 'validation' ? undefined : rejected('The key of a client of the validator serves nothing else.')
    case 'vault key':
    case 'transparent key version':
      return rejected('This key is of release 0.2.0: run "strongroom init", which takes it over.')
    default:
      return rejected('A record that holds no key cannot be used as one.')
  }

  function inVault(used: KeyInVault | undefined): Fault | undefined {
    if (used === undefined) return notItsPolicy()
    return decide(grant, used, use, now, aad)
  }
}

/** Undefined where the policy belongs to another key. */
function namedKey(
  { vault, type, version, disabled }: FieldsOf<'transparent key version 2'>,
  policy: FieldsOf<'transparent key 2'>,
): KeyInVault | undefined {
  return policy.type === type ? { vault, version: { version, disabled, policy } } : undefined
}

const rejected = (sentence: string): Fault => new Fault('hsm.rejected', sentence)
const notItsPolicy = (): Fault => rejected('The policy is not that of the key.')
