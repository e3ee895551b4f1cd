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

/** What the seal of an import job says: the request that shows it says nothing of this. */
export interface ImportJob extends GenerateOptions {
  /** Of the key that comes in. */
  readonly kind: KeyKind
  /** The job's own private key. */
  readonly key: WrappedKey
  /** What the policy of the key says. */
  readonly policy: Readonly<Record<string, unknown>>
}

/** Throws `hsm.seal_broken`, and `hsm.rejected` for another record and for a job whose time has passed. */
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

/** What the policy of the key says as its job does. */
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

/** The private key of a job as a session object that unwraps; the caller destroys it. */
export function unwrapJobKey(
  { keySession, roots, mechanisms }: Pick<Connection, 'keySession' | 'roots' | 'mechanisms'>,
  { key: { kek, blob } }: ImportJob,
): KeyHandle {
  const template = unwrappingTemplate(keyPairRows[importJobKind])
  return keySession.unwrap(requirePaddedWrap(mechanisms), roots.kek(kek), blob, template)
}
