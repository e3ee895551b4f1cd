import Router, { type Layer } from '@koa/router'
import Koa from 'koa'
import { Fault } from '../../fault.ts'
import type { Log } from '../../log.ts'
import type { AnyEndpoint } from '../contract/endpoint.ts'
import type { Echoed } from '../input/echo.ts'
import { answerOfFile, type Encoding, type WebFile } from '../routes/web-files.ts'
import type { SendDocument } from './document-sending.ts'
import type { Pipeline } from './pipeline.ts'

/** The one version of the interface (spec: Versioning). */
const prefix = '/api/1.0'

/** Longest URL in characters: enough for every path and query of the interface. */
const maxUrlLength = 8_192

/** The files of the web console by path, and the function that sends one. */
export interface Console {
  readonly files: ReadonlyMap<string, WebFile>
  readonly send: SendDocument
}

/** The Koa application that serves the endpoints and the web console, as a callback for a server. */
export function createApplication(
  endpoints: readonly AnyEndpoint[],
  console: Console,
  pipeline: Pipeline,
  log: Log,
): ReturnType<Koa['callback']> {
  const routesOf = createRoutes(endpoints)
  const unmatched: Echoed = { unechoed: secretNamesOf(endpoints) }
  const koa = new Koa()
  // Koa's own handler would print a stack for each client that disconnects during its call.
  koa.on('error', (error: Error, { writable }: Koa.Context) => {
    if (writable) log.error({ err: error }, 'a call failed outside the pipeline')
    else log.debug({ err: error }, 'the client of a call has gone')
  })
  koa.use((context) => {
    if (context.request.url.length > maxUrlLength) return pipeline.refuse(context, new Fault('request.uri_too_long'))
    const [method, path] = [context.request.method, pathOf(context)]
    if (path === undefined) return pipeline.refuse(context, new Fault('request.not_found'))
    if (method === 'OPTIONS' && path === '*') return answerUnmatched(context, methodsOfAll, unmatched)
    const file = console.files.get(path)
    if (file !== undefined && (path !== '/' || isVisit(context)))
      return methodsOfFile.includes(method)
        ? sendFile(context, file)
        : answerUnmatched(context, [...methodsOfFile, 'OPTIONS'], unmatched)
    const routes = routesOf(path)
    const route = routes.find(({ layer }) => layer.methods.includes(method) && layer.match(path))
    if (route === undefined) return answerUnmatched(context, allowedMethods(routes, path), echoOf(routes, path))
    return pipeline.serve(context, route.contract, paramsOf(route.layer, path))
  })

  function sendFile(context: Koa.Context, file: WebFile): Promise<void> | undefined {
    const answer = () => answerOfFile(file, encodingFor(context), context.get('If-None-Match'))
    const fault = console.send(context, answer)
    return fault && pipeline.refuse(context, fault)
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

  /**
   * What DATA repeats of the query of a call that matches no endpoint; undefined, so that the query is not read, where an
   * endpoint of the same path has no echo.
   */
  const echoOf = (routes: readonly Route[], path: string): Echoed | undefined =>
    routes.some(({ layer, contract }) => contract.unechoed === 'all' && layer.match(path)) ? undefined : unmatched

  return koa.callback()
}

/**
 * The names of all secret members of all calls: a call that matches none may have a typing error in its path or method.
 */
function secretNamesOf(endpoints: readonly AnyEndpoint[]): () => Promise<readonly string[]> {
  const told = endpoints.map(({ unechoed }) => unechoed)
  const fixed = told.flatMap((names) => (Array.isArray(names) ? names : []))
  const searches = told.filter((names) => typeof names === 'function')
  return async () => [...fixed, ...(await Promise.all(searches.map((search) => search()))).flat()]
}

/** Besides OPTIONS (RFC 9110 §9.1: a general-purpose server supports GET and HEAD). */
const methodsOfFile = ['GET', 'HEAD']

/** What `OPTIONS *` tells of the server as a whole (RFC 9110 §9.3.7). */
const methodsOfAll = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS']

/**
 * Whether a person with a browser asks. A program, which asks for JSON or states nothing, gets its refusal in the
 * envelope.
 */
const isVisit = (context: Koa.Context): boolean => context.accepts('json', 'html') === 'html'

/** The encoding that the browser prefers among those in which the files are stored. */
function encodingFor(context: Koa.Context): Encoding {
  const best = context.acceptsEncodings('br', 'gzip', 'identity')
  return best === 'br' || best === 'gzip' ? best : 'identity'
}

/**
 * The path of a URL, which may name a host as well (RFC 9112 §3.2.2); undefined for a malformed URL, of which nothing
 * is read.
 */
function pathOf(context: Koa.Context): string | undefined {
  try {
    return context.request.path || undefined
  } catch {
    return undefined
  }
}

/** A path pattern, and the endpoints of it. */
interface Route {
  readonly layer: Layer
  readonly contract: AnyEndpoint
}

/**
 * The routes by the first part of the path. The router compiles and compares them but does not dispatch: for each call
 * it would look up the host and build a middleware chain, which takes a fifteenth of a worker's work.
 */
function createRoutes(endpoints: readonly AnyEndpoint[]): (path: string) => readonly Route[] {
  // Case-sensitive, because a filter in front may decide by paths: each has one spelling.
  const router = new Router({ sensitive: true })
  const chapters = new Map<string, Route[]>()
  for (const contract of endpoints) {
    const path = prefix + contract.path
    const layer = router.register(path, [contract.method], () => undefined)
    if (layer instanceof Router) throw new TypeError(`${path} is more than one path`)
    // The router adds HEAD to GET.
    if (contract.changes) layer.methods = [contract.method]
    chapters.set(chapterOf(path), [...(chapters.get(chapterOf(path)) ?? []), { layer, contract }])
  }
  return (path) => chapters.get(chapterOf(path)) ?? []
}

/** The parameters in a path. The router would take one that cannot be decoded as it is. */
const paramsOf = (layer: Layer, path: string): Record<string, string> =>
  layer.params(path, layer.captures(path).map(decodable))

/** The same text for the router; where it is not UTF-8 in percent-encoding, with a NUL, which every contract refuses. */
function decodable(text: string): string {
  if (!text.includes('%')) return text
  try {
    return encodeURIComponent(decodeURIComponent(text))
  } catch {
    return `${encodeURIComponent(text)}%00`
  }
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
