import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { TestAppliance } from '../../support/appliance.ts'
import { makeVault } from '../../support/vault.ts'

const hook = resolve(import.meta.dirname, '../../support/module-listing.mjs')

/** graphene-pk11 brings tslib. */
const bindings = ['graphene-pk11', 'pkcs11js', 'tslib']
/** better-sqlite3 finds its compiled half by the other two. */
const database = ['better-sqlite3', 'bindings', 'file-uri-to-path']
/** It reads the configuration, and has no dependencies. */
const configuration = ['zod']

let appliance: TestAppliance
beforeAll(async () => {
  appliance = await TestAppliance.own({ hsm: { rsaKeysAhead: 1 } })
  await appliance.restart('SIGTERM', { NODE_OPTIONS: `--import=${hook}`, MODULE_LISTING: appliance.directory })
  // What is loaded at the first use only is loaded then.
  const vault = await makeVault(appliance)
  await vault.admin.must('POST', `/transparent/${vault.id}/keys/key`, { type: 'aes256-gcm96' })
  await vault.decrypt('key', await vault.encrypt('key', Buffer.from('x').toString('base64')))
}, 120_000)
afterAll(() => appliance.close())

const dist = resolve(import.meta.dirname, '../../../dist')
/** Of which packages the build has put something into which of its files. */
const bundled = JSON.parse(readFileSync(resolve(dist, 'program-packages.json'), 'utf8')) as Record<string, string[]>

/** The packages of which a program has loaded something, as a file of their own or in one of the build. */
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

// Decision 31 has the reason for each. One more makes its publisher a holder of the PIN.
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
