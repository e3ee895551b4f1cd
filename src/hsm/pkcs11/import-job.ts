import { Fault } from '../../fault.ts'
import type { SealedRecord } from '../hsm.ts'
import type { GenerateOptions, WrappedKey } from '../made-key.ts'
import { importJobKind } from '../import-limits.ts'
import { type KeyKind, keyKinds } from '../key-kind.ts'
import type { Connection } from './connection.ts'
import { requirePaddedWrap } from './key-kinds.ts'
import { unwrappingTemplate } from './key-templates.ts'
import { keyPairRows } from './pair-kinds.ts'
import type { KeyHandle } from './pkcs11-session.ts'
import { openSealed } from './seal-check.ts'

/** The content of a sealed import job. The request that shows the job cannot choose any of it. */
export interface ImportJob extends GenerateOptions {
  /** Kind of the key to import. */
  readonly kind: KeyKind
  /** Private key of the job, which unwraps the imported key. */
  readonly key: WrappedKey
  /** Fields that the policy of the imported key must have. */
  readonly policy: Readonly<Record<string, unknown>>
}

/**
 * Verifies and reads an import job.
 * @throws Fault `hsm.seal_broken`; `hsm.rejected` for another record, and for an expired job
 */
export function openJob({ keys }: Pick<Connection, 'keys'>, sealed: SealedRecord): ImportJob {
  keys.verify(sealed)
  const job = openSealed(sealed.record)
  if (job.type !== 'import job') throw new Fault('hsm.rejected', 'This record is not an import job.')
  const { kek, blob, allowExport, allowBackup, expiresAt, ...fields } = job.fields
  const kind = keyKinds.find((known) => known === fields.kind)
  if (kind === undefined) throw new Fault('hsm.rejected', `There is no kind of key ${fields.kind}.`)
  if (Date.now() >= expiresAt) throw new Fault('hsm.rejected', 'The time of this import job has passed.')
  const said = Object.fromEntries(saidByPolicy.map((name) => [name, job.fields[name]]))
  const policy = { ...said, residency: 'database', oldestVersion: 1, latestVersion: 1, deletedAt: null }
  return { kind, key: { kek, blob }, exportable: allowExport === 1, backup: allowBackup === 1, policy }
}

/** Fields that the policy of the key has in common with its job. */
const saidByPolicy = [
  'vault',
  'name',
  'type',
  'info',
  'allowExport',
  'allowPlaintextExport',
  'allowBackup',
  'allowDelete',
  'autoRotatePeriodMs',
] as const

/** Unwraps the private key of a job as a session object that can only unwrap. The caller destroys it. */
export function unwrapJobKey(
  { keySession, roots, mechanisms }: Pick<Connection, 'keySession' | 'roots' | 'mechanisms'>,
  { key: { kek, blob } }: ImportJob,
): KeyHandle {
  const template = unwrappingTemplate(keyPairRows[importJobKind])
  return keySession.unwrap(requirePaddedWrap(mechanisms), roots.kek(kek), blob, template)
}
