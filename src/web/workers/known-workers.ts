// oxlint-disable-next-line import/default -- it is Vite's
import openingUrl from '../exchange/opening/opening-worker.ts?worker&url'
// oxlint-disable-next-line import/default -- it is Vite's
import drawingUrl from '../objects/pdf/drawing-worker.ts?worker&url'
import { Refusal } from '../interface/refusal.ts'

/** Workers parse files that others may have made. */
const addresses = { opening: openingUrl, drawing: drawingUrl } as const

function addressOf(name: string): string {
  for (const [known, address] of Object.entries(addresses)) if (known === name) return address
  throw new TypeError(`There is no worker ${name}.`)
}

/**
 * Returns the address of a worker by its name and accepts no other text. The appliance allows the page this Trusted
 * Types policy only.
 */
const workerPolicy = globalThis.trustedTypes?.createPolicy('worker', { createScriptURL: addressOf })

/**
 * Starts a worker. The appliance serves its script with a content security policy that forbids it to connect or load
 * anything.
 */
export const startWorker = (name: keyof typeof addresses): Worker =>
  new Worker(workerPolicy?.createScriptURL(name) ?? addressOf(name), { type: 'module' })

/**
 * The reason why a worker ended by itself: `thrown` where its script threw, for example without memory, otherwise a
 * script that did not load.
 */
export const endOf = (event: Event, thrown: Error): Error =>
  event instanceof ErrorEvent ? thrown : new Refusal({ status: 0 })
