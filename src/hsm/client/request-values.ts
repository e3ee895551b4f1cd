import type { SignatureScheme } from '../key-kind.ts'
import type { GenerateOptions, KeyPurpose } from '../made-key.ts'
import { flagField, nothing, sealedFields } from '../protocol/fields.ts'

// Fields of requests, in the order in which `RequestFields` reads them.

export function optionFields({ exportable, backup, ...purpose }: GenerateOptions): Uint8Array[] {
  return [flagField(exportable), flagField(backup), ...purposeFields(purpose)]
}

function purposeFields({ purpose, outerWrapping }: KeyPurpose): Uint8Array[] {
  const identities = outerWrapping === undefined ? [nothing, nothing] : [outerWrapping.identity, outerWrapping.vault]
  return [purpose ?? nothing, ...identities, ...sealedFields(outerWrapping?.vaultKey)]
}

export function schemeFields({ hash, padding, saltBytes }: SignatureScheme): Buffer[] {
  return [Buffer.from(hash), Buffer.from(padding ?? 'pss'), Buffer.from(saltBytes === undefined ? '' : `${saltBytes}`)]
}
