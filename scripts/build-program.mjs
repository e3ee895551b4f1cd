// How `npm run build` makes the programs of src: each file of src/bin into dist/bin, and what they have in common into dist/modules
// (docs/decisions/0077). A process of fifteen hundred files spends half of its start on finding them.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join, relative, resolve } from 'node:path'
import { rolldown } from 'rolldown'
import { packageFolder } from './package/module-folders.mjs'

const root = resolve(import.meta.dirname, '..')
const [src, dist] = ['src', 'dist'].map((name) => join(root, name))

/** What scripts, benchmarks and tests take from the build, besides the programs. */
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
 * Packages that stay as they are: with compiled parts, with files that they read where they lie, or that another one asks for by name
 * while it runs, as TypeORM does for its drivers. All others become part of the files.
 */
const outside = Object.keys(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).dependencies)

const programs = readdirSync(join(src, 'bin')).map((name) => [`bin/${basename(name, '.ts')}`, join(src, 'bin', name)])
const entries = [...programs, ...parts.map((part) => [`modules/${basename(part)}`, join(src, `${part}.ts`)])]

/** A module finds files beside itself by where its source lies. All files of the build are one folder below dist. */
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

/** Comments that claim a copyright stay, in whatever form their package has them: a licence may ask for it. */
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

/** The folders below node_modules from which something is in this file: for the licences and the list of parts of the Debian package. */
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
  plugins: [places, notices],
  // depd, below http-assert, makes a function by eval from names of its own module. They stay as they are.
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
