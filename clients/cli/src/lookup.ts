import type { AnswerOf, Client, Key } from '@strongroom/client'
import { Refusal } from './exit-code.ts'
import { describePart, readKeyReference, writtenName, type FieldPlace, type Part, type Place } from './reference.ts'

export type Vault = AnswerOf<'vault.list'>['VAULTS'][number]
type Contents = AnswerOf<'vault.read'>
export type StoredObject = Contents['OBJECTS'][number]
export type Template = Contents['TEMPLATES'][number]
export type Field = Template['structure'][number]

/** Values of fields, by name. */
type Values = Readonly<Record<string, string>>

export interface FoundObject {
  readonly vault: Vault
  readonly object: StoredObject
  readonly fields: readonly Field[]
}

/** A vault and the last object of a path; the object is undefined for the vault itself. */
interface Descended {
  readonly vault: Vault
  readonly object: StoredObject | undefined
  readonly templates: readonly Template[]
}

/** Finds vaults and objects by name. Results are kept for the duration of the command. */
export interface Lookup {
  vault(part: Part): Promise<Vault>
  object(place: Place): Promise<FoundObject>
  /** Resolves to the id of a folder; 0 for the root of the vault. */
  folder(place: Place): Promise<{ readonly vault: Vault; readonly parentid: string }>
  contents(vault: Vault): Promise<Contents>
  /** Resolves to the value of a field, decrypted if it is encrypted. */
  value(place: FieldPlace): Promise<string>
  /** A reference to the object: by names where they are unique, otherwise by ids. */
  referenceTo(vault: Vault, object: StoredObject): Promise<string>
}

export function createLookup(client: Client): Lookup {
  let vaults: Promise<readonly Vault[]> | undefined
  const contentsOf = new Map<string, Promise<Contents>>()
  const secretsOf = new Map<string, Promise<Values>>()
  const openOf = new Map<string, Promise<Values>>()

  const allVaults = (): Promise<readonly Vault[]> => (vaults ??= client.call('vault.list').then(({ VAULTS }) => VAULTS))
  const contents = ({ id }: Vault): Promise<Contents> =>
    remembered(contentsOf, id, () => client.call('vault.read', { params: { vaultid: id } }))
  const secrets = (objectid: string): Promise<Values> =>
    remembered(secretsOf, objectid, async () => {
      const { OBJECT } = await client.call('object.read', { params: { objectid }, query: { decrypt: true } })
      return OBJECT[0]?.crypted ?? {}
    })
  /** A long list leaves out the open fields, which are then read. */
  const openFields = async ({ id: objectid, public: listed, abridged }: StoredObject): Promise<Values> =>
    abridged !== true
      ? listed
      : remembered(openOf, objectid, async () => {
          const { OBJECT } = await client.call('object.read', { params: { objectid } })
          return OBJECT[0]?.public ?? {}
        })
  const vault = async (part: Part): Promise<Vault> => vaultAmong(await allVaults(), part)

  async function descend(place: Place): Promise<Descended> {
    const within = await vault(place.vault)
    const { OBJECTS, TEMPLATES } = await contents(within)
    let object: StoredObject | undefined
    for (const part of place.path) object = objectAmong(OBJECTS, part, object ?? within)
    return { vault: within, object, templates: TEMPLATES }
  }

  async function object(place: Place): Promise<FoundObject> {
    const { vault, object, templates } = await descend(place)
    if (object === undefined) throw new Refusal('That is a vault, and no object.')
    const { structure = [] } = templates.find(({ id }) => id === object.templateid) ?? {}
    return { vault, object, fields: structure }
  }

  return {
    vault,
    contents,
    object,
    async folder(place) {
      const { vault, object } = await descend(place)
      return { vault, parentid: object?.id ?? '0' }
    },
    async value({ field, ...place }) {
      const { object: found, fields } = await object(place)
      const { encrypted, type } = fieldNamed(field, found, fields)
      if (type === 'file') throw new Refusal(`${field} of ${found.objectname} is a file: use strongroom-cli download.`)
      return (await (encrypted ? secrets(found.id) : openFields(found)))[field] ?? ''
    },
    async referenceTo(within, object) {
      const isAlone = (await allVaults()).filter(({ groupname }) => groupname === within.groupname).length === 1
      const start = isAlone ? writtenName(within.groupname) : `id:${within.id}`
      return [start, ...pathTo(object, (await contents(within)).OBJECTS)].join('/')
    },
  }
}

/**
 * The vault of a reference. Names are not unique, because any user may share a vault of any name. An ambiguous name is
 * refused. @throws Refusal
 */
function vaultAmong(vaults: readonly Vault[], part: Part): Vault {
  const known = vaults.filter(({ id, groupname }) => ('id' in part ? id === part.id : groupname === part.name))
  const [found] = known
  if (found === undefined)
    throw new Refusal(`No vault ${describePart(part)} is shared with you: strongroom-cli vaults lists those that are.`)
  if (known.length > 1) throw new Refusal(`${known.length} vaults are ${describePart(part)}: write ${choiceOf(known)}.`)
  return found
}

/**
 * The object of a part of a reference. An id is found anywhere in the vault, a name only directly inside the preceding
 * part. @throws Refusal
 */
function objectAmong(objects: readonly StoredObject[], part: Part, above: StoredObject | Vault): StoredObject {
  const [parentid, where] = 'objectname' in above ? [above.id, above.objectname] : ['0', `vault ${above.groupname}`]
  const known = objects.filter((one) =>
    'id' in part ? one.id === part.id : one.objectname === part.name && one.parentid === parentid,
  )
  const [found] = known
  if (found === undefined) throw new Refusal(`There is no object ${describePart(part)} in ${where}.`)
  if (known.length > 1)
    throw new Refusal(`${known.length} objects in ${where} are ${describePart(part)}: write ${choiceOf(known)}.`)
  return found
}

/** The names from the root of the vault down. An object with a twin of the same name is given by its id. */
function pathTo(object: StoredObject, objects: readonly StoredObject[]): string[] {
  const twins = objects.filter((one) => one.parentid === object.parentid && one.objectname === object.objectname)
  if (twins.length > 1) return [`id:${object.id}`]
  const parent = objects.find(({ id }) => id === object.parentid)
  return [...(parent === undefined ? [] : pathTo(parent, objects)), writtenName(object.objectname)]
}

export function fieldNamed(
  name: string,
  { objectname }: Pick<StoredObject, 'objectname'>,
  fields: readonly Field[],
): Field {
  const found = fields.find(({ fieldname }) => fieldname === name)
  if (found !== undefined) return found
  const known = fields.map(({ fieldname }) => fieldname).join(', ')
  throw new Refusal(`${objectname} has no field ${name}. It has: ${known}.`)
}

/** The key that `VAULT/KEY` names. Makes no call for the key itself. */
export async function keyOf(client: Client, reference: string): Promise<Key> {
  const { vault, key } = readKeyReference(reference)
  return client.key((await createLookup(client).vault(vault)).id, key)
}

const choiceOf = (known: readonly { readonly id: string }[]): string => known.map(({ id }) => `id:${id}`).join(' or ')

function remembered<T>(kept: Map<string, Promise<T>>, key: string, work: () => Promise<T>): Promise<T> {
  const known = kept.get(key) ?? work()
  kept.set(key, known)
  return known
}
