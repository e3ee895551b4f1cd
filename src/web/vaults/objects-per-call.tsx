import { inBoth, useWordsOf } from '../words/language.tsx'
import { allBelow, type Arranged, type Row } from './vault-contents.ts'

/**
 * The most objects that the appliance deletes, or moves into another vault, in one call. Objects inside an object
 * count.
 */
const mostPerCall = 500

const perCallWords = inBoth(
  {
    tooMuch: (name: string, count: number, most: number) =>
      `${name} is ${count.toLocaleString('en')} objects with what lies in it, and no more than ${most} go at once. Take what lies in it part by part first.`,
  },
  {
    tooMuch: (name, count, most) =>
      `${name} är ${count.toLocaleString('sv')} objekt med det som ligger i det, och högst ${most} kan tas på en gång. Ta först det som ligger i det del för del.`,
  },
)

interface Heap {
  readonly name: string
  readonly count: number
}

/** The first row that, with the objects inside it, is too large for one call. */
export function tooLargeForOneCall(arranged: Arranged, rows: readonly Row[]): Heap | undefined {
  return rows
    .map(({ object }) => ({ name: object.objectname, count: 1 + allBelow(arranged, object.id).length }))
    .find(({ count }) => count > mostPerCall)
}

/** Says before the call that there are too many objects. */
export function TooManyObjects({ heap: { name, count } }: { readonly heap: Heap }) {
  const words = useWordsOf(perCallWords)
  return (
    <p className="wrong" role="alert">
      {words.tooMuch(name, count, mostPerCall)}
    </p>
  )
}
