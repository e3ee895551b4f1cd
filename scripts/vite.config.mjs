// Used by `npm run build`: builds the web console of src/web into dist/web, from where the daemon serves it.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import react from '@vitejs/plugin-react'
import { packageFolder } from './package/module-folders.mjs'

const folder = resolve(import.meta.dirname, '../dist/web')

/** Removes texts of React Aria in more than thirty languages; the console has two. */
const languages = {
  name: 'languages',
  enforce: 'pre',
  load: (id) => (/\/intl\/.*\/(?!en-US|sv-SE)[a-z]{2}-[A-Z]{2}\.m?js$/.test(id) ? 'export default {}' : undefined),
}

/** Writes compressed forms beside each file, so that the daemon compresses nothing. */
const compressed = {
  name: 'compressed',
  apply: 'build',
  writeBundle() {
    for (const name of readdirSync(folder, { recursive: true })) {
      if (!/\.(html|js|css|svg)$/.test(name)) continue
      const path = join(folder, name)
      const content = readFileSync(path)
      const params = { [constants.BROTLI_PARAM_SIZE_HINT]: content.length }
      writeFileSync(`${path}.br`, brotliCompressSync(content, { params }))
      writeFileSync(`${path}.gz`, gzipSync(content, { level: 9 }))
    }
  },
}

/**
 * Bundles the decoders of scanned images (JBIG2, CCITT, JPEG 2000), which pdf.js would fetch from a URL, into its
 * worker. That worker is not allowed to fetch anything.
 */
const scanDecoders = {
  name: 'scan-decoders',
  transform: {
    filter: { id: /\/pdfjs-dist\/legacy\/build\/pdf\.worker\.mjs$/ },
    handler(code) {
      const fetched = /import\(\s*(?:\/\*.*?\*\/\s*)*`\$\{WasmImage\.#wasmUrl\}\$\{this\._noWasmFilename\}`\)/
      if (!fetched.test(code)) throw new Error('pdf.js fetches its decoders in another way than before.')
      const inside = ['jbig2', 'openjpeg'].map((name) => [
        `${name}_nowasm_fallback.js`,
        `import('../../wasm/${name}_nowasm_fallback.js')`,
      ])
      const table = inside.map(([file, loaded]) => `'${file}': () => ${loaded}`).join(', ')
      return code.replace(fetched, `({ ${table} })[this._noWasmFilename]()`)
    },
  },
}

const bundled = new Set()

/** Collects the packages that are in a bundle. */
const noted = {
  name: 'noted-packages',
  apply: 'build',
  generateBundle(_options, bundle) {
    const modules = Object.values(bundle).flatMap((chunk) => (chunk.type === 'chunk' ? Object.keys(chunk.modules) : []))
    for (const id of modules) {
      const folder = packageFolder(id)
      if (folder !== undefined) bundled.add(folder)
    }
  },
}

/**
 * Writes the list of packages in the page and in its workers, which are built first. It is for the licences and the
 * list of parts of the Debian package.
 */
const bundledPackages = {
  name: 'bundled-packages',
  apply: 'build',
  writeBundle() {
    // The published kdbxweb contains fflate.
    if (bundled.has('kdbxweb')) bundled.add('fflate')
    writeFileSync(resolve(folder, '../web-packages.json'), `${JSON.stringify([...bundled].toSorted(), undefined, 2)}\n`)
  },
}

export default {
  root: resolve(import.meta.dirname, '../src/web'),
  // /words/jsx-runtime.ts makes the elements of our own files, and shows no text with characters that mislead.
  plugins: [languages, react({ jsxImportSource: '/words' }), noted, bundledPackages, compressed],
  worker: { plugins: () => [scanDecoders, noted] },
  build: {
    outDir: folder,
    emptyOutDir: true,
    target: 'es2022',
    // Inlined files would need `data:` in the Content Security Policy. The polyfill is for browsers that cannot run the
    // page anyway.
    assetsInlineLimit: 0,
    // One stylesheet: Vite asks only once for that of a view, which would be shown without it after a failure.
    cssCodeSplit: false,
    modulePreload: { polyfill: false },
  },
}
