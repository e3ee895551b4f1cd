import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { TestAppliance } from '../../support/appliance.ts'
import { makeVault } from '../../support/vault.ts'

const hook = resolve(import.meta.dirname, '../../support/module-listing.mjs')

/** graphene-pk11 depends on tslib. */
const bindings = ['graphene-pk11', 'pkcs11js', 'tslib']
/** better-sqlite3 finds its compiled module by the other two. */
const database = ['better-sqlite3', 'bindings', 'file-uri-to-path']
/** Reads the configuration; has no dependencies. */
const configuration = ['zod']

let appliance: TestAppliance
beforeAll(async () => {
  appliance = await TestAppliance.own({ hsm: { rsaKeysAhead: 1 } })
  await appliance.restart('SIGTERM', { NODE_OPTIONS: `--import=${hook}`, MODULE_LISTING: appliance.directory })
  // Causes modules to load that are loaded at their first use.
  const vault = await makeVault(appliance)
  await vault.admin.must('POST', `/transparent/${vault.id}/keys/key`, { type: 'aes256-gcm96' })
  await vault.decrypt('key', await vault.encrypt('key', Buffer.from('x').toString('base64')))
}, 120_000)
afterAll(() => appliance.close())

const dist = resolve(import.meta.dirname, '../../../dist')
/** The packages whose code the build has put into each of its files. */
const bundled = JSON.parse(readFileSync(resolve(dist, 'program-packages.json'), 'utf8')) as Record<string, string[]>

/** The packages whose code a program has loaded, as separate files or as part of the build. */
function packagesOf(program: string): string[] {
  const loaded = readFileSync(resolve(appliance.directory, program), 'utf8').split('\n')
  expect(loaded).toContain(`file://${dist}/bin/${program}`)
  const named = loaded.flatMap((file) => {
    const [, own] = file.split(`${dist}/`)
    if (own !== undefined) {
      expect(bundled).toHaveProperty([own])
      return bundled[own] ?? []
    }
    const [, name] = /\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(file) ?? []
    return name === undefined ? [] : [name]
  })
  return [...new Set(named)].toSorted()
}

// Decision 31 gives the reason for each. The publisher of any further one could read the PIN.
describe('a process that holds the PIN loads no package but those that it needs', () => {
  it('the keeper', () => {
    expect(packagesOf('strongroom-keeper.js')).toEqual([...bindings, ...database, ...configuration].toSorted())
  })

  it('token hosts and the key maker', () => {
    expect(packagesOf('strongroom-tokend.js')).toEqual([...bindings, ...database, ...configuration].toSorted())
  })

  it('unlike a worker', () => {
    expect(packagesOf('worker.js')).toEqual(expect.arrayContaining(['koa', 'pino', 'lru-cache']))
  })
})
