import { useQuery } from '@tanstack/react-query'
import { call, type EarlierVersion, type StoredObject, type StoredTemplate } from '../interface/calls.ts'

export const useHistory = (objectid: string) =>
  useQuery({
    queryKey: ['object', objectid, 'history'],
    queryFn: async ({ signal }) => (await call('object.history', { params: { objectid }, signal })).HISTORY,
    // Others edit, too.
    staleTime: 0,
  })

interface Wanted {
  readonly objectid: string
  readonly version: string
  /** With its secrets: the call decrypts all of them and leaves a record of each. */
  readonly decrypt: boolean
}

/** Values of the fields of an earlier version, the open ones too. */
export async function readEarlier(
  { objectid, version, decrypt }: Wanted,
  signal: AbortSignal,
): Promise<Readonly<Record<string, string>>> {
  const { HISTORY } = await call('object.history.read', { params: { objectid, version }, query: { decrypt }, signal })
  return { ...HISTORY[0]?.public, ...HISTORY[0]?.crypted }
}

/** The open fields of an earlier version: a list that would be too long with them leaves them out. */
export function useOpenFields(objectid: string, { version, public: listed, abridged }: EarlierVersion) {
  const { data, error, refetch } = useQuery({
    queryKey: ['object', objectid, 'history', version],
    enabled: abridged === true,
    queryFn: ({ signal }) => readEarlier({ objectid, version, decrypt: false }, signal),
  })
  return abridged === true ? { open: data, error, refetch } : { open: listed, error: null, refetch }
}

/** Edits an object that still is of the version that was read, with what it was then. */
export async function putBack(
  object: StoredObject,
  { structure }: StoredTemplate,
  { version, objectname, public: listed, abridged }: EarlierVersion,
  signal: AbortSignal,
): Promise<void> {
  const fields = structure.filter(({ type }) => type !== 'file')
  const decrypt = fields.some(({ encrypted }) => encrypted)
  const isListed = !decrypt && abridged !== true
  const known = isListed ? listed : await readEarlier({ objectid: object.id, version, decrypt }, signal)
  const then = fields.map(({ fieldname, opt }) => ({ fieldname, opt, value: known[fieldname] ?? '' }))
  // What must have a value and had none has become so since.
  const values = Object.fromEntries(
    then.filter(({ opt, value }) => opt || value !== '').map((one) => [one.fieldname, one.value]),
  )
  // A name that is given is the object's from now on, and that of the fields no more.
  const name = objectname === object.objectname ? {} : { objectname }
  const body = { ...values, ...name, ifVersion: object.version }
  await call('object.edit', { params: { objectid: object.id }, body, signal })
}
