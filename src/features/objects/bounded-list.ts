import { setImmediate as nextTurn } from 'node:timers/promises'

/** One of a list, as it is found: longer fields are not read yet. */
export interface Found {
  /** The fields that are not encrypted, where they are short. */
  readonly fields: Fields | undefined
  /** Their length in the database. */
  readonly fieldBytes: number
}

/** One of a list; without its fields where all of the list would be too long with them, or where it changed meanwhile. */
export type Listed<T extends Found> = Omit<T, keyof Found> & { readonly fields: Fields; readonly isAbridged: boolean }

type Fields = Readonly<Record<string, string>>

/** Told of a list that costs much to write. Throws where the caller is not granted one at this moment. */
export type AdmitLongList = () => void

/** Read at once with the rest of a row. Usual objects have fewer, so that lists of many show them whole. */
const shortBytes = 512
const longListBytes = 4 * 1024 * 1024
/**
 * Of all fields of one list: as many as JSON text is made of in some 100 ms. Of more than 32,768 objects it may be more, as
 * short fields are never left out: a long list of usual objects is for all members of its vault, and stays whole.
 */
const mostBytes = 16 * 1024 * 1024
const readInATurn = 25

/** The columns of `Found` for a SELECT by hand. In both dialects the length is known without reading the text. */
export const fieldColumns = (alias: string, prefix: string): string =>
  `octet_length(${alias}.public_fields) AS "${prefix}fieldBytes",
    CASE WHEN octet_length(${alias}.public_fields) <= ${shortBytes} THEN ${alias}.public_fields END AS "${prefix}publicFields"`

export function readFound(row: Readonly<Record<string, unknown>>, prefix: string): Found {
  const text = row[`${prefix}publicFields`]
  return { fields: typeof text === 'string' ? parse(text) : undefined, fieldBytes: Number(row[`${prefix}fieldBytes`]) }
}

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- our own JSON
const parse = (json: string): Fields => JSON.parse(json) as Fields

/** Admits a list as soon as what is read of it is long, and once. */
export function createListAdmission(admitLongList: AdmitLongList) {
  let isAdmitted = false
  let bytes = 0
  const admit = (): void => {
    if (!isAdmitted) admitLongList()
    isAdmitted = true
  }
  return {
    admit,
    /** Passes on some of a list whose short fields were read. */
    counted<T extends Found>(found: readonly T[]): readonly T[] {
      bytes += bytesOf(found.filter(({ fields }) => fields !== undefined))
      if (bytes > longListBytes) admit()
      return found
    },
  }
}

const bytesOf = (found: readonly Found[]): number => found.reduce((sum, { fieldBytes }) => sum + fieldBytes, 0)

/**
 * Reads what is missing. Where all of it would be too much, each has an even share, and what is longer than its share is
 * left out: so who fills a vault with long texts has these left out, and not those of others.
 * @param readTexts the fields of some of them, as JSON; none of one that has changed since it was found
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
