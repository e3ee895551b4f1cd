import { applianceError, ProtocolError, StrongroomError } from './errors.ts'
import type { CallOptions } from './client.ts'

/** Operations that take many items in one call. */
export type BatchOperation = 'transparent.encrypt' | 'transparent.decrypt' | 'transparent.rewrap'

/** The part that all items of a batch share. */
export interface BatchCall {
  readonly operation: BatchOperation
  readonly params: { readonly vaultid: string; readonly name: string }
  /** Members of the body other than the items. */
  readonly shared: Readonly<Record<string, unknown>>
  readonly options: CallOptions
}

export type Item = Readonly<Record<string, string | number | undefined>>
export type ItemResult = Readonly<Record<string, unknown>>

export interface BatchLimits {
  /** The most items in one call. The appliance accepts 1,000. */
  readonly maxItems: number
  /** The most characters of the items in one call. By default the appliance accepts bodies of 2 MiB. */
  readonly maxCharacters: number
  /** The most calls under way at once. Further ones wait. */
  readonly maxCalls: number
}

/** Sends one call and resolves to its CALLINFO. */
export type SendBatch = (call: BatchCall, body: Readonly<Record<string, unknown>>) => Promise<ItemResult>

interface Waiting {
  readonly item: Item
  readonly characters: number
  readonly signal: AbortSignal | undefined
  readonly resolve: (result: ItemResult) => void
  readonly reject: (error: unknown) => void
}

/** Characters for the brackets, names and commas of an item. */
const frameCharacters = 64

/** Joins calls of the same tick into one, if they differ only in their item. Each gets its own result or error. */
export function createBatching(send: SendBatch, limits: BatchLimits) {
  const groups = new Map<string, { readonly call: BatchCall; readonly waiting: Waiting[] }>()
  const ready: (() => Promise<void>)[] = []
  let underWay = 0

  function flush(): void {
    for (const { call, waiting } of groups.values())
      for (const part of partsOf(waiting, limits)) ready.push(() => sendPart(call, part))
    groups.clear()
    sendReady()
  }

  function sendReady(): void {
    while (underWay < limits.maxCalls) {
      const next = ready.shift()
      if (next === undefined) return
      underWay++
      void next().finally(() => {
        underWay--
        sendReady()
      })
    }
  }

  async function sendPart(call: BatchCall, waiting: readonly Waiting[]): Promise<void> {
    const part = waiting.filter(stillWanted)
    const [first, second] = part
    if (first === undefined) return
    const sent = new AbortController()
    const leave = abortedBy(part, sent)
    try {
      const options = { ...call.options, signal: sent.signal }
      const body = second === undefined ? first.item : { batch_input: part.map(({ item }) => item) }
      const callinfo = await send({ ...call, options }, { ...call.shared, ...body })
      if (second === undefined) return first.resolve(callinfo)
      resolveEach(part, callinfo['batch_results'])
    } catch (error) {
      // This appliance accepts smaller bodies than usual.
      if (second !== undefined && error instanceof StrongroomError && error.status === 413) {
        const half = Math.ceil(part.length / 2)
        await sendPart(call, part.slice(0, half))
        return sendPart(call, part.slice(half))
      }
      for (const { reject } of part) reject(error)
    } finally {
      leave()
    }
  }

  return (call: BatchCall, item: Item, signal: AbortSignal | undefined): Promise<ItemResult> =>
    new Promise((resolve, reject) => {
      // oxlint-disable-next-line typescript/prefer-promise-reject-errors -- a caller may give whatever reason it likes
      const abort = (): void => reject(signal?.reason)
      if (signal?.aborted) return abort()
      signal?.addEventListener('abort', abort, { once: true })
      const done = (): void => signal?.removeEventListener('abort', abort)
      if (groups.size === 0) afterTick(flush)
      const name = JSON.stringify(call)
      const group = groups.get(name) ?? { call, waiting: [] }
      groups.set(name, group)
      group.waiting.push({
        item,
        characters: charactersOf(item),
        signal,
        resolve: (result) => (done(), resolve(result)),
        reject: (error) => (done(), reject(error)),
      })
    })
}

/**
 * Aborts `sent` when all waiting calls are aborted, so that one cancelled call does not cancel the others. The returned
 * function removes the listeners: a program may use one signal for all of its calls, for as long as it runs.
 */
function abortedBy(part: readonly Waiting[], sent: AbortController): () => void {
  const signals = part.map(({ signal }) => signal).filter((signal) => signal !== undefined)
  if (signals.length < part.length) return () => undefined
  let left = signals.length
  const leaving = signals.map((signal) => {
    const hear = (): void => void (--left === 0 && sent.abort(signal.reason))
    signal.addEventListener('abort', hear, { once: true })
    return () => signal.removeEventListener('abort', hear)
  })
  return () => {
    for (const leave of leaving) leave()
  }
}

const stillWanted = ({ signal }: Waiting): boolean => signal?.aborted !== true

const charactersOf = (item: Item): number =>
  Object.values(item).reduce<number>((sum, value) => sum + String(value ?? '').length, frameCharacters)

function* partsOf(waiting: readonly Waiting[], { maxItems, maxCharacters }: BatchLimits): Generator<Waiting[]> {
  let part: Waiting[] = []
  let characters = 0
  for (const one of waiting) {
    if (part.length > 0 && (part.length === maxItems || characters + one.characters > maxCharacters)) {
      yield part
      part = []
      characters = 0
    }
    part.push(one)
    characters += one.characters
  }
  if (part.length > 0) yield part
}

function resolveEach(part: readonly Waiting[], results: unknown): void {
  if (!Array.isArray(results) || results.length !== part.length)
    throw new ProtocolError('The answer has not one result for each item.', { code: 'protocol' })
  for (const [index, { resolve, reject }] of part.entries()) {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- its members are read one by one, and checked
    const result = results[index] as ItemResult & { readonly error?: { readonly code: string; readonly text: string } }
    if (result.error === undefined) resolve(result)
    else reject(applianceError(result.error.text, { number: Number(result.error.code) }))
  }
}

/**
 * Runs after the callbacks of this turn of the event loop, so that calls for requests that a server reads at once are
 * joined, too.
 */
const afterTick = (work: () => void): void => {
  if (typeof setImmediate === 'function') setImmediate(work)
  else setTimeout(work)
}
