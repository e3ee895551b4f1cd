import type { SignatureScheme } from '../key-kind.ts'
import type { GenerateOptions, KeyPurpose } from '../made-key.ts'
import { sealedFields } from '../protocol/batch-frame.ts'

// Fields of requests, in the order in which `RequestFields` reads them.

const nothing = Buffer.alloc(0)

export function optionFields({ exportable, backup, ...purpose }: GenerateOptions): Uint8Array[] {
  return [...[exportable, backup].map((flag) => Buffer.from(flag ? '1' : '0')), ...purposeFields(purpose)]
}

export function purposeFields({ purpose, outerWrapping }: KeyPurpose): Uint8Array[] {
  const identities = outerWrapping === undefined ? [nothing, nothing] : [outerWrapping.identity, outerWrapping.vault]
  return [purpose ?? nothing, ...identities, ...sealedFields(outerWrapping?.vaultKey)]
}

export function schemeFields({ hash, padding, saltBytes }: SignatureScheme): Buffer[] {
  return [Buffer.from(hash), Buffer.from(padding ?? 'pss'), Buffer.from(saltBytes === undefined ? '' : `${saltBytes}`)]
}
