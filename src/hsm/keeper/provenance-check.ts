import { Fault } from '../../fault.ts'
import type { SealedRecord } from '../hsm.ts'
import { verify } from '../pkcs11/seal-operations.ts'
import type { Token } from '../pkcs11/token-link.ts'
import { keyInRecord, newKeyMs, nonceBytes, singleKeyHolder, provenanceRecord, receivedPurpose } from '../provenance.ts'
import { generationOf } from '../record-generation.ts'
import type { OpenedRecord } from '../record-layouts.ts'
import type { Floors } from './floors.ts'
import type { KeeperMemory } from './keeper-memory.ts'
import { isSealed } from './shown-record.ts'

/**
 * Checks the new record of a key: a token host must have made or imported the key for this very place, and no other
 * record may have it.
 */
export function checkProvenance(
  token: Token,
  { usedProvenance: used, freshKeys, floors }: Pick<KeeperMemory, 'usedProvenance' | 'freshKeys' | 'floors'>,
  {
    next,
    record,
    provenance,
    policy,
    user,
  }: {
    readonly next: OpenedRecord
    readonly record: Buffer
    readonly provenance: Buffer
    readonly policy: OpenedRecord | undefined
    readonly user: Buffer | undefined
  },
): void {
  const key = keyInRecord(next)
  if (key === undefined) return
  const nonce = provenance.subarray(0, nonceBytes)
  const madeFor = (purpose: Buffer): SealedRecord => ({
    record: provenanceRecord(nonce, purpose, key.kind, key),
    seal: provenance.subarray(nonceBytes),
  })
  const mayBeReceived = next.type === 'transparent key version 2' && isNewKey(floors, policy)
  if (!mayBeReceived) verify(token, madeFor(key.purpose))
  else if (!isSealed(token, madeFor(key.purpose))) verify(token, madeFor(receivedPurpose(next.fields)))
  if (!used.use(provenance, record)) throw new Fault('hsm.rejected', 'This key is in another record already.')
  const holder = singleKeyHolder(next)
  if (holder !== undefined && !used.useHolder(holder, record))
    throw new Fault('hsm.rejected', 'The vault has another key.')
  freshKeys.note(provenance, generationOf(policy ?? next), user)
}

/** Whether the key was created a moment ago, and no commit of its policy was shown. */
function isNewKey(floors: Floors, policy: OpenedRecord | undefined): boolean {
  if (policy?.type !== 'transparent key 2') return false
  const { generation, createdAt } = policy.fields
  const subject = generationOf(policy)?.subject
  const isKnown = subject !== undefined && floors.of(subject) !== undefined
  return generation === 1 && !isKnown && Date.now() - createdAt <= newKeyMs
}
