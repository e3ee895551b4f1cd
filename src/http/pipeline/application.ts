import Router from '@koa/router'
import Koa from 'koa'
import { Fault } from '../../fault.ts'
import type { Log } from '../../log.ts'
import type { AnyEndpoint } from '../contract/endpoint.ts'
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
  const routerOf = createRouters(endpoints, pipeline)
  const koa = new Koa()
  // Koa itself would print a stack for each client that goes away amid its call.
  koa.on('error', (error: Error, { writable }: Koa.Context) => {
    if (writable) log.error({ err: error }, 'a call failed outside its steps')
    else log.debug({ err: error }, 'the client of a call has gone')
  })
  koa.use((context, next) => {
    if (context.url.length > maxUrlLength) return pipeline.refuse(context, new Fault('request.uri_too_long'))
    return hasPath(context) ? next() : pipeline.refuse(context, new Fault('request.not_found'))
  })
  koa.use((context, next) => {
    const file = context.method === 'GET' ? console.files.get(context.path) : undefined
    if (file === undefined || (context.path === '/' && !isVisit(context))) return next()
    const answer = () => answerOfFile(file, encodingFor(context), context.get('If-None-Match'))
    return console.send(context, answer) ? undefined : pipeline.refuse(context, new Fault('request.too_many'))
  })
  koa.use((context, next) => routerOf(context.path)?.serve(context, next) ?? next())
  koa.use((context) => {
    const allowed = allowedMethods(routerOf(context.path)?.router, context.path)
    if (allowed.length === 0) return pipeline.refuse(context, new Fault('request.not_found'))
    context.set('Allow', allowed.join(', '))
    if (context.method !== 'OPTIONS') return pipeline.refuse(context, new Fault('request.method'))
    context.status = 204
    return undefined
  })
  return koa.callback()
}

/** Of a person with a browser: a program, which asks for JSON or says nothing, is told in the envelope that there is nothing. */
const isVisit = (context: Koa.Context): boolean => context.accepts('json', 'html') === 'html'

/** Of those in which the files lie ready, the one that the browser likes best. */
function encodingFor(context: Koa.Context): Encoding {
  const best = context.acceptsEncodings('br', 'gzip', 'identity')
  return best === 'br' || best === 'gzip' ? best : 'identity'
}

/** An address may name a host as well (RFC 9112 §3.2.2), and of one that is none there is nothing to read. */
function hasPath(context: Koa.Context): boolean {
  try {
    return context.path !== ''
  } catch {
    return false
  }
}

interface ChapterRouter {
  readonly router: Router
  readonly serve: Koa.Middleware
}

/** A router for each chapter, which is the first part of a path: it tries every pattern that it has. */
function createRouters(
  endpoints: readonly AnyEndpoint[],
  pipeline: Pipeline,
): (path: string) => ChapterRouter | undefined {
  const routers = new Map<string, ChapterRouter>()
  for (const contract of endpoints) {
    const path = prefix + contract.path
    const { router } = routers.get(chapterOf(path)) ?? addRouter(routers, chapterOf(path))
    router.register(path, [contract.method], (context) => pipeline.serve(context, contract, context['params']))
  }
  return (path) => routers.get(chapterOf(path))
}

const chapterOf = (path: string): string => path.slice(prefix.length + 1).split('/', 1)[0] ?? ''

function addRouter(routers: Map<string, ChapterRouter>, chapter: string): ChapterRouter {
  // A filter in front may go by paths: each has one spelling.
  const router = new Router({ sensitive: true })
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a middleware of Koa, with more in its context
  const made = { router, serve: router.routes() as Koa.Middleware }
  routers.set(chapter, made)
  return made
}

function allowedMethods(router: Router | undefined, path: string): string[] {
  const methods = router?.match(path, 'OPTIONS').path.flatMap((layer) => layer.methods) ?? []
  return methods.length === 0 ? [] : [...new Set([...methods, 'OPTIONS'])]
}
