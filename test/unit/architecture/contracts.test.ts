import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { contracts as endpoints } from '../../support/contracts.ts'

const named = endpoints.map((contract) => [`${contract.method} ${contract.path}`, contract] as const)

const shapeOf = (schema: z.ZodType): object =>
  (z.toJSONSchema(schema, { io: 'input' }) as { properties?: object }).properties ?? {}

describe('the contracts', () => {
  it('name each method and path once', () => {
    expect(new Set(named.map(([name]) => name)).size).toBe(endpoints.length)
  })

  it('give operations names of their own; only an alias shares one', () => {
    const paths = new Map<string, string>()
    for (const { operation, path } of endpoints) {
      expect(paths.get(operation) ?? path, operation).toBe(path)
      paths.set(operation, path)
    }
  })

  it.each(named)('%s is complete', (_name, contract) => {
    expect(contract.operation).toMatch(/^[a-z]+(\.[a-z]+)+$/)
    expect(contract.summary).toMatch(/^[A-Z][^.]+$/)
    expect(contract.path).toMatch(/^(\/:?[a-z_]+)+(\.json)?$/)
    expect([200, 201]).toContain(contract.success)
    expect(['public', 'session', 'vault']).toContain(contract.access.kind)
  })

  it.each(named)('%s declares the parameters of its path, and a vault where it needs one', (_name, contract) => {
    const inPath = [...contract.path.matchAll(/:([a-z]+)/g)].map((match) => match[1] ?? '')
    expect(Object.keys(shapeOf(contract.params)).toSorted()).toEqual(inPath.toSorted())
    if (contract.access.kind !== 'vault') return
    const { member, resource } = contract.access
    if (member !== undefined) expect(shapeOf(contract.body)).toHaveProperty(member)
    else expect(inPath).toContain(resource?.vaultOf ? resource.parameter : 'vaultid')
  })

  it('say of a GET that changes something that it does, because HEAD would have its effect', () => {
    const reading = named.filter(([, { method }]) => method === 'GET')
    const changing = reading.filter(([, { run }]) => /\b(commit|recordWithChange|setToken)\b/.test(String(run)))
    expect(changing.map(([name]) => name)).toEqual(['GET /auth/logout'])
    for (const [name, { changes }] of reading) expect(changes === true, name).toBe(name === 'GET /auth/logout')
  })

  it('make nothing public except the login, one-time links and the documentation', () => {
    expect(named.filter(([, { access }]) => access.kind === 'public').map(([name]) => name)).toEqual([
      'POST /auth',
      'GET /authinfo/logintypes',
      'GET /authinfo/smcuser',
      'POST /auth/challenge',
      'POST /link/open',
      'GET /openapi.json',
      'GET /docs',
    ])
  })
})
