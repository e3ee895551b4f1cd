import { fileTypeFromBuffer } from 'file-type'

/**
 * Types by file extension, for files whose first bytes leave the type open: formats that share a container, and kinds
 * of plain text. The names are those of the IANA registry where it has one.
 */
type TypesByExtension = ReadonlyMap<string, string>

const table = (rows: Readonly<Record<string, string>>): TypesByExtension =>
  new Map(
    Object.entries(rows).flatMap(([type, extensions]) => extensions.split(' ').map((extension) => [extension, type])),
  )

const openXml = 'application/vnd.openxmlformats-officedocument'
const openDocument = 'application/vnd.oasis.opendocument'

/** ZIP archives (APPNOTE.TXT). */
const zipTypes = table({
  'application/vnd.apple.keynote': 'key',
  'application/vnd.apple.pages': 'pages',
  'application/vnd.apple.numbers': 'numbers',
  [`${openXml}.wordprocessingml.document`]: 'docx',
  [`${openXml}.wordprocessingml.template`]: 'dotx',
  'application/vnd.ms-word.document.macroEnabled.12': 'docm',
  'application/vnd.ms-word.template.macroEnabled.12': 'dotm',
  [`${openXml}.spreadsheetml.sheet`]: 'xlsx',
  [`${openXml}.spreadsheetml.template`]: 'xltx',
  'application/vnd.ms-excel.sheet.macroEnabled.12': 'xlsm',
  'application/vnd.ms-excel.template.macroEnabled.12': 'xltm',
  'application/vnd.ms-excel.sheet.binary.macroEnabled.12': 'xlsb',
  [`${openXml}.presentationml.presentation`]: 'pptx',
  [`${openXml}.presentationml.template`]: 'potx',
  [`${openXml}.presentationml.slideshow`]: 'ppsx',
  'application/vnd.ms-powerpoint.presentation.macroEnabled.12': 'pptm',
  'application/vnd.ms-powerpoint.template.macroEnabled.12': 'potm',
  'application/vnd.ms-powerpoint.slideshow.macroEnabled.12': 'ppsm',
  'application/vnd.ms-visio.drawing.main+xml': 'vsdx',
  [`${openDocument}.text`]: 'odt',
  [`${openDocument}.text-template`]: 'ott',
  [`${openDocument}.spreadsheet`]: 'ods',
  [`${openDocument}.spreadsheet-template`]: 'ots',
  [`${openDocument}.presentation`]: 'odp',
  [`${openDocument}.presentation-template`]: 'otp',
  [`${openDocument}.graphics`]: 'odg',
  [`${openDocument}.formula`]: 'odf',
  'application/java-archive': 'jar war ear',
  'application/vnd.android.package-archive': 'apk',
  'application/epub+zip': 'epub',
  'application/x-xpinstall': 'xpi',
  'application/vsix': 'vsix',
  'application/vnd.google-earth.kmz': 'kmz',
  'model/3mf': '3mf',
})

/** Compound files, the containers of older office programs ([MS-CFB]). */
const compoundTypes = table({
  'application/msword': 'doc dot',
  'application/vnd.ms-excel': 'xls xlt xla',
  'application/vnd.ms-powerpoint': 'ppt pot pps',
  'application/vnd.ms-outlook': 'msg',
  'application/vnd.visio': 'vsd',
  'application/vnd.ms-project': 'mpp',
  'application/vnd.ms-publisher': 'pub',
  'application/x-msi': 'msi msp',
})

const xmlTypes = table({
  'image/svg+xml': 'svg',
  'application/xhtml+xml': 'xhtml xht',
  'application/rss+xml': 'rss',
  'application/atom+xml': 'atom',
  'application/xslt+xml': 'xsl xslt',
  'application/vnd.google-earth.kml+xml': 'kml',
  'application/gpx+xml': 'gpx',
  'application/xml-dtd': 'dtd',
})

const gzipTypes = table({ 'image/svg+xml': 'svgz' })

/** DER (X.690): the first bytes reveal nothing more. */
const derTypes = table({
  'application/pkix-cert': 'cer crt der',
  'application/x-pkcs12': 'p12 pfx',
  'application/x-pkcs7-certificates': 'p7b',
  'application/pkcs7-mime': 'p7m p7c',
  'application/pkcs7-signature': 'p7s',
  'application/pkcs8': 'p8',
  'application/pkcs10': 'p10 csr',
  'application/pkix-crl': 'crl',
})

const textTypes: TypesByExtension = new Map([
  ...xmlTypes,
  ...table({
    'application/json': 'json map',
    'application/ld+json': 'jsonld',
    'application/geo+json': 'geojson',
    'application/x-ndjson': 'ndjson jsonl',
    'application/xml': 'xml xsd',
    'application/yaml': 'yaml yml',
    'application/toml': 'toml',
    'application/sql': 'sql',
    'application/x-sh': 'sh bash',
    'application/x-pem-file': 'pem key crt cer csr crl',
    'application/x-tex': 'tex',
    'message/rfc822': 'eml',
    'text/calendar': 'ics',
    'text/css': 'css',
    'text/csv': 'csv',
    'text/html': 'html htm',
    'text/javascript': 'js mjs cjs',
    'text/markdown': 'md markdown',
    'text/plain': 'txt log ini conf cfg',
    'text/tab-separated-values': 'tsv',
    'text/vcard': 'vcf',
    'text/x-python': 'py',
    'text/x-c': 'c h',
    'text/x-java-source': 'java',
  }),
])

/** Formats whose signature lies beyond the first 64 bytes. */
const lateTypes = table({ 'application/x-tar': 'tar', 'application/x-iso9660-image': 'iso' })

/** For a type that was found by the first bytes: the more specific types, by extension. */
const containers: ReadonlyMap<string, ReadonlyMap<string, string>> = new Map([
  // A ZIP file may be recognised by its first entry; the extension still distinguishes a JAR from a WAR.
  ...['application/zip', ...zipTypes.values()].map((type) => [type, zipTypes] as const),
  ['application/x-cfb', compoundTypes],
  ['application/xml', xmlTypes],
  ['application/gzip', gzipTypes],
])

export const unknownType = 'application/octet-stream'

/**
 * The type of a file: by its first bytes (64 suffice) and, where they leave it open, by its extension (lower case, no
 * dot). An extension never overrides the bytes.
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
 * Frames of MPEG audio begin with eleven set bits and no other signature. UTF-16 text with a byte order mark begins the
 * same way, as does one in two thousand other files. So for these the extension has to agree.
 */
function hasBareSync(start: Uint8Array, signed: string | undefined): boolean {
  return (signed === 'audio/mpeg' || signed === 'audio/aac') && start[0] === 0xff
}

const soundExtensions = new Set(['mp1', 'mp2', 'mp3', 'mpga', 'aac', 'adts'])

/** A SEQUENCE whose length takes two or more bytes, as in every certificate and key file. */
function isDer(start: Uint8Array): boolean {
  return start.length > 4 && start[0] === 0x30 && start[1] !== undefined && start[1] >= 0x81 && start[1] <= 0x84
}

/**
 * Whether it is text: UTF-8, possibly cut off, or UTF-16 with a byte order mark, without control characters except
 * those of layout.
 */
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
