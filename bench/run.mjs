#!/usr/bin/env node
// Runs a benchmark that is written in TypeScript: `node bench/run.mjs encrypt --rounds 9`. Node 20 does not read
// TypeScript by itself, and the build leaves tests and benchmarks out; Vite is here with the test runner.
import { fileURLToPath } from 'node:url'
import { createViteServer } from 'vitest/node'

const root = fileURLToPath(new URL('..', import.meta.url))
const [name, ...args] = process.argv.slice(2)
const names = [
  'encrypt',
  'batch',
  'client',
  'keys',
  'login',
  'strangers',
  'objects',
  'postgres',
  'files',
  'otp',
  'recovery',
  'scale',
]
if (!names.includes(name)) {
  console.error(`Which benchmark? ${names.map((one) => `npm run bench:${one}`).join(', ')}`)
  process.exit(2)
}
const vite = await createViteServer({
  root,
  configFile: false,
  appType: 'custom',
  logLevel: 'error',
  cacheDir: 'node_modules/.cache/vite-bench',
  server: { middlewareMode: true, hmr: false, ws: false, watch: null },
  optimizeDeps: { noDiscovery: true },
  // Another checkout's part (`--against`) brings its own packages: of the test runner a process holds one.
  resolve: { alias: [{ find: /^vitest$/, replacement: fileURLToPath(import.meta.resolve('vitest')) }] },
})
try {
  const { main } = await vite.ssrLoadModule(`/bench/${name}.ts`)
  await main(args)
} finally {
  await vite.close()
}
