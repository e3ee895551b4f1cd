import type { KeyReference, SealedRecord } from '../hsm.ts'

// How values are written in the fields of frames.

/** Stands for a field without a value. */
export const nothing = Buffer.alloc(0)

export const numberField = (value: number): Buffer => Buffer.from(String(value))
export const flagField = (value: boolean): Buffer => Buffer.from(value ? '1' : '0')

/** The two fields of a sealed record; both empty for none. */
export function sealedFields(sealed: SealedRecord | undefined): Buffer[] {
  return sealed === undefined ? [nothing, nothing] : [sealed.record, sealed.seal]
}

export function referenceFields({ key, policy, grant, vaultKey }: KeyReference): Buffer[] {
  return [key.record, key.seal, ...sealedFields(policy), ...sealedFields(grant), ...sealedFields(vaultKey)]
}

/**
 * Most items of the lists whose items take the keeper long: it answers nothing else before the last one, and is ended
 * where it is silent for `hsm.deadlineMs`. A record of a commit takes it up to 0.4 ms, a session 0.1 ms, a full batch of
 * news 20 ms.
 */
export const listLimits = { raise: 500, endSessions: 500, takeFloors: 10 } as const

/** A list: its length, then the fields of each item. */
export const listFields = <Item>(
  items: readonly Item[],
  fieldsOf: (item: Item) => readonly Uint8Array[],
): Uint8Array[] => [numberField(items.length), ...items.flatMap(fieldsOf)]
