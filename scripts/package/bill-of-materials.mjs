// node scripts/package/bill-of-materials.mjs NPM-SBOM FOLDER VERSION ROOT: writes the parts of the package in the
// format of CycloneDX. npm lists the packages of the lock file. This script leaves out those that are neither in FOLDER
// (they are for other systems) nor in the files that were built in ROOT. It adds parts that npm does not know: Node.js,
// the libraries linked into it, and the SQLite that better-sqlite3 compiles. The same parts give the same bytes.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { bundledModules, moduleFolders } from './module-folders.mjs'

const [npmFile, folder, version, root] = process.argv.slice(2)
const bill = JSON.parse(readFileSync(npmFile, 'utf8'))
const packaged = new Set()
for (const { description } of moduleFolders(join(folder, 'node_modules')))
  packaged.add(`${description.name}@${description.version}`)
for (const { description } of Object.values(bundledModules(root)).flat())
  packaged.add(`${description.name}@${description.version}`)

const components = [
  ...bill.components.filter((component) => packaged.has(nameOf(component))).map(asPart),
  { ...part('node', process.versions.node, 'pkg:generic/node'), components: linkedIntoNode() },
  part('sqlite', sqliteVersion(), 'pkg:generic/sqlite'),
]
const named = new Set(bill.components.map(nameOf))
for (const name of packaged)
  if (!named.has(name)) process.stderr.write(`${name} is in the package and not in the lock file\n`)

const references = new Set(components.map((component) => component['bom-ref']))
const product = bill.metadata.component['bom-ref']
const dependencies = bill.dependencies
  .filter(({ ref }) => ref === product || references.has(ref))
  .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((one) => references.has(one)) }))
for (const { ref, dependsOn } of dependencies) {
  if (ref === product) dependsOn.push('node')
  if (ref.startsWith('better-sqlite3@')) dependsOn.push('sqlite')
}

const { serialNumber: _, ...rest } = bill
const content = {
  ...rest,
  metadata: {
    ...bill.metadata,
    timestamp: new Date(Number(process.env.SOURCE_DATE_EPOCH) * 1000).toISOString(),
    component: { ...bill.metadata.component, type: 'application', name: 'strongroom', version },
  },
  components,
  dependencies,
}
process.stdout.write(`${JSON.stringify({ serialNumber: serialNumberOf(content), ...content }, undefined, 2)}\n`)

function nameOf({ group, name, version: itsVersion }) {
  return `${group === undefined || group === '' ? '' : `${group}/`}${name}@${itsVersion}`
}

/** npm marks bundled packages as development dependencies, which vulnerability scanners skip. This mark is removed. */
function asPart(component) {
  const properties = component.properties.filter(({ name }) => name !== 'cdx:npm:package:development')
  return { ...component, scope: 'required', properties }
}

function part(name, itsVersion, url) {
  return {
    'bom-ref': name,
    type: 'library',
    name,
    version: itsVersion,
    scope: 'required',
    purl: `${url}@${encodeURIComponent(itsVersion)}`,
  }
}

function linkedIntoNode() {
  const { node: _node, modules: _modules, napi: _napi, unicode: _unicode, cldr: _cldr, ...libraries } = process.versions
  return Object.entries(libraries)
    .filter(([, itsVersion]) => itsVersion !== '')
    .map(([name, itsVersion]) => ({ ...part(name, itsVersion, `pkg:generic/${name}`), 'bom-ref': `node/${name}` }))
}

function sqliteVersion() {
  const Database = createRequire(join(folder, 'package.json'))('better-sqlite3')
  return new Database(':memory:').prepare('SELECT sqlite_version()').pluck().get()
}

/** A UUID derived from the content, instead of npm's random one. */
function serialNumberOf(text) {
  const hash = createHash('sha256').update(JSON.stringify(text)).digest('hex')
  const groups = [
    hash.slice(0, 8),
    hash.slice(8, 12),
    `8${hash.slice(13, 16)}`,
    `a${hash.slice(17, 20)}`,
    hash.slice(20, 32),
  ]
  return `urn:uuid:${groups.join('-')}`
}
