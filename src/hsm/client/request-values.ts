import type { SignatureScheme } from '../key-kind.ts'
import type { GenerateOptions, KeyPurpose } from '../made-key.ts'
import { sealedFields } from '../protocol/batch-frame.ts'

// Fields of requests, in the order in which `RequestFields` reads them.

/** Stands for a field without a value. */
export const nothing = Buffer.alloc(0)

export const numberField = (value: number): Buffer => Buffer.from(String(value))
export const flagField = (value: boolean): Buffer => Buffer.from(value ? '1' : '0')

/** A list: its length, then the fields of each item. */
export const listFields = <Item>(
  items: readonly Item[],
  fieldsOf: (item: Item) => readonly Uint8Array[],
): Uint8Array[] => [numberField(items.length), ...items.flatMap(fieldsOf)]

export function optionFields({ exportable, backup, ...purpose }: GenerateOptions): Uint8Array[] {
  return [flagField(exportable), flagField(backup), ...purposeFields(purpose)]
}

export function purposeFields({ purpose, outerWrapping }: KeyPurpose): Uint8Array[] {
  const identities = outerWrapping === undefined ? [nothing, nothing] : [outerWrapping.identity, outerWrapping.vault]
  return [purpose ?? nothing, ...identities, ...sealedFields(outerWrapping?.vaultKey)]
}

export function schemeFields({ hash, padding, saltBytes }: SignatureScheme): Buffer[] {
  return [Buffer.from(hash), Buffer.from(padding ?? 'pss'), Buffer.from(saltBytes === undefined ? '' : `${saltBytes}`)]
}
