import { isUtf8 } from 'node:buffer'
import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { dirname, resolve, sep } from 'node:path'
import type { z } from 'zod'
import { errorMessageOf } from '../fault.ts'
import { mapPaths } from './configured-paths.ts'
import { allOptions, nearestOption } from './options.ts'
import { configSchema, type Config } from './schema.ts'

/**
 * The configuration, or a file that it names, cannot be used. The message is for the administrator and lists all
 * problems.
 */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

/**
 * The largest file that is read: larger than any file of the configuration, and an end for endless ones such as
 * devices.
 */
export const maxFileBytes = 16 * 1024 * 1024

export const credentialPrefix = '${CREDENTIALS_DIRECTORY}/'
/** Whether the path is of a systemd credential, and this process has not been started by systemd. */
export const isUnresolved = (path: string): boolean => path.startsWith(credentialPrefix)

/**
 * Reads and validates the configuration file (JSON). Relative paths in it count from its folder. A path may begin with
 * `${CREDENTIALS_DIRECTORY}/` to name a systemd credential.
 * @throws ConfigError
 */
export function loadConfig(file: string): Config {
  const folder = dirname(resolve(file))
  const json = parseJson(file, readText(file, 'name another with --config'))
  const result = configSchema.safeParse(
    mapPaths(json, (path) => locate(folder, path)),
    // Code that zod makes for a schema pays after hundreds of values; this is one.
    { reportInput: true, jitless: true },
  )
  const problems = result.error?.issues.flatMap(problemsOf) ?? []
  if (!result.success) {
    throw new ConfigError(`${file} cannot be used:\n${problems.map((line) => `  ${line}`).join('\n')}`)
  }
  return result.data
}

/**
 * Reads a file with a secret: UTF-8, without one line end at its end, which editors add. `remedy` tells what to do if
 * the file does not exist.
 * @throws ConfigError if the file cannot be read, is empty, or can be read by others than its owner
 */
export function readSecret(path: string, remedy = 'make it, or correct the configuration'): string {
  const text = readText(path, remedy)
  const mode = statSync(path).mode
  // systemd grants a service its credentials by an access control list. stat shows the mask of that list as the bits of
  // the group.
  const forbidden = isCredential(path) ? 0o007 : 0o077
  if ((mode & forbidden) !== 0) {
    const shown = (mode & 0o777).toString(8).padStart(4, '0')
    throw new ConfigError(`${path} holds a secret, but others may read it (mode ${shown}): chmod 0600 ${path}`)
  }
  const secret = text.replace(/\r?\n$/, '')
  if (secret === '') throw new ConfigError(`${path} is empty, but should hold a secret`)
  return secret
}

/** Reads a PEM file of certificates, whose comments may be in any encoding. @throws ConfigError if it has none */
export function readCertificates(path: string, remedy = 'make it, or correct the configuration'): string {
  const text = readFile(path, remedy).toString('latin1')
  if (!/-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----/.test(text))
    throw new ConfigError(`${path} holds no certificate in PEM form`)
  return text
}

const readText = (path: string, remedy: string): string => textOf(path, readFile(path, remedy))

function readFile(path: string, remedy: string): Buffer {
  if (isUnresolved(path)) {
    throw new ConfigError(`${path} is a systemd credential: start this by systemd, or set CREDENTIALS_DIRECTORY`)
  }
  return readBytes(path, remedy)
}

/**
 * Reads a whole file of at most 16 MiB; `-` is standard input. `remedy` tells what to do if the file does not exist.
 * @throws ConfigError
 */
export function readBytes(path: string, remedy: string): Buffer {
  try {
    return readAll(path)
  } catch (cause) {
    throw new ConfigError(`${path} ${reasonOf(cause, remedy)}`, { cause })
  }
}

