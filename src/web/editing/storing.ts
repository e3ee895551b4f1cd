import { encodeBase64 } from '../interface/base64-text.ts'
import { call, callWithFile, type StoredObject } from '../interface/calls.ts'
import { wholeObject } from '../interface/whole-object.ts'
import { nameMember, type Draft } from './draft.ts'

/** Reports the progress of a save and cancels it. */
export interface Saving {
  readonly signal: AbortSignal
  readonly onProgress: (share: number) => void
}

export interface Saved {
  readonly id: string
  /** A value breaks the policy of the vault. */
  readonly isWeak: boolean
}

export interface Destination {
  readonly groupid: string
  readonly parentid: string
  readonly templateid: string
}

export async function storeNew(to: Destination, values: Draft, file: File | undefined, saving: Saving): Promise<Saved> {
  const body = { ...to, ...values }
  const { signal, onProgress } = saving
  const answer = file
    ? await callWithFile('object.create', { body, signal }, { content: file, name: file.name, onProgress })
    : await call('object.create', { body, signal })
  return savedOf(answer.CALLINFO)
}

/** Changes an object, on the condition that its version is still the one that was read. */
export async function storeChanges(
  { id, version }: StoredObject,
  values: Draft,
  file: File | undefined,
  { signal, onProgress }: Saving,
): Promise<Saved> {
  const input = { params: { objectid: id }, body: { ...values, ifVersion: version }, signal }
  const answer = file
    ? await callWithFile('object.edit', input, { content: file, name: file.name, onProgress })
    : await call('object.edit', input)
  return savedOf(answer.CALLINFO)
}

/**
 * The id of the object that a call without an answer has created: not known before, in the same place, of the same
 * template, with the same open values. Undefined without one.
 */
export async function findLost(
  to: Destination,
  values: Draft,
  file: File | undefined,
  known: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { OBJECTS } = await call('vault.read', { params: { vaultid: to.groupid }, signal })
  const alike = OBJECTS.filter(
    (object) =>
      !known.has(object.id) &&
      object.parentid === to.parentid &&
      object.templateid === to.templateid &&
      object.filename === (file?.name ?? '') &&
      (values[nameMember] === undefined || values[nameMember].trim() === object.objectname),
  )
  const isSame = ({ public: open }: StoredObject): boolean =>
    Object.entries(open).every(([name, value]) => name === 'file1' || value === (values[name] ?? ''))
  for (const object of alike) if (isSame(await wholeObject(object, signal))) return object.id
  return undefined
}

function savedOf(callinfo: { readonly objectid?: string; readonly general?: unknown } | undefined): Saved {
  const general = Array.isArray(callinfo?.general) ? callinfo.general : []
  return { id: callinfo?.objectid ?? '', isWeak: general.includes('BAD_POLICY') }
}

interface Recognised {
  readonly templateid: string
  /** Values that the appliance has read from the file, by field name. */
  readonly values: Draft
}

/** The appliance examines no more. One more byte tells it that the file is longer. */
const sampleBytes = 128 * 1024 + 1

/** Resolves to the template for a file, and values from the file. @throws Refusal */
export async function recogniseFile(file: File, signal: AbortSignal): Promise<Recognised> {
  const content = file.slice(0, sampleBytes)
  const { DATA, STRUCTURE } = await callWithFile('file.collect', { body: {}, signal }, { content, name: file.name })
  const values = Object.fromEntries(Object.entries(STRUCTURE).map(([name, { val }]) => [name, val]))
  return { templateid: String(DATA?.templateid ?? ''), values }
}

const startBytes = 64
const longestExtension = 25

/** Asks the appliance whether it accepts a file of this size, before the upload. @throws Refusal */
export async function checkSize(file: File, signal: AbortSignal): Promise<void> {
  const start = new Uint8Array(await file.slice(0, startBytes).arrayBuffer())
  const extension = (/\.([^./\\]+)$/.exec(file.name)?.[1] ?? '').slice(0, longestExtension)
  const body = { data: encodeBase64(start), extension, size: file.size }
  await call('utils.mimetype', { body, signal })
}
