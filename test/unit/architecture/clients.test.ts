import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '../../..')

interface Import {
  readonly file: string
  readonly specifier: string
}

const filesBelow = (folder: string): string[] =>
  readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !/(^|\/)(node_modules|dist)\//.test(file))
    .map((file) => join(folder, file))

const importsOf = (file: string): Import[] =>
  [
    ...readFileSync(join(root, file), 'utf8').matchAll(
      /^(?:import|export)\s(?:[^'"]*?from\s+)?['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/gm,
    ),
  ].map((match) => ({ file, specifier: match[1] ?? match[2] ?? '' }))

const source = filesBelow('src').flatMap(importsOf)
const clients = filesBelow('clients')
const nodeClient = clients.filter((file) => file.startsWith('clients/node/src/'))

/** Entries of the package, and what they alone import, may use Node.js; all else runs in browsers too. */
const forNode = /^clients\/node\/src\/node(-[a-z-]+)?\.ts$/

describe('clients', () => {
  it('are found', () => {
    expect(nodeClient.length).toBeGreaterThan(10)
  })

  it('share no code with the appliance, in neither direction', () => {
    const leaves = ({ file, specifier }: Import): boolean =>
      specifier.startsWith('.') && !join(root, file, '..', specifier).startsWith(join(root, file.split('/')[0] ?? ''))
    const intoOther = clients
      .flatMap(importsOf)
      .filter(({ file, specifier }) => specifier.startsWith('.') && join(file, '..', specifier).startsWith('src/'))
    // The console's build takes the types of the calls, which are written from the contracts, and no code.
    const contracts = { file: 'src/web/interface/calls.ts', specifier: '../../../clients/node/src/api.ts' }
    expect([...source.filter(leaves), ...intoOther]).toEqual([contracts])
    expect(readFileSync(join(root, contracts.file), 'utf8')).toMatch(
      /^import type [^\n]*clients\/node\/src\/api\.ts'$/m,
    )
  })

  it('depend on no package, and for browsers on nothing of Node.js', () => {
    const foreign = nodeClient
      .flatMap(importsOf)
      .filter(({ specifier }) => !specifier.startsWith('./'))
      .filter(({ file, specifier }) => !(specifier.startsWith('node:') && forNode.test(file)))
    expect(foreign).toEqual([])
    const intoNode = nodeClient
      .filter((file) => !forNode.test(file))
      .flatMap(importsOf)
      .filter(({ specifier }) => /^\.\/node[.-]/.test(specifier))
    expect(intoNode).toEqual([])
  })

  it('have no drawer without a name, and no file of more than 300 lines that a person writes', () => {
    expect(clients.filter((file) => /\/(index|utils?|helpers?|common|shared|types)\.ts$/.test(file))).toEqual([])
    const long = clients.filter((file) => readFileSync(join(root, file), 'utf8').split('\n').length > 301)
    expect(long).toEqual(['clients/node/src/api.ts'])
  })
})
