import { describe, expect, it } from 'vitest'
import { coreDumpsFinding } from '../../../src/console/checks/core-pattern.ts'

const limits = (soft: string) => `Limit                     Soft Limit           Hard Limit           Units
Max core file size        ${soft}                    ${soft}                    bytes     \n`
const piped = '|/usr/lib/systemd/systemd-coredump %P %u %g %s %t 9223372036854775808 %h\n'
const everything = '00000033\n'
const nothing = '00000000\n'

const cases: readonly (readonly [string, string, string, string, 'ok' | 'problem'])[] = [
  ['a handler, and a limit of 1', piped, '1', everything, 'ok'],
  ['a handler, and no memory in dumps', piped, 'unlimited', nothing, 'ok'],
  ['a handler, and a limit of 0, which does not count', piped, '0', everything, 'problem'],
  ['a file, and a limit of 0', 'core\n', '0', everything, 'ok'],
  ['a file, and no limit', 'core\n', 'unlimited', everything, 'problem'],
]

describe('strongroom doctor, where the kernel has', () => {
  it.each(cases)('%s', (_what, pattern, soft, filter, state) => {
    expect(coreDumpsFinding(pattern, { limits: limits(soft), filter }).state).toBe(state)
  })

  it('names the handler', () => {
    const { detail } = coreDumpsFinding(piped, { limits: limits('0'), filter: everything })
    expect(detail).toContain('/usr/lib/systemd/systemd-coredump ')
  })
})
