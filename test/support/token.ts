import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { z } from 'zod'
import { createRootObjects } from '../../src/hsm/pkcs11/root-creation.ts'
import { emptyToken } from '../../src/hsm/pkcs11/token-move.ts'
import { knownPin } from '../../src/hsm/pkcs11/user-pin.ts'

/** A separate SoftHSM2 token with all root objects. */
export interface TestToken {
  /** Contains everything below. Its mode is 0700, so that sockets may be in it. */
  readonly directory: string
  readonly module: string
  readonly tokenUri: string
  readonly softhsmConf: string
  readonly tokenDirectory: string
  readonly pinFile: string
  /** Contains the SO PIN, which is not on a machine in use. */
  readonly soPinFile: string
  /** Removes the folder. */
  cleanup(): void
}

/** The output of `softhsm/init-token --json`. */
const description = z.object({ module: z.string(), uri: z.string(), softhsmConf: z.string(), pinFile: z.string() })

const root = resolve(import.meta.dirname, '../..')
const label = 'strongroom'
/** Not a path where `strongroom doctor` looks for it. */
const soPinName = 'officer-pin'

/** Sources of the template: a change of any of them makes a new one. */
const ingredients = ['softhsm', 'src/hsm/pkcs11', 'test/support/token.ts']

/** A copy of a token that is made once and kept below node_modules/.cache, because generating RSA keys takes time. */
export function makeToken(folder = tmpdir()): Promise<TestToken> {
  const directory = mkdtempSync(join(folder, 'strongroom-token-'))
  execFileSync('cp', ['-a', `${template()}/.`, directory])
  const softhsmConf = `directories.tokendir = ${join(directory, 'tokens')}\nobjectstore.backend = file\nlog.level = ERROR\n`
  writeFileSync(join(directory, 'softhsm2.conf'), softhsmConf)
  return Promise.resolve(tokenIn(directory))
}

/** A token with its own keys; all copies have the same. */
export function makeOtherToken(): TestToken {
  const directory = mkdtempSync(join(tmpdir(), 'strongroom-token-'))
  fill(directory)
  return tokenIn(directory)
}

/** An initialised token without keys. */
export function makeEmptyToken(): TestToken {
  const directory = mkdtempSync(join(tmpdir(), 'strongroom-token-'))
  keepDescription(directory, initialise(directory))
  return tokenIn(directory)
}

/** Replaces the keys of a token by keys that may leave it. */
export function makeMovable(token: TestToken): void {
  const { module, tokenUri: uri, softhsmConf, pinFile, directory } = token
  const location = { module, uri, softhsmConf, pin: knownPin(readFileSync(pinFile, 'utf8')) }
  emptyToken(location)
  createRootObjects({ ...location, ceremony: join(directory, 'ceremony'), movable: true })
}

function tokenIn(directory: string): TestToken {
  const { module, uri } = description.parse(JSON.parse(readFileSync(join(directory, 'token.json'), 'utf8')))
  return {
    directory,
    module,
    tokenUri: uri,
    softhsmConf: join(directory, 'softhsm2.conf'),
    tokenDirectory: join(directory, 'tokens'),
    pinFile: join(directory, 'pin'),
    soPinFile: join(directory, soPinName),
    cleanup: () => rmSync(directory, { recursive: true, force: true }),
  }
}

function template(): string {
  const hash = createHash('sha256')
  for (const file of ingredients.flatMap(filesIn)) hash.update(readFileSync(file))
  const cache = join(root, 'node_modules/.cache/strongroom-tokens')
  const finished = join(cache, hash.digest('hex').slice(0, 16))
  if (existsSync(finished)) return finished
  mkdirSync(cache, { recursive: true })
  const fresh = mkdtempSync(join(cache, 'new-'))
  fill(fresh)
  try {
    renameSync(fresh, finished)
  } catch (error) {
    // Another test process was faster; its token will do.
    if (!existsSync(finished)) throw error
    rmSync(fresh, { recursive: true })
  }
  return finished
}

function filesIn(name: string): string[] {
  const path = join(root, name)
  return statSync(path).isDirectory()
    ? readdirSync(path)
        .toSorted()
        .map((file) => join(path, file))
    : [path]
}

function fill(directory: string): void {
  const ceremony = join(directory, 'ceremony')
  execFileSync(join(root, 'softhsm/build-ceremony'), [ceremony])
  const printed = initialise(directory)
  const { module, uri, softhsmConf, pinFile } = description.parse(JSON.parse(printed))
  createRootObjects({ module, uri, softhsmConf, pin: knownPin(readFileSync(pinFile, 'utf8')), ceremony })
  keepDescription(directory, printed)
}

function initialise(directory: string): string {
  const args = ['--directory', directory, '--label', label, '--keep-so-pin', '--json']
  return execFileSync(join(root, 'softhsm/init-token'), args, { encoding: 'utf8' })
}

function keepDescription(directory: string, printed: string): void {
  renameSync(join(directory, 'so-pin'), join(directory, soPinName))
  writeFileSync(join(directory, 'token.json'), printed)
}
