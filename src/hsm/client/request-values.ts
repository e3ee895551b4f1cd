import type { SignatureScheme } from '../key-kind.ts'
import type { GenerateOptions, KeyPurpose } from '../made-key.ts'
import { sealedFields } from '../protocol/batch-frame.ts'

// Fields of requests, in the order in which `RequestFields` reads them.

const nothing = Buffer.alloc(0)

export function optionFields({ exportable, backup, ...purpose }: GenerateOptions): Uint8Array[] {
  return [...[exportable, backup].map((flag) => Buffer.from(flag ? '1' : '0')), ...purposeFields(purpose)]
}

export function purposeFields({ purpose, place }: KeyPurpose): Uint8Array[] {
  const where = place === undefined ? [nothing, nothing] : [place.identity, place.vault]
  return [purpose ?? nothing, ...where, ...sealedFields(place?.vaultKey)]
}

export function schemeFields({ hash, padding, saltBytes }: SignatureScheme): Buffer[] {
  return [Buffer.from(hash), Buffer.from(padding ?? 'pss'), Buffer.from(saltBytes === undefined ? '' : `${saltBytes}`)]
}
