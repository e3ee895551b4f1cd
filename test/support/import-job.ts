import type { SealedRecord } from '../../src/hsm/hsm.ts'
import type { GeneratedPair, GenerateOptions } from '../../src/hsm/made-key.ts'
import type { KeyKind } from '../../src/hsm/key-kind.ts'
import { encodeRecord } from '../../src/hsm/key-record.ts'
import { composeRecord } from '../../src/hsm/record-layouts.ts'
import { rawSeal } from './raw-seal.ts'
import type { TestToken } from './token.ts'

const minuteMs = 60_000

/** The record of an import job with this key pair, sealed by the test itself. */
export function sealedJob(
  token: TestToken,
  { kek, blob, publicKey }: Omit<GeneratedPair, 'provenance'>,
  kind: KeyKind,
  { exportable, backup }: GenerateOptions,
  expiresAt = Date.now() + minuteMs,
): SealedRecord {
  const flags = [Number(exportable), 0, Number(backup), 1]
  const head = ['import job', 'ab'.repeat(16), 7, jobVault, 'name', 'type', kind, kek, blob, publicKey, 'info']
  const record = encodeRecord([...head, ...flags, 0, expiresAt - minuteMs, expiresAt])
  return { record, seal: rawSeal(token, record) }
}

/** Identity of the vault of such a job. */
const jobVault = Buffer.alloc(16, 0xab)

/** The policy of the key for such a job, sealed likewise. */
export function newKeyPolicy(token: TestToken, { exportable, backup }: GenerateOptions): SealedRecord {
  const names = {
    identity: Buffer.alloc(16, 7),
    vault: jobVault,
    generation: 1,
    name: 'name',
    type: 'type',
    info: 'info',
    residency: 'database',
  }
  const versions = { oldestVersion: 1, latestVersion: 1, minEncryptionVersion: 1, minDecryptionVersion: 1 }
  const record = composeRecord('transparent key 2', {
    ...names,
    ...versions,
    allowExport: Number(exportable),
    allowPlaintextExport: 0,
    allowBackup: Number(backup),
    allowDelete: 1,
    autoRotatePeriodMs: 0,
    createdAt: Date.now(),
    deletedAt: null,
  })
  return { record, seal: rawSeal(token, record) }
}
