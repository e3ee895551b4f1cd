import type { VaultMember } from '../interface/calls.ts'

export type GrantEntry = NonNullable<VaultMember['grants']>[number]
type KeysEntry = Extract<GrantEntry, { keys: string }>
type ObjectsEntry = Extract<GrantEntry, { objects: unknown }>
export type KeyOperation = KeysEntry['operations'][number]
export type ObjectOperation = ObjectsEntry['objects'][number]

/** The operations in the order of the interface. One that is not in its contract does not compile. */
export const keyOperations: readonly KeyOperation[] = [
  'encrypt',
  'decrypt',
  'rewrap',
  'sign',
  'verify',
  'hmac',
  'datakey',
  'random',
  'read',
]
export const objectOperations: readonly ObjectOperation[] = ['list', 'read', 'decrypt']

/** An entry of grants, as a person fills it in. */
export type GrantDraft = KeysDraft | ObjectsDraft

export interface KeysDraft {
  readonly id: number
  readonly keys: string
  readonly operations: readonly KeyOperation[]
  readonly aad: string
  readonly daily: string
  readonly strict: boolean
}

interface ObjectsDraft {
  readonly id: number
  readonly objects: readonly ObjectOperation[]
}

let lastId = 0
const nextId = (): number => (lastId += 1)

export const newKeys = (): KeysDraft => ({ id: nextId(), keys: '', operations: [], aad: '', daily: '', strict: false })
export const newObjects = (): ObjectsDraft => ({ id: nextId(), objects: [] })

export const draftOf = (entry: GrantEntry): GrantDraft =>
  'objects' in entry
    ? { id: nextId(), objects: entry.objects }
    : {
        id: nextId(),
        keys: entry.keys,
        operations: entry.operations,
        aad: entry.aad ?? '',
        daily: entry.daily === undefined ? '' : String(entry.daily),
        strict: entry.strict ?? false,
      }

/** A valid entry in the form that the interface takes. */
export function entryOf(draft: GrantDraft): GrantEntry {
  if ('objects' in draft) return { objects: [...draft.objects] }
  const { keys, operations, aad, daily, strict } = draft
  return {
    keys: keys.trim(),
    operations: [...operations],
    ...(aad.trim() !== '' && { aad: aad.trim() }),
    ...(daily.trim() !== '' && { daily: Number(daily) }),
    ...(strict && { strict }),
  }
}

const patternForm = /^[\w.*-]{1,128}$/
const base64Form = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/
const withoutAad: ReadonlySet<KeyOperation> = new Set(['sign', 'verify', 'hmac'])

/** The errors of an entry. */
export interface WrongGrant {
  readonly keys?: boolean
  readonly operations?: boolean
  readonly aad?: 'form' | 'operations'
  readonly daily?: boolean
}

export function wrongIn(draft: GrantDraft): WrongGrant {
  if ('objects' in draft) return draft.objects.length === 0 ? { operations: true } : {}
  const { keys, operations, aad, daily } = draft
  const hasAad = aad.trim() !== ''
  return {
    ...(!patternForm.test(keys.trim()) && { keys: true }),
    ...(operations.length === 0 && { operations: true }),
    ...(hasAad && operations.some((one) => withoutAad.has(one)) && { aad: 'operations' }),
    ...(hasAad && !base64Form.test(aad.trim()) && { aad: 'form' }),
    ...(!/^(?:[1-9]\d{0,9})?$/.test(daily.trim()) && { daily: true }),
  }
}

export const areSound = (drafts: readonly GrantDraft[]): boolean =>
  drafts.length > 0 && drafts.every((draft) => Object.keys(wrongIn(draft)).length === 0)
