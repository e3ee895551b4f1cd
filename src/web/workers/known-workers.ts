// oxlint-disable-next-line import/default -- it is Vite's
import openingUrl from '../exchange/opening/opening-worker.ts?worker&url'
// oxlint-disable-next-line import/default -- it is Vite's
import drawingUrl from '../objects/pdf/drawing-worker.ts?worker&url'
import { Refusal } from '../interface/refusal.ts'

/** Each reads files that others may have made. */
const addresses = { opening: openingUrl, drawing: drawingUrl } as const

function addressOf(name: string): string {
  for (const [known, address] of Object.entries(addresses)) if (known === name) return address
  throw new TypeError(`There is no worker ${name}.`)
}

/** Gives the address of a worker by its name, and no other: the only policy that the appliance allows the page. */
const workerPolicy = globalThis.trustedTypes?.createPolicy('worker', { createScriptURL: addressOf })

/** The appliance sends its script with a policy under which it calls none and loads nothing. */
export const startWorker = (name: keyof typeof addresses): Worker =>
  new Worker(workerPolicy?.createScriptURL(name) ?? addressOf(name), { type: 'module' })

/** Why a worker has ended by itself: its script has thrown, such as for memory that is not there, or has not come. */
export const endOf = (event: Event, thrown: Error): Error =>
  event instanceof ErrorEvent ? thrown : new Refusal({ status: 0 })
