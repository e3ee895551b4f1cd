import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { LongestFirst } from './test/support/longest-first.ts'
import { isRelease } from './test/support/release.ts'

/**
 * Files that take long and whose subjects seldom change, or of which a like one is in each run. They are tried before a
 * release alone, as are most of `installed`, since machines take minutes to make.
 */
const beforeRelease = [
  'test/attacks/{long-lists,old-audit-key,old-root-keys,session-holder,stranger-headers}.test.ts',
  'test/system/console/{archived-records,backup-bomb,backup-keys,change-pin,hanging-disk,key-takeover,migrate-store,takeover}.test.ts',
  'test/system/faults/{backup,clock-ahead,journal,postgres-server}.test.ts',
  'test/system/machines/{restored-machine,three-machines}.test.ts',
  'test/system/monitor/alerts.test.ts',
  'test/system/store/{busy-writers,silent-server}.test.ts',
  'test/web/{firefox,keepass,pdf}.test.ts',
]

/** For every project; each takes the tests below its folders. */
const common = {
  // Processes, not threads: a PKCS#11 module and the environment belong to a process.
  pool: 'forks',
  testTimeout: 120_000,
  hookTimeout: 120_000,
  // Of its own, a poll is given up after a second; a machine may be busy for longer.
  expect: { poll: { timeout: 60_000 } },
  exclude: isRelease ? [] : beforeRelease,
} as const

/** Files of one project share processes, and with them the modules, and the appliance that `TestAppliance.shared()` gives. */
const sharing = { ...common, isolate: false }

/** Files that boot machines: one at a time, after all others; the one of each run goes first, beside the others. */
const installed = {
  ...sharing,
  include: [`test/installed/${isRelease ? '*' : 'package'}.test.ts`],
  testTimeout: 600_000,
  hookTimeout: 1_800_000,
  ...(isRelease && { maxWorkers: 1, sequence: { groupOrder: 1 } }),
} as const

export default defineConfig({
  test: {
    reporters: ['default', './test/support/slowest-files.ts', './test/support/closing-line.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    maxWorkers: Math.max(2, availableParallelism()),
    sequence: { sequencer: LongestFirst },
    coverage: { include: ['src/**/*.ts'], reporter: ['text-summary', 'html'] },
    projects: [
      { test: { ...sharing, name: 'unit', include: ['test/unit/**/*.test.ts'] } },
      { test: { ...sharing, name: 'api', include: ['test/api/**/*.test.ts'] } },
      { test: { ...sharing, name: 'attacks', include: ['test/attacks/**/*.test.ts'] } },
      { test: { ...sharing, name: 'clients', include: ['test/clients/**/*.test.ts'] } },
      { test: { ...sharing, name: 'system', include: ['test/system/**/*.test.ts'] } },
      { test: { ...sharing, name: 'web', include: ['test/web/**/*.test.ts'] } },
      { test: { ...installed, name: 'installed' } },
    ],
  },
})
