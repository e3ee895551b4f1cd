import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    reporters: ['default', './test/support/closing-line.ts'],
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/support/fresh-build.ts'],
    // Processes, not threads: a PKCS#11 module and the environment belong to a process.
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
})
