import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { Refusal } from './exit-code.ts'
import { readPrivateFile, writePrivateFile } from './private-file.ts'
import { settingsFolder } from './settings.ts'

export type SecretName = 'session' | 'application-key'

/** Storage for the session and application key of one appliance between two commands. */
export interface SecretStore {
  read(name: SecretName): string | undefined
  write(name: SecretName, value: string): void
  remove(name: SecretName): void
}

/** Milliseconds; enough for a person who must type the keyring's pass phrase. */
const keyringMs = 120_000

const cure = 'A login with --keep file does without it.'

/** Runs `secret-tool`. Returns its output; undefined where it fails and says nothing. @throws Refusal */
function tool(args: readonly string[], input = ''): string | undefined {
  const { status, stdout, stderr, error } = spawnSync('secret-tool', args, {
    encoding: 'utf8',
    timeout: keyringMs,
    input,
  })
  if (error && 'code' in error && error.code === 'ETIMEDOUT')
    throw new Refusal(`The keyring did not answer within ${keyringMs / 1000} s: unlock it. ${cure}`, { cause: error })
  if (error) throw new Refusal(`secret-tool cannot be run: ${error.message}.`, { cause: error })
  if (status !== 0 && stderr !== '') throw new Refusal(`The keyring cannot be used: ${stderr.trim()}. ${cure}`)
  return status === 0 ? stdout : undefined
}

/**
 * The keyring of the desktop (Secret Service), through the program `secret-tool`. Secrets go through its standard
 * input, not its arguments.
 */
function keyringStore(url: string): SecretStore {
  const attributesOf = (name: SecretName): string[] => ['program', 'strongroom-cli', 'appliance', url, 'secret', name]
  /** Reads or removes an item; undefined where there is none. `search` also finds one in a locked keyring. */
  const use = (verb: 'lookup' | 'clear', name: SecretName): string | undefined => {
    const output = tool([verb, ...attributesOf(name)])
    if (output === undefined && tool(['search', ...attributesOf(name)]))
      throw new Refusal(`The keyring is locked: unlock it. ${cure}`)
    return output
  }
  return {
    read: (name) => use('lookup', name),
    write: (name, value) =>
      void tool(['store', '--label', `Strongroom ${name} at ${url}`, ...attributesOf(name)], value),
    remove: (name) => void use('clear', name),
  }
}

type Kept = Readonly<Record<string, Partial<Readonly<Record<SecretName, string>>>>>

const secretsFile = (): string => join(settingsFolder(), 'secrets.json')

function allKept(): Kept {
  const text = readPrivateFile(secretsFile())
  if (text === undefined) return {}
  try {
    const kept: unknown = JSON.parse(text)
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- this program has written it
    if (typeof kept === 'object' && kept !== null) return kept as Kept
  } catch {
    // The reason of the parser may quote a secret.
  }
  throw new Refusal(`${secretsFile()} is damaged: remove it, and log in again.`)
}

/** Stores secrets in a file of mode 0600. */
function fileStore(url: string): SecretStore {
  const save = (name: SecretName, value: string | undefined): void => {
    const kept = allKept()
    writePrivateFile(
      secretsFile(),
      `${JSON.stringify({ ...kept, [url]: { ...kept[url], [name]: value } }, undefined, 2)}\n`,
    )
  }
  return {
    read: (name) => allKept()[url]?.[name],
    write: save,
    remove: (name) => {
      if (allKept()[url]?.[name] !== undefined) save(name, undefined)
    },
  }
}

/** The name of the place, for a person. */
export const placeOf = (kept: 'keyring' | 'file'): string => (kept === 'keyring' ? 'the keyring' : secretsFile())

export const storeOf = (url: string, kept: 'keyring' | 'file'): SecretStore =>
  kept === 'keyring' ? keyringStore(url) : fileStore(url)

/** Stores a new session: in the keyring, if it returns what was stored, otherwise in the file. */
export function keepSession(
  url: string,
  token: string,
  wanted: 'keyring' | 'file' | undefined,
): { readonly kept: 'keyring' | 'file'; readonly store: SecretStore; readonly problem?: string } {
  const file = { kept: 'file', store: fileStore(url) } as const
  if (wanted === 'file') {
    file.store.write('session', token)
    return file
  }
  const store = keyringStore(url)
  try {
    store.write('session', token)
    if (store.read('session') !== token) throw new Refusal('The keyring does not give back what it took.')
    return { kept: 'keyring', store }
  } catch (error) {
    if (wanted === 'keyring') throw error
    file.store.write('session', token)
    return { ...file, problem: error instanceof Error ? error.message : String(error) }
  }
}
