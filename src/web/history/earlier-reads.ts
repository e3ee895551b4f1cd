import { useQuery } from '@tanstack/react-query'
import { call, type EarlierVersion, type StoredObject, type StoredTemplate } from '../interface/calls.ts'

export const useHistory = (objectid: string) =>
  useQuery({
    queryKey: ['object', objectid, 'history'],
    queryFn: async ({ signal }) => (await call('object.history', { params: { objectid }, signal })).HISTORY,
    // Others edit, too.
    staleTime: 0,
  })

/** The secrets of an earlier version: the call decrypts all of them and leaves a record of each. */
export async function readEarlierSecrets(
  objectid: string,
  version: string,
  signal: AbortSignal,
): Promise<Readonly<Record<string, string>>> {
  const input = { params: { objectid, version }, query: { decrypt: true }, signal }
  const [earlier] = (await call('object.history.read', input)).HISTORY
  return earlier?.crypted ?? {}
}

/** Edits an object that still is of the version that was read, with what it was then. */
export async function putBack(
  object: StoredObject,
  { structure }: StoredTemplate,
  { version, objectname, public: open }: EarlierVersion,
  signal: AbortSignal,
): Promise<void> {
  const fields = structure.filter(({ type }) => type !== 'file')
  const secrets = fields.some(({ encrypted }) => encrypted) ? await readEarlierSecrets(object.id, version, signal) : {}
  const then = fields.map(({ fieldname, opt }) => ({
    fieldname,
    opt,
    value: secrets[fieldname] ?? open[fieldname] ?? '',
  }))
  // What must have a value and had none has become so since.
  const values = Object.fromEntries(
    then.filter(({ opt, value }) => opt || value !== '').map((one) => [one.fieldname, one.value]),
  )
  // A name that is given is the object's from now on, and that of the fields no more.
  const name = objectname === object.objectname ? {} : { objectname }
  const body = { ...values, ...name, ifVersion: object.version }
  await call('object.edit', { params: { objectid: object.id }, body, signal })
}
