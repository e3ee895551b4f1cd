// How `npm run build` makes the programs of src: each file of src/bin into dist/bin, and what they have in common into dist/modules.
// A program of a thousand modules takes twice as long to start as the same one in a dozen files.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join, relative, resolve } from 'node:path'
import { rolldown } from 'rolldown'

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

/** Packages that stay as they are, with compiled parts, or with files that they read where they lie; all others become part of the files. */
const outside = Object.keys(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).dependencies)

const programs = readdirSync(join(src, 'bin')).map((name) => [`bin/${basename(name, '.ts')}`, join(src, 'bin', name)])
const entries = [...programs, ...parts.map((part) => [`modules/${basename(part)}`, join(src, `${part}.ts`)])]

/** A module finds files beside itself by where its source lies. All files of the build are one folder below dist. */
const places = {
  name: 'places',
  transform: {
    filter: { id: /\/src\/.*\.ts$/, code: /import\.meta\.url/ },
    handler(code, id) {
      const place = `../${relative(src, id).replace(/\.ts$/, '.js')}`
      return { code: code.replaceAll('import.meta.url', `new URL('${place}', import.meta.url).href`), map: null }
    },
  },
}

/** The folders below node_modules from which something is in this file: for the licences and the list of parts of the Debian package. */
function packagesOf({ moduleIds }) {
  const folders = moduleIds.map((id) => /\/node_modules\/(.*\/node_modules\/)?(@[^/]+\/)?[^/]+/.exec(id)?.[0])
  return [...new Set(folders)]
    .filter((name) => name !== undefined)
    .map((name) => name.replace('/node_modules/', ''))
    .toSorted()
}

for (const folder of ['bin', 'modules']) rmSync(join(dist, folder), { recursive: true, force: true })
const bundle = await rolldown({
  input: Object.fromEntries(entries),
  cwd: root,
  platform: 'node',
  tsconfig: join(root, 'tsconfig.json'),
  external: (id) => outside.some((name) => id === name || id.startsWith(`${name}/`)),
  plugins: [places],
  // A package that calls an outdated function of another one would be told so by it.
  checks: { eval: false },
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
