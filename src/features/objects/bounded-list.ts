import { setImmediate as nextTurn } from 'node:timers/promises'

/** A list item as it is found: its fields are read at once only where they are short. */
export interface Found {
  /** The unencrypted fields, where they are short. */
  readonly fields: Fields | undefined
  /** Length of the unencrypted fields in the database, in bytes. */
  readonly fieldBytes: number
}

/**
 * A list item. Its fields are missing where the list would be too long with them, or where the object changed
 * meanwhile.
 */
export type Listed<T extends Found> = Omit<T, keyof Found> & { readonly fields: Fields; readonly isAbridged: boolean }

type Fields = Readonly<Record<string, string>>

/** Told of a list that is expensive to write. Throws where the caller's quota is used up. */
export type AdmitLongList = () => void

/**
 * Fields up to this length are read together with the row. Usual objects have fewer, so that lists show them
 * completely.
 */
const shortBytes = 512
const longListBytes = 4 * 1024 * 1024
/**
 * Limit for all fields of one list: text that JSON serializes in some 100 ms. A list of more than 32,768 objects may
 * exceed it, because short fields are never left out: a long list of usual objects stays complete for all members.
 */
const mostBytes = 16 * 1024 * 1024
const readInATurn = 25

/** The columns of `Found` for a handwritten SELECT. Both databases know the length without reading the text. */
export const fieldColumns = (alias: string, prefix: string): string =>
  `octet_length(${alias}.public_fields) AS "${prefix}fieldBytes",
    CASE WHEN octet_length(${alias}.public_fields) <= ${shortBytes} THEN ${alias}.public_fields END AS "${prefix}publicFields"`

export function readFound(row: Readonly<Record<string, unknown>>, prefix: string): Found {
  const text = row[`${prefix}publicFields`]
  return { fields: typeof text === 'string' ? parse(text) : undefined, fieldBytes: Number(row[`${prefix}fieldBytes`]) }
}

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- our own JSON
const parse = (json: string): Fields => JSON.parse(json) as Fields

/** A call counts once, whether its search or its list is long, or both. */
export function onlyOnce(admitLongList: AdmitLongList): AdmitLongList {
  let isAdmitted = false
  return () => {
    if (!isAdmitted) admitLongList()
    isAdmitted = true
  }
}

/** Asks `admitLongList` once, as soon as a list turns out to be long. */
export function createListAdmission(admitLongList: AdmitLongList) {
  let bytes = 0
  const admit = onlyOnce(admitLongList)
  return {
    admit,
    /** Counts list items whose short fields were read, and returns them. */
    counted<T extends Found>(found: readonly T[]): readonly T[] {
      bytes += bytesOf(found.filter(({ fields }) => fields !== undefined))
      if (bytes > longListBytes) admit()
      return found
    },
  }
}

const bytesOf = (found: readonly Found[]): number => found.reduce((sum, { fieldBytes }) => sum + fieldBytes, 0)

/**
 * Reads the long fields. Where all of them together are too long, each object gets an equal share, and an object whose
 * fields exceed it is listed without them: a member who fills a vault with long texts hides only their own.
 * @param readTexts reads the fields of some objects as JSON; gives none of an object that changed since it was found
 */
export async function withFields<T extends Found>(
  found: readonly T[],
  readTexts: (some: readonly T[]) => Promise<ReadonlyMap<T, string>>,
  admitLongList: AdmitLongList,
): Promise<Listed<T>[]> {
  const share = bytesOf(found) <= mostBytes ? mostBytes : Math.max(shortBytes, Math.floor(mostBytes / found.length))
  const shown = found.filter(({ fieldBytes }) => fieldBytes <= share)
  if (bytesOf(shown) > longListBytes) admitLongList()
  const wanted = shown.filter(({ fields }) => fields === undefined)
  const read = new Map<T, Fields>()
  for (let first = 0; first < wanted.length; first += readInATurn) {
    if (first > 0) await nextTurn()
    for (const [one, text] of await readTexts(wanted.slice(first, first + readInATurn))) read.set(one, parse(text))
  }
  return found.map((one) => {
    const { fields = read.get(one), fieldBytes: _, ...rest } = one
    return { ...rest, fields: fields ?? {}, isAbridged: fields === undefined }
  })
}
