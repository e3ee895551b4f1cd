import { checkSize } from '../editing/storing.ts'
import { call, callWithFile, type StoredObject } from '../interface/calls.ts'
import { isVerdict, Refusal } from '../interface/refusal.ts'
import { oneLine, type PlannedObject, plannedTemplates } from './planned-object.ts'

/** An object that the appliance refused, and why. */
export interface RefusedObject {
  readonly plan: PlannedObject
  readonly error: Refusal
}

/** How far an import has come. It goes on from there after a failed call. */
export interface ImportProgress {
  readonly done: number
  readonly refused: readonly RefusedObject[]
}

/** An import, which makes each object once. */
export interface ImportRun {
  readonly total: number
  /**
   * Makes what is not made yet. Rejects where a call fails that says nothing of its object: called again it goes on,
   * and first looks whether that object is there.
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
  /** Every object that was there before, or is one of this import's. */
  const known = new Set<string>()
  let isReady = false
  let next = 0
  /** What may have been made by a call of which no answer came. */
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

  /** The next object is this one. */
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
        // Of the object before, also where the last run ended between the two calls.
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

/** The folders of a vault, and those that an import makes in it. */
function createFolders(make: (name: string, parentid: string, signal: AbortSignal) => Promise<string>) {
  /** By the path of their names. */
  const ids = new Map<string, string>()
  return {
    learn(objects: readonly StoredObject[]): void {
      for (const [path, id] of pathsOf(objects)) ids.set(path, id)
    },
    /** The id of the folder with this path, which is made where it is not there. */
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

/** Makes favourites of objects that are made. */
function createStars() {
  const wanted: string[] = []
  return {
    want: (id: string): void => void wanted.push(id),
    /** A person has so many favourites at most: an object without its star is imported all the same. */
    async give(signal: AbortSignal): Promise<void> {
      for (let objectid = wanted[0]; objectid !== undefined; objectid = wanted[0]) {
        try {
          await call('object.favourite', { params: { objectid }, body: { favourite: true }, signal })
        } catch (error) {
          if (!(error instanceof Refusal) || ![400, 403, 404].includes(error.status)) throw error
        }
        wanted.shift()
      }
    },
  }
}

type CreateCall = Parameters<typeof callWithFile<'object.create'>>[1]

const sendObject = (input: CreateCall, file: File | undefined) =>
  file ? callWithFile('object.create', input, { content: file, name: file.name }) : call('object.create', input)

/** What goes with an object; one that is too large is refused before it is sent. @throws Refusal */
async function checkedFile({ file, name }: PlannedObject, signal: AbortSignal): Promise<File | undefined> {
  if (file === undefined) return undefined
  const sent = new File([file.content], name)
  await checkSize(sent, signal)
  return sent
}

const folderName = (name: string): string => oneLine(name) || '-'

/** It is this object that is refused, and another may be taken. */
const isAboutObject = ({ status, number }: Refusal): boolean => number !== undefined && [400, 413].includes(status)

const isMade = ({ parentid, objectname, templateid }: StoredObject, made: Made): boolean =>
  parentid === made.parentid && objectname === made.name && templateid === made.templateid

/** The folders that there are, by their paths; of two with one path the first. */
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
