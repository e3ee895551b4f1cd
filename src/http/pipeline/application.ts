import Router, { type Layer } from '@koa/router'
import Koa from 'koa'
import { Fault } from '../../fault.ts'
import type { Log } from '../../log.ts'
import type { AnyEndpoint } from '../contract/endpoint.ts'
import type { Echoed } from '../input/request-input.ts'
import { answerOfFile, type Encoding, type WebFile } from '../routes/web-files.ts'
import type { SendDocument } from './document-sending.ts'
import type { Pipeline } from './pipeline.ts'

/** The one version of the interface (spec: Versioning). */
const prefix = '/api/1.0'

/** Longest address, in characters: long enough for every path and query of the interface. */
const maxUrlLength = 8_192

/** The files of the people's console by their paths, and how one is sent. */
export interface Console {
  readonly files: ReadonlyMap<string, WebFile>
  readonly send: SendDocument
}

/** The Koa application that serves these endpoints and the people's console, as a callback for a server. */
export function createApplication(
  endpoints: readonly AnyEndpoint[],
  console: Console,
  pipeline: Pipeline,
  log: Log,
): ReturnType<Koa['callback']> {
  const routesOf = createRoutes(endpoints)
  const unmatched: Echoed = { unechoed: secretNamesOf(endpoints) }
  const koa = new Koa()
  // Koa itself would print a stack for each client that goes away amid its call.
  koa.on('error', (error: Error, { writable }: Koa.Context) => {
    if (writable) log.error({ err: error }, 'a call failed outside its steps')
    else log.debug({ err: error }, 'the client of a call has gone')
  })
  koa.use((context) => {
    if (context.request.url.length > maxUrlLength) return pipeline.refuse(context, new Fault('request.uri_too_long'))
    const [method, path] = [context.request.method, pathOf(context)]
    if (path === undefined) return pipeline.refuse(context, new Fault('request.not_found'))
    const file = console.files.get(path)
    if (file !== undefined && (path !== '/' || isVisit(context)))
      return methodsOfFile.includes(method)
        ? sendFile(context, file)
        : answerUnmatched(context, [...methodsOfFile, 'OPTIONS'], unmatched)
    const routes = routesOf(path)
    const route = routes.find(({ layer }) => layer.methods.includes(method) && layer.match(path))
    if (route === undefined) return answerUnmatched(context, allowedMethods(routes, path), echoOf(routes, path))
    return pipeline.serve(context, route.contract, route.layer.params(path, route.layer.captures(path)))
  })

  function sendFile(context: Koa.Context, file: WebFile): Promise<void> | undefined {
    const answer = () => answerOfFile(file, encodingFor(context), context.get('If-None-Match'))
    return console.send(context, answer) ? undefined : pipeline.refuse(context, new Fault('request.too_many'))
  }

  function answerUnmatched(
    context: Koa.Context,
    allowed: readonly string[],
    query: Echoed | undefined,
  ): Promise<void> | undefined {
    if (allowed.length === 0) return pipeline.refuse(context, new Fault('request.not_found'), query)
    context.set('Allow', allowed.join(', '))
    if (context.method !== 'OPTIONS') return pipeline.refuse(context, new Fault('request.method'), query)
    context.status = 204
    return undefined
  }

  /** Of a path whose calls echo nothing, no query is read. */
  const echoOf = (routes: readonly Route[], path: string): Echoed | undefined =>
    routes.some(({ layer, contract }) => contract.unechoed === 'all' && layer.match(path)) ? undefined : unmatched

  return koa.callback()
}

/**
 * The names of all members that are secret in any call: what matches no call may be one with a slip in its path or its
 * method.
 */
function secretNamesOf(endpoints: readonly AnyEndpoint[]): () => Promise<readonly string[]> {
  const told = endpoints.map(({ unechoed }) => unechoed)
  const fixed = told.flatMap((names) => (Array.isArray(names) ? names : []))
  const searches = told.filter((names) => typeof names === 'function')
  return async () => [...fixed, ...(await Promise.all(searches.map((search) => search()))).flat()]
}

/** Beside OPTIONS (RFC 9110 §9.1: a general-purpose server supports GET and HEAD). */
const methodsOfFile = ['GET', 'HEAD']

/** Of a person with a browser: a program, which asks for JSON or says nothing, is told in the envelope that there is nothing. */
const isVisit = (context: Koa.Context): boolean => context.accepts('json', 'html') === 'html'

/** Of those in which the files lie ready, the one that the browser likes best. */
function encodingFor(context: Koa.Context): Encoding {
  const best = context.acceptsEncodings('br', 'gzip', 'identity')
  return best === 'br' || best === 'gzip' ? best : 'identity'
}

/** An address may name a host as well (RFC 9112 §3.2.2), and of one that is none there is nothing to read. */
function pathOf(context: Koa.Context): string | undefined {
  try {
    return context.request.path || undefined
  } catch {
    return undefined
  }
}

/** A pattern of a path, and what is served there. */
interface Route {
  readonly layer: Layer
  readonly contract: AnyEndpoint
}

/**
 * The routes of each chapter, which is the first part of a path. They are compiled and compared by the router, and not
 * run by it: it would ask for the host and build a chain of middleware for each call, a fifteenth of a worker's work.
 */
function createRoutes(endpoints: readonly AnyEndpoint[]): (path: string) => readonly Route[] {
  // A filter in front may go by paths: each has one spelling.
  const router = new Router({ sensitive: true })
  const chapters = new Map<string, Route[]>()
  for (const contract of endpoints) {
    const path = prefix + contract.path
    const layer = router.register(path, [contract.method], () => undefined)
    if (layer instanceof Router) throw new TypeError(`${path} is more than one path`)
    chapters.set(chapterOf(path), [...(chapters.get(chapterOf(path)) ?? []), { layer, contract }])
  }
  return (path) => chapters.get(chapterOf(path)) ?? []
}

function chapterOf(path: string): string {
  const start = prefix.length + 1
  const end = path.indexOf('/', start)
  return path.slice(start, end === -1 ? undefined : end)
}

function allowedMethods(routes: readonly Route[], path: string): string[] {
  const methods = routes.flatMap(({ layer }) => (layer.match(path) ? layer.methods : []))
  return methods.length === 0 ? [] : [...new Set([...methods, 'OPTIONS'])]
}