function readAll(path: string): Buffer {
  const descriptor = path === '-' ? 0 : openSync(path, 'r')
  try {
    const pieces: Buffer[] = []
    for (let size = 0; size <= maxFileBytes;) {
      const piece = Buffer.alloc(65_536)
      const bytes = readSync(descriptor, piece)
      if (bytes === 0) return Buffer.concat(pieces)
      pieces.push(piece.subarray(0, bytes))
      size += bytes
    }
    throw new RangeError(`it has more than ${maxFileBytes} bytes`)
  } finally {
    if (descriptor !== 0) closeSync(descriptor)
  }
}

/**
 * Decodes UTF-8, without the byte order mark that some editors write.
 * @throws ConfigError for other encodings, which would be misread
 */
export function textOf(path: string, bytes: Buffer): string {
  if (!isUtf8(bytes)) throw new ConfigError(`${path} is not UTF-8: save it as that`)
  return new TextDecoder().decode(bytes)
}

function reasonOf(error: unknown, remedy: string): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined
  if (code === 'ENOENT') return `does not exist: ${remedy}`
  if (code === 'EISDIR') return `is a folder, not a file: ${remedy}`
  if (code !== 'EACCES') return `cannot be read: ${errorMessageOf(error)}`
  return `cannot be read by user ${process.getuid?.() ?? ''}: chown it, or let that user into each of its folders`
}

function parseJson(file: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new ConfigError(`${file} is not JSON: look at ${malformedAt(text)}`, { cause })
  }
}

function problemsOf(issue: z.core.$ZodIssue): string[] {
  const name = issue.path.join('.')
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => {
      const unknown = name === '' ? key : `${name}.${key}`
      const known = nearestOption(unknown)
      return `${unknown} is not an option${known === undefined ? '' : `; did you mean ${known}?`}`
    })
  }
  if (issue.code === 'invalid_type' && issue.input === undefined) return [missing(name)]
  const words = issue.message.replace(/^Invalid (input|option): /, '')
  return [`${name === '' ? 'the configuration' : name}: ${words.charAt(0).toLowerCase()}${words.slice(1)}`]
}

function missing(name: string): string {
  const members = allOptions().find((option) => option.name === name)?.node.required
  return members === undefined ? `${name} is missing` : `${name} is missing; it needs ${members.join(', ')}`
}

/**
 * Resolves a path. Outside systemd a credential stays unresolved, so that a command that does not need it can still use
 * the configuration.
 */
function locate(folder: string, path: string): string {
  if (!path.startsWith(credentialPrefix)) return resolve(folder, path)
  const directory = process.env['CREDENTIALS_DIRECTORY']
  return directory === undefined ? path : resolve(directory, path.slice(credentialPrefix.length))
}

function isCredential(path: string): boolean {
  const directory = process.env['CREDENTIALS_DIRECTORY']
  return directory !== undefined && resolve(path).startsWith(resolve(directory) + sep)
}

const jsonString = /\s*"(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[\da-f]{4}))*"/iuy
const jsonScalar = /\s*(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)\b/y

/**
 * The position where `text` stops being JSON (RFC 8259), as `line L, column C` counted from 1. Used after JSON.parse
 * has refused the text, because only some versions of Node name the position.
 */
function malformedAt(text: string): string {
  let at = 0
  const take = (pattern: RegExp): boolean => {
    pattern.lastIndex = at
    const found = pattern.test(text)
    if (found) at = pattern.lastIndex
    return found
  }
  const list = (close: RegExp, item: () => boolean): boolean => {
    if (take(close)) return true
    do if (!item()) return false
    while (take(/\s*,/y))
    return take(close)
  }
  const value = (): boolean => {
    if (take(jsonString) || take(jsonScalar)) return true
    if (take(/\s*\[/y)) return list(/\s*\]/y, value)
    return take(/\s*\{/y) && list(/\s*\}/y, () => take(jsonString) && take(/\s*:/y) && value())
  }
  value()
  take(/\s*/y)
  const lines = text.slice(0, at).split('\n')
  return `line ${lines.length}, column ${(lines.at(-1) ?? '').length + 1}`
}
