import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { makeToken } from '../../support/token.ts'
import { lackOf, tokensUnderTest } from './tokens-under-test.ts'

/** Modules in Debian packages that store keys. The page about tokens (softhsm/README.md) says what each lacks. */
const modules = [
  ['opensc-pkcs11', '/usr/lib/x86_64-linux-gnu/pkcs11/opensc-pkcs11.so'],
  ['opencryptoki', '/usr/lib/x86_64-linux-gnu/pkcs11/libopencryptoki.so'],
  ['libtpm2-pkcs11-1', '/usr/lib/x86_64-linux-gnu/libtpm2_pkcs11.so.1'],
] as const

// libtss2 writes to standard error about every missing device.
process.env['TSS2_LOG'] = 'all+NONE'

describe('the contract suite', () => {
  for (const { name, lacks } of tokensUnderTest())
    it.skipIf(lacks.length > 0)(
      lacks.length > 0 ? `leaves out ${name}: ${lacks.join(', ')}` : `runs on ${name}`,
      () => {
        expect(lacks).toEqual([])
      },
    )

  it('takes a token that has everything, and names a token that is not there', async () => {
    const token = await makeToken()
    process.env['SOFTHSM2_CONF'] = token.softhsmConf
    expect(lackOf(token.module, token.tokenUri)).toEqual([])
    expect(lackOf(token.module, 'pkcs11:token=another')).toEqual([expect.stringMatching(/no token fits/i)])
    expect(lackOf('/nowhere.so', 'pkcs11:token=another')).toEqual([expect.stringContaining('cannot be loaded')])
    token.cleanup()
  })

  for (const [name, file] of modules)
    it.skipIf(!existsSync(file))(`${name}: without a token of its own here it is left out, with a sentence`, () => {
      expect(lackOf(file, 'pkcs11:token=strongroom-trial')).toEqual([expect.stringMatching(/^\S.*\S$/s)])
    })
})
