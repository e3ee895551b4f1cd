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

/** A SoftHSM2 token of the test's own, with all root objects in it. */
export interface TestToken {
  /** Holds everything below; 0700, so sockets may go here. */
  readonly directory: string
  readonly module: string
  readonly tokenUri: string
  readonly softhsmConf: string
  readonly tokenDirectory: string
  readonly pinFile: string
  /** Holds the SO PIN, which a machine in use does not. */
  readonly soPinFile: string
  /** Removes the folder. */
  cleanup(): void
}

/** What `softhsm/init-token --json` prints. */
const description = z.object({ module: z.string(), uri: z.string(), softhsmConf: z.string(), pinFile: z.string() })

const root = resolve(import.meta.dirname, '../..')
const label = 'strongroom'
/** Not where doctor looks for it. */
const soPinName = 'officer-pin'

/** What a template is made from: a change of any of these makes another. */
const ingredients = ['softhsm', 'src/hsm/pkcs11', 'test/support/token.ts']

/** A copy of a token that is made once and kept below node_modules/.cache: RSA keys take their time, copies do not. */
export function makeToken(folder = tmpdir()): Promise<TestToken> {
  const directory = mkdtempSync(join(folder, 'strongroom-token-'))
  execFileSync('cp', ['-a', `${template()}/.`, directory])
  const softhsmConf = `directories.tokendir = ${join(directory, 'tokens')}\nobjectstore.backend = file\nlog.level = ERROR\n`
  writeFileSync(join(directory, 'softhsm2.conf'), softhsmConf)
  return Promise.resolve(tokenIn(directory))
}

/** A token with keys of its own, unlike the copies, which all hold the same. */
export function makeOtherToken(): TestToken {
  const directory = mkdtempSync(join(tmpdir(), 'strongroom-token-'))
  fill(directory)
  return tokenIn(directory)
}

/** One that is initialised, with no keys in it. */
export function makeEmptyToken(): TestToken {
  const directory = mkdtempSync(join(tmpdir(), 'strongroom-token-'))
  keepDescription(directory, initialise(directory))
  return tokenIn(directory)
}

/** Has a token hold keys that may leave it, in place of its own. */
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
    // Another test process was quicker; its token serves as well.
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
