import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { faultCodes } from '../../../src/fault.ts'

const root = resolve(import.meta.dirname, '../../../src')

/** Where the codes are listed, and where they get their texts. */
const catalogue = ['fault.ts', 'http/contract/faults.ts', 'http/contract/object-faults.ts']

const sources = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !catalogue.includes(file))
  .map((file) => readFileSync(join(root, file), 'utf8'))
  .join('\n')

// The compiler sees to the rest: what is raised is a FaultCode, and every FaultCode has a row in the catalogue.
it('every fault is raised somewhere, and not only compared with', () => {
  const raised = sources.replaceAll(/isFault\([^()]*\)|[!=]== '[a-z_.]+'/g, '')
  expect(faultCodes.filter((code) => !raised.includes(`'${code}'`))).toEqual([])
})

it('comments name no fault that does not exist', () => {
  const comments = sources.matchAll(
    /(?:@throws Fault|[Rr]ejects? with|[Tt]hrows) (?:`[a-z]+\.[a-z_]+`(?:, | and | or )?)+/g,
  )
  const named = [...comments].flatMap(([text]) =>
    [...text.matchAll(/`([a-z]+\.[a-z_]+)`/g)].map(([, code]) => code ?? ''),
  )
  expect(named.length).toBeGreaterThan(20)
  const codes: readonly string[] = faultCodes
  expect(named.filter((code) => !codes.includes(code))).toEqual([])
})
