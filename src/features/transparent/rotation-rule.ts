import { keyTypeOf } from './key-type.ts'
import type { StoredKey } from './records.ts'

/** Share of the safe encryptions after which a version is replaced at its next use. */
const nearlyUsedUp = 0.9

/** Whether the latest version is to be replaced before its next use: nearly used up, or older than the key allows. */
export function isDue({ key, latest }: StoredKey, now: number): boolean {
  const { cipher } = keyTypeOf(key.type)
  if (cipher && latest.invocations >= cipher.maxInvocations * nearlyUsedUp) return true
  return key.autoRotatePeriodMs > 0 && now - latest.createdAt >= key.autoRotatePeriodMs
}
