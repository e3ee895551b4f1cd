import { useQuery } from '@tanstack/react-query'
import { call, type EarlierVersion, type StoredObject, type StoredTemplate } from '../interface/calls.ts'

export const useHistory = (objectid: string) =>
  useQuery({
    queryKey: ['object', objectid, 'history'],
    queryFn: async ({ signal }) => (await call('object.history', { params: { objectid }, signal })).HISTORY,
    // Other people edit, too.
    staleTime: 0,
  })

interface Wanted {
  readonly objectid: string
  readonly version: string
  /** Whether to include the secrets. The call then decrypts all of them and leaves an audit record of each. */
  readonly decrypt: boolean
}

/** Resolves to the values of an earlier version, open and, if asked for, encrypted ones. */
export async function readEarlier(
  { objectid, version, decrypt }: Wanted,
  signal: AbortSignal,
): Promise<Readonly<Record<string, string>>> {
  const { HISTORY } = await call('object.history.read', { params: { objectid, version }, query: { decrypt }, signal })
  return { ...HISTORY[0]?.public, ...HISTORY[0]?.crypted }
}

/** The open values of an earlier version. A long list leaves them out, so they are then read. */
export function useOpenFields(objectid: string, { version, public: listed, abridged }: EarlierVersion) {
  const { data, error, refetch } = useQuery({
    queryKey: ['object', objectid, 'history', version],
    enabled: abridged === true,
    queryFn: ({ signal }) => readEarlier({ objectid, version, decrypt: false }, signal),
  })
  return abridged === true ? { open: data, error, refetch } : { open: listed, error: null, refetch }
}

/**
 * Gives an object the values of an earlier version, on the condition that its version is still the one that was read.
 * @throws Refusal
 */
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
  // Leaves out empty values of fields that are now required but were not then.
  const values = Object.fromEntries(
    then.filter(({ opt, value }) => opt || value !== '').map((one) => [one.fieldname, one.value]),
  )
  // An explicit name is independent of the fields from then on, so only a different one is sent.
  const name = objectname === object.objectname ? {} : { objectname }
  const body = { ...values, ...name, ifVersion: object.version }
  await call('object.edit', { params: { objectid: object.id }, body, signal })
}
