// Run by `npm run build`: bundles each file of src/bin into dist/bin, and shared code into dist/modules
// (docs/decisions/0077). A process with fifteen hundred files spends half of its start finding them.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join, relative, resolve } from 'node:path'
import { rolldown } from 'rolldown'
import { packageFolder } from './package/module-folders.mjs'

const root = resolve(import.meta.dirname, '..')
const [src, dist] = ['src', 'dist'].map((name) => join(root, name))

/** Further modules of the build, which scripts, benchmarks and tests import. */
const parts = [
  'config/documents',
  'console/output/qr-code',
  'console/output/terminal',
  'console/program',
  'daemon/command-line',
  'daemon/core-dumps',
  'daemon/hash-threads',
  'hsm/client/supervisor',
  'http/server/server',
]

/**
 * Packages that are not bundled: they have native parts, read files beside their own, or are loaded by name at run
 * time, like the drivers of TypeORM. All others are bundled.
 */
const outside = Object.keys(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).dependencies)

const programs = readdirSync(join(src, 'bin')).map((name) => [`bin/${basename(name, '.ts')}`, join(src, 'bin', name)])
const entries = [...programs, ...parts.map((part) => [`modules/${basename(part)}`, join(src, `${part}.ts`)])]

/**
 * A module finds files relative to its source. In the build all files are in a folder directly below dist, so
 * `import.meta.url` is replaced by the place that the source would have there.
 */
const places = {
  name: 'places',
  transform: {
    filter: { id: /\.ts$/, code: /import\.meta/ },
    handler(code, id) {
      if (!id.startsWith(`${src}/`)) return undefined
      const place = `../${relative(src, id).replace(/\.ts$/, '.js')}`
      if (/import\.meta\.(?!url\b)/.test(code)) throw new Error(`${id}: of import.meta, the build knows url alone.`)
      return { code: code.replaceAll('import.meta.url', `new URL('${place}', import.meta.url).href`), map: null }
    },
  },
}

/**
 * Each CommonJS module is a function that is called while its program starts. V8 compiles a function in parentheses at
 * once, but (in Node 20) an arrow function only when it is called, when it parses it for a second time.
 */
const compiledOnce = {
  name: 'compiled-once',
  renderChunk: (code) => ({
    code: code.replaceAll(/__commonJSMin\(\((\([^)]*\)) => \{/g, '__commonJSMin((function$1 {'),
    map: null,
  }),
}

/** TypeORM's drivers of other databases are left out: a third of what a process would read of it. */
const otherDatabases = {
  name: 'other-databases',
  load: {
    filter: { id: /\/typeorm\/driver\/(?!better-sqlite3|postgres|sqlite-abstract|types)[\w-]+\/.*\.js$/ },
    handler: () => ({ code: 'module.exports = {}', moduleType: 'js' }),
  },
}

/** Keeps comments with a copyright, in whatever form a package has them, because its licence may require that. */
const notices = {
  name: 'notices',
  transform: {
    filter: { id: /\/node_modules\//, code: /copyright/i },
    handler(code) {
      const comments = code.match(/\/\*[^]*?\*\/|(?:^[ \t]*\/\/.*\n)+/gm) ?? []
      const claims = comments.filter(
        (comment) => /copyright/i.test(comment) && !/^\/\*!|@license|@preserve/.test(comment),
      )
      const kept = claims.map(
        (comment) => `/*! ${comment.replaceAll(/^\s*\/\*+|\*+\/$/g, '').replaceAll('*/', '* /')} */\n`,
      )
      return kept.length === 0 ? undefined : { code: kept.join('') + code, map: null }
    },
  },
}

/** The package folders with code in this chunk, for the licences and the list of parts of the Debian package. */
function packagesOf({ moduleIds }) {
  return [...new Set(moduleIds.map(packageFolder))].filter((folder) => folder !== undefined).toSorted()
}

for (const folder of ['bin', 'modules']) rmSync(join(dist, folder), { recursive: true, force: true })
const bundle = await rolldown({
  input: Object.fromEntries(entries),
  cwd: root,
  platform: 'node',
  tsconfig: join(root, 'tsconfig.json'),
  external: (id) => outside.some((name) => id === name || id.startsWith(`${name}/`)),
  plugins: [places, otherDatabases, notices, compiledOnce],
  // depd, a dependency of http-assert, makes a function by eval from names in its own module. Those names are not
  // changed.
  checks: { eval: false },
  onLog(level, log, handle) {
    if (log.code === 'UNRESOLVED_IMPORT') throw new Error(log.message)
    handle(level, log)
  },
})
const { output } = await bundle.write({
  dir: dist,
  format: 'esm',
  sourcemap: true,
  entryFileNames: '[name].js',
  chunkFileNames: 'modules/[name]-[hash].js',
})
const chunks = output.filter(({ type }) => type === 'chunk')
const packages = Object.fromEntries(chunks.map((chunk) => [chunk.fileName, packagesOf(chunk)]))
writeFileSync(join(dist, 'program-packages.json'), `${JSON.stringify(packages, undefined, 2)}\n`)
