import { hash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import type { Answer } from '../contract/envelope.ts'

/** A file of the web console in the encodings that browsers accept. */
export interface WebFile {
  readonly contentType: string
  readonly bodies: Readonly<Record<Encoding, Buffer>>
  /** Its Content-Security-Policy. */
  readonly policy: string
  /**
   * For the page itself only, whose name stays while its content changes. Weak, because its encodings share it (RFC
   * 9110 §8.8.1).
   */
  readonly etag: string | undefined
}

export type Encoding = 'br' | 'gzip' | 'identity'

/** Where the build writes them. */
const folder = new URL('../../web/', import.meta.url)

const contentTypes: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
}

/** All files of the web console by path. They are read once, so that no path of a call ever reaches the file system. */
export function readWebFiles(): ReadonlyMap<string, WebFile> {
  const assets = readdirSync(new URL('assets/', folder)).filter((name) => !/\.(br|gz)$/.test(name))
  return new Map([
    ['/', readWebFile('index.html', true)],
    // Browsers ask for it with every page that names no icon: the documentation, and answers of the interface.
    ...assets
      .filter((name) => name.startsWith('mark-'))
      .map((name) => ['/favicon.ico', readWebFile(`assets/${name}`, true)] as const),
    ...assets.map((name) => [`/assets/${name}`, readWebFile(`assets/${name}`, false)] as const),
  ])
}

function readWebFile(name: string, isPage: boolean): WebFile {
  const read = (ending: string): Buffer => readFileSync(new URL(name + ending, folder))
  const bodies = { identity: read(''), br: read('.br'), gzip: read('.gz') }
  return {
    contentType: contentTypes[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream',
    bodies,
    policy: name === 'index.html' ? pagePolicy : filePolicy,
    etag: isPage ? `W/"${hash('sha256', bodies.identity, 'base64url').slice(0, 22)}"` : undefined,
  }
}

/**
 * The page loads nothing from elsewhere, creates nothing from text (Trusted Types with one policy, which accepts only
 * the addresses of the page's workers), and cannot be framed or referred to by other pages.
 */
const pagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob: data:",
  "font-src 'self'",
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types worker',
  "worker-src 'self'",
].join('; ')

/**
 * For all other files. A worker runs under the policy of its own script (HTML, "run a worker"): it is one file that
 * loads nothing, calls no address and evaluates no text, whatever a hostile file makes it do.
 */
const filePolicy = [
  "default-src 'none'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

const protection = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Permissions-Policy':
    'camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=(), clipboard-read=(), clipboard-write=(self)',
  'Referrer-Policy': 'no-referrer',
  'Strict-Transport-Security': 'max-age=31536000',
  'X-Content-Type-Options': 'nosniff',
} as const

const yearSeconds = 31_536_000

/** The answer with a file. `known`: the ETag that the browser sends for its copy. */
export function answerOfFile(file: WebFile, encoding: Encoding, known: string | undefined): Answer {
  const { etag, contentType, policy } = file
  const headers = {
    ...protection,
    'Content-Security-Policy': policy,
    'Content-Type': contentType,
    'Cache-Control': etag === undefined ? `public, max-age=${yearSeconds}, immutable` : 'no-cache',
    Vary: 'Accept-Encoding',
    ...(etag !== undefined && { ETag: etag }),
  }
  if (etag !== undefined && known?.includes(etag)) return { status: 304, body: '', headers }
  const encoded = encoding === 'identity' ? {} : { 'Content-Encoding': encoding }
  return { status: 200, body: file.bodies[encoding], headers: { ...headers, ...encoded } }
}
