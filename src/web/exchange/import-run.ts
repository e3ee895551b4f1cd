import { checkSize } from '../editing/storing.ts'
import { call, callWithFile, type StoredObject } from '../interface/calls.ts'
import { hasStatus, isVerdict, Refusal } from '../interface/refusal.ts'
import { oneLine, type PlannedObject, plannedTemplates } from './planned-object.ts'

/** An object that the appliance refused, with the reason. */
export interface RefusedObject {
  readonly plan: PlannedObject
  readonly error: Refusal
}

/** The progress of an import, from which it continues after a failed call. */
export interface ImportProgress {
  readonly done: number
  readonly refused: readonly RefusedObject[]
}

/** An import, which creates each object once. */
export interface ImportRun {
  readonly total: number
  /**
   * Creates the objects that do not exist yet. Rejects where a call fails for a reason other than its object. Called
   * again, it first looks whether that object exists, and continues.
   */
  run(signal: AbortSignal, tell: (progress: ImportProgress) => void): Promise<void>
}

interface Made {
  readonly parentid: string
  readonly name: string
  readonly templateid: string
}

export function createImportRun(vaultid: string, plans: readonly PlannedObject[]): ImportRun {
  const refused: RefusedObject[] = []
  /** Ids of the objects that existed before, and of those that this import has created. */
  const known = new Set<string>()
  let isReady = false
  let next = 0
  /** The object of a call without an answer, which may exist. */
  let doubtful: Made | undefined
  const folders = createFolders((name, parentid, signal) =>
    make({ parentid, name, templateid: plannedTemplates.folder }, { name }, signal),
  )
  const stars = createStars()

  async function look(signal: AbortSignal): Promise<void> {
    const { OBJECTS } = await call('vault.read', { params: { vaultid }, signal })
    const sought = doubtful
    const found = sought && OBJECTS.find((object) => !known.has(object.id) && isMade(object, sought))
    for (const { id } of OBJECTS) if (id !== found?.id) known.add(id)
    folders.learn(OBJECTS)
    if (found !== undefined) {
      known.add(found.id)
      if (found.templateid !== plannedTemplates.folder) noteMade(found.id)
    }
    doubtful = undefined
    isReady = true
  }

  /** Notes that the next planned object was created with this id. */
  function noteMade(id: string): void {
    const plan = plans[next]
    if (plan?.entry.isFavourite === true && plan.file === undefined) stars.want(id)
    next += 1
  }

  async function make(made: Made, fields: object, signal: AbortSignal, file?: File): Promise<string> {
    const { parentid, templateid, name: objectname } = made
    try {
      const body = { ...fields, groupid: vaultid, parentid, templateid, objectname }
      const { CALLINFO } = await sendObject({ body, signal }, file)
      const id = CALLINFO?.objectid ?? ''
      known.add(id)
      return id
    } catch (error) {
      if (!isVerdict(error)) {
        doubtful = made
        isReady = false
      }
      throw error
    }
  }

  return {
    total: plans.length,
    async run(signal, tell) {
      for (;;) {
        // The star of the previous object, even if the last run stopped between the two calls.
        await stars.give(signal)
        tell({ done: next, refused: [...refused] })
        if (next >= plans.length) return
        signal.throwIfAborted()
        if (!isReady) await look(signal)
        const plan = plans[next]
        if (plan === undefined) continue
        try {
          const file = await checkedFile(plan, signal)
          const parentid = await folders.find(plan.entry.folders.map(folderName), signal)
          noteMade(await make({ parentid, name: plan.name, templateid: plan.templateid }, plan.fields, signal, file))
        } catch (error) {
          if (!(error instanceof Refusal) || !isAboutObject(error)) throw error
          refused.push({ plan, error })
          next += 1
        }
      }
    },
  }
}

/** The folders of a vault, including those that an import creates. */
function createFolders(make: (name: string, parentid: string, signal: AbortSignal) => Promise<string>) {
  /** Ids by the path of folder names, as JSON. */
  const ids = new Map<string, string>()
  return {
    learn(objects: readonly StoredObject[]): void {
      for (const [path, id] of pathsOf(objects)) ids.set(path, id)
    },
    /** Resolves to the id of the folder with a path, and creates it if necessary. */
    async find(names: readonly string[], signal: AbortSignal): Promise<string> {
      let id = '0'
      for (const [depth, name] of names.entries()) {
        const path = JSON.stringify(names.slice(0, depth + 1))
        id = ids.get(path) ?? (await make(name, id, signal))
        ids.set(path, id)
      }
      return id
    },
  }
}

/** Makes imported objects favourites. */
function createStars() {
  const wanted: string[] = []
  return {
    want: (id: string): void => void wanted.push(id),
    /** A refusal is ignored: the number of favourites is limited, and the object is imported even without its star. */
    async give(signal: AbortSignal): Promise<void> {
      for (let objectid = wanted[0]; objectid !== undefined; objectid = wanted[0]) {
        try {
          await call('object.favourite', { params: { objectid }, body: { favourite: true }, signal })
        } catch (error) {
          if (!hasStatus(error, 400, 403, 404)) throw error
        }
        wanted.shift()
      }
    },
  }
}

type CreateCall = Parameters<typeof callWithFile<'object.create'>>[1]

const sendObject = (input: CreateCall, file: File | undefined) =>
  file ? callWithFile('object.create', input, { content: file, name: file.name }) : call('object.create', input)

/** The file of an object. A file that is too large is refused before the upload. @throws Refusal */
async function checkedFile({ file, name }: PlannedObject, signal: AbortSignal): Promise<File | undefined> {
  if (file === undefined) return undefined
  const sent = new File([file.content], name)
  await checkSize(sent, signal)
  return sent
}

const folderName = (name: string): string => oneLine(name) || '-'

/** Whether the refusal concerns this object only, so that the import can continue. */
const isAboutObject = ({ status, number }: Refusal): boolean => number !== undefined && [400, 413].includes(status)

const isMade = ({ parentid, objectname, templateid }: StoredObject, made: Made): boolean =>
  parentid === made.parentid && objectname === made.name && templateid === made.templateid

/** Ids of the existing folders by path. Of two with the same path, the first. */
function pathsOf(objects: readonly StoredObject[]): Map<string, string> {
  const byId = new Map(objects.map((object) => [object.id, object]))
  const paths = new Map<string, string>()
  for (const object of objects) {
    if (object.templateid !== plannedTemplates.folder) continue
    const names: string[] = []
    for (let at: StoredObject | undefined = object; at !== undefined && names.length < 64; at = byId.get(at.parentid))
      names.unshift(at.objectname)
    const path = JSON.stringify(names)
    if (!paths.has(path)) paths.set(path, object.id)
  }
  return paths
}
