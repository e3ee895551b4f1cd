type Members = Readonly<Record<string, unknown>>

/** An answer before it is serialized. */
export interface Envelope extends Members {
  readonly CALLINFO: Members
}

/**
 * Converts an answer to the form of release 2.0.5 (spec: Versioning): records are in objects keyed by id, and later
 * members are left out. Nothing else differs.
 */
export function toLegacyResponse({ CALLINFO, ...members }: Envelope): Members {
  const { audit: _audit, errorcodes: _errorcodes, ...callinfo } = CALLINFO
  return Object.fromEntries([
    ['CALLINFO', callinfo],
    ...Object.entries(members).flatMap(([name, value]) => (renamed[name] ?? same)(name, value)),
  ])
}

type Rename = (name: string, value: unknown) => [name: string, value: unknown][]

const same: Rename = (name, value) => [[name, value]]
const dropped: Rename = () => []
const keyed =
  (
    name: string,
    idOf: (record: Members) => unknown = ({ id }) => id,
    write: (record: Members) => unknown = asItIs,
  ): Rename =>
  (_name, records) => [[name, byId(records, idOf, write)]]

const asItIs = (record: Members): Members => record

/** A template's record in the notation of `/template`: `structure` is a list whose items have `fieldname`. */
function oldTemplate({ info, structure }: Members): Members {
  const fields = recordsOf(structure).map(({ fieldname, ...field }) => [fieldname, field])
  return { INFO: info, STRUCTURE: Object.fromEntries(fields) }
}

const renamed: Readonly<Record<string, Rename>> = {
  HEADERS: dropped,
  BREADCRUMB: dropped,
  ERRORCODES: dropped,
  VAULT: keyed('GROUP'),
  VAULTS: keyed('GROUP'),
  OBJECT: keyed('OBJECT'),
  OBJECTS: keyed('OBJECT'),
  TEMPLATES: keyed('TEMPLATESINFO', ({ id }) => id, oldTemplate),
  TEMPLATE: keyed('TEMPLATE', ({ INFO }) => (isRecord(INFO) ? INFO['id'] : undefined)),
}

function byId(records: unknown, idOf: (record: Members) => unknown, write: (record: Members) => unknown): Members {
  return Object.fromEntries(recordsOf(records).map((record) => [String(idOf(record)), write(record)]))
}

/** The records of a list, or the one that stands by itself, like the template of `GET /template/:templateid`. */
const recordsOf = (records: unknown): readonly Members[] => [records].flat().filter(isRecord)
const isRecord = (value: unknown): value is Members => typeof value === 'object' && value !== null
