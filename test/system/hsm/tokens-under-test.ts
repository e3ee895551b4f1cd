import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import pkcs11 from 'pkcs11js'
import { z } from 'zod'
import { missingMechanisms } from '../../../src/hsm/pkcs11/conformance.ts'
import { createRootObjects } from '../../../src/hsm/pkcs11/root-creation.ts'
import { chooseSlot, parseTokenUri } from '../../../src/hsm/pkcs11/slot-choice.ts'
import { finalize, loadModule } from '../../../src/hsm/pkcs11/token-opening.ts'
import { knownPin } from '../../../src/hsm/pkcs11/user-pin.ts'
import { makeToken, type TestToken } from '../../support/token.ts'

export interface TokenUnderTest {
  readonly name: string
  /** Why the suite omits it: mechanisms that it lacks, or that it does not answer. */
  readonly lacks: readonly string[]
  make(): Promise<TestToken>
}

const foreignToken = z.object({
  directory: z.string(),
  module: z.string(),
  tokenUri: z.string(),
  softhsmConf: z.string(),
  tokenDirectory: z.string(),
  pinFile: z.string(),
  soPinFile: z.string().default(''),
})

/**
 * SoftHSM2 and the tokens in the environment. STRONGROOM_TEST_MODULE, STRONGROOM_TEST_TOKEN (a PKCS#11 URI) and
 * STRONGROOM_TEST_PIN_FILE: a token with no other objects than those made here. STRONGROOM_TEST_TOKENS: JSON files,
 * separated by colons, each of which describes a token (a TestToken without `cleanup`) that has its root objects and a
 * folder for sockets.
 */
export function tokensUnderTest(): TokenUnderTest[] {
  const files = (process.env['STRONGROOM_TEST_TOKENS'] ?? '').split(':').filter((file) => file !== '')
  const described = files.map((name) => ({
    name,
    lacks: [],
    make: () =>
      Promise.resolve({ ...foreignToken.parse(JSON.parse(readFileSync(name, 'utf8'))), cleanup: () => undefined }),
  }))
  const module = process.env['STRONGROOM_TEST_MODULE'] ?? ''
  return [{ name: 'SoftHSM2', lacks: [], make: makeToken }, ...described, ...(module === '' ? [] : [named(module)])]
}

/** The tokens that support all parts of the suite. */
export const usableTokens = (): TokenUnderTest[] => tokensUnderTest().filter(({ lacks }) => lacks.length === 0)

function named(module: string): TokenUnderTest {
  const tokenUri = process.env['STRONGROOM_TEST_TOKEN'] ?? ''
  const pinFile = process.env['STRONGROOM_TEST_PIN_FILE'] ?? ''
  return {
    name: `${module} ${tokenUri}`,
    lacks: lackOf(module, tokenUri),
    make: () => withRoots(module, tokenUri, pinFile),
  }
}

/** What the token lacks, found without a PIN. */
export function lackOf(module: string, tokenUri: string): string[] {
  try {
    const lib = loadModule({ module })
    finalize(lib)
    try {
      lib.C_Initialize({ flags: pkcs11.CKF_OS_LOCKING_OK })
      const { slot } = chooseSlot(lib, parseTokenUri(tokenUri))
      return missingMechanisms(new Set(lib.C_GetMechanismList(slot.handle)))
    } finally {
      finalize(lib)
    }
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)]
  }
}

const buildCeremony = resolve(import.meta.dirname, '../../../softhsm/build-ceremony')

function withRoots(module: string, tokenUri: string, pinFile: string): Promise<TestToken> {
  const directory = mkdtempSync(join(tmpdir(), 'strongroom-token-'))
  const ceremony = join(directory, 'ceremony')
  execFileSync(buildCeremony, [ceremony])
  createRootObjects({ module, uri: tokenUri, pin: knownPin(readFileSync(pinFile, 'utf8').trim()), ceremony })
  return Promise.resolve({
    directory,
    module,
    tokenUri,
    pinFile,
    softhsmConf: '',
    tokenDirectory: '',
    soPinFile: '',
    cleanup: () => rmSync(directory, { recursive: true, force: true }),
  })
}
