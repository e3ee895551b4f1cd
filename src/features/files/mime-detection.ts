import { fileTypeFromBuffer } from 'file-type'
import { compoundTypes, derTypes, gzipTypes, lateTypes, textTypes, xmlTypes, zipTypes } from './mime-type-tables.ts'

/** What a type that was found by its first bytes may turn out to be by the extension. */
const containers: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map([
  // A ZIP may begin with an entry by which its kind is known already; the extension still tells a JAR from a WAR.
  ...['application/zip', ...zipTypes.values()].map((type) => [type, zipTypes] as const),
  ['application/x-cfb', compoundTypes],
  ['application/xml', xmlTypes],
  ['application/gzip', gzipTypes],
])

export const unknownType = 'application/octet-stream'

/**
 * The type of a file, by its first bytes (64 suffice) and, where they leave it open, by its extension (lower case, no dot). An extension
 * is never believed against the bytes.
 */
export async function detectMimeType(start: Uint8Array, extension: string): Promise<string> {
  const signed = (await fileTypeFromBuffer(start))?.mime
  const found = hasBareSync(start, signed) && !soundExtensions.has(extension) ? undefined : signed
  if (found !== undefined) return containers.get(found)?.get(extension) ?? found
  if (isDer(start)) return derTypes.get(extension) ?? unknownType
  if (isText(start)) return textTypes.get(extension) ?? (start.length === 0 ? unknownType : 'text/plain')
  return lateTypes.get(extension) ?? unknownType
}

/**
 * Frames of MPEG sound begin with eleven bits that are set, and nothing else: so does text in UTF-16 with its mark, and one in two
 * thousand of all other files. For them alone the extension has to agree.
 */
function hasBareSync(start: Uint8Array, signed: string | undefined): boolean {
  return (signed === 'audio/mpeg' || signed === 'audio/aac') && start[0] === 0xff
}

const soundExtensions = new Set(['mp1', 'mp2', 'mp3', 'mpga', 'aac', 'adts'])

/** A SEQUENCE whose length is written in two bytes or more: all that is worth a file. */
function isDer(start: Uint8Array): boolean {
  return start.length > 4 && start[0] === 0x30 && start[1] !== undefined && start[1] >= 0x81 && start[1] <= 0x84
}

/** UTF-8, cut anywhere, or UTF-16 with its mark; of control characters only those that lay text out. */
function isText(start: Uint8Array): boolean {
  const mark = start.length >= 2 && new Set(['fffe', 'feff']).has(Buffer.from(start.subarray(0, 2)).toString('hex'))
  if (mark) return true
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(start, { stream: true })
    return !/[^\P{Cc}\t\n\v\f\r]/u.test(text)
  } catch {
    return false
  }
}
