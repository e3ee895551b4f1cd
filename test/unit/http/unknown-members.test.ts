import { describe, expect, it } from 'vitest'
import { inputSchema } from '../../../src/http/contract/openapi-schemas.ts'
import { refuseUnknownMembers } from '../../../src/http/input/unknown-members.ts'
import { contracts } from '../../support/contracts.ts'

const inVaults = contracts.filter(({ access, method }) => access.kind === 'vault' && method !== 'LIST')
const named = inVaults.map((contract) => [`${contract.method} ${contract.path}`, contract] as const)
/** Members that templates name. */
const open = ['POST /object', 'PUT /object/:objectid']

describe('a call where unknown members are refused', () => {
  it.each(named)('%s', (name, contract) => {
    const refuse = (sent: object) => () => refuseUnknownMembers(contract, { ...sent })
    const schema = inputSchema(contract.body)
    // What stands elsewhere would not be looked at.
    expect(JSON.stringify(schema)).not.toContain('$ref')
    const known = Object.keys(schema['properties'] ?? {})
    expect(refuse(Object.fromEntries([...known, 'token'].map((member) => [member, 'x'])))).not.toThrow()
    if (open.includes(name)) expect(refuse({ zzz: 1 })).not.toThrow()
    else expect(refuse({ zzz: 1 })).toThrow('zzz is not a member of this call')
    if (known.includes('batch_input'))
      expect(refuse({ batch_input: [{}, { zzz: 1 }] })).toThrow('batch_input.1.zzz is not a member of this call')
  })
})
