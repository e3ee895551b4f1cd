import type { SealedRecord } from '../../src/hsm/hsm.ts'
import type { GeneratedPair, GenerateOptions } from '../../src/hsm/made-key.ts'
import type { KeyKind } from '../../src/hsm/key-kind.ts'
import { encodeRecord } from '../../src/hsm/key-record.ts'
import { rawSeal } from './raw-seal.ts'
import type { TestToken } from './token.ts'

const minuteMs = 60_000

/** The record of an import job over this pair, sealed by the test's own hand. */
export function sealedJob(
  token: TestToken,
  { kek, blob, publicKey }: GeneratedPair,
  kind: KeyKind,
  { exportable, backup }: GenerateOptions,
  expiresAt = Date.now() + minuteMs,
): SealedRecord {
  const flags = [Number(exportable), 0, Number(backup), 1]
  const head = ['import job', 'ab'.repeat(16), 7, 'name', 'type', kind, kek, blob, publicKey, 'info']
  const record = encodeRecord([...head, ...flags, 0, expiresAt - minuteMs, expiresAt])
  return { record, seal: rawSeal(token, record) }
}
