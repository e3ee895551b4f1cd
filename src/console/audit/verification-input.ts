import { existsSync, readdirSync, statSync } from 'node:fs'
import type { OwnMachine } from '../../audit/chain-machine.ts'
import { readArchived } from '../../audit/archive/archived-files.ts'
import { readPublicKey } from '../../audit/public-key.ts'
import { createAuditHeads } from '../../audit/records.ts'
import { createSealVerifier, type SealedHead } from '../../audit/seal.ts'
import { readSuccessions } from '../../audit/trail-keys.ts'
import { listSegments } from '../../audit/segment.ts'
import { loadConfig } from '../../config/loader.ts'
import type { Config } from '../../config/schema.ts'
import { Fault } from '../../fault.ts'
import { parseStatement } from '../../hsm/audit-end.ts'
import type { Hsm } from '../../hsm/hsm.ts'
import { isAnyServed } from '../../hsm/protocol/served-socket.ts'
import { withStore } from '../console-context.ts'
import { UsageError } from '../exit-code.ts'
import type { Invocation } from '../invocation.ts'
import { readPublicKeyFile } from '../output/terminal.ts'
import { reachToken } from '../token-access.ts'

/** The trails to verify, and the data to verify them with. */
export interface VerificationInput {
  readonly directory: readonly string[]
  readonly publicKey: Buffer
  readonly keySource: string
  readonly heads?: ReadonlyMap<string, SealedHead>
  readonly own?: OwnMachine | undefined
  readonly witnessCa?: string | undefined
}

export interface GivenTrail {
  readonly directory?: readonly string[]
  readonly publicKey?: string
}

export async function inputFor(
  { directory, publicKey }: GivenTrail,
  invocation: Invocation,
): Promise<VerificationInput> {
  await refuseTwice(directory ?? [])
  const given =
    publicKey === undefined
      ? undefined
      : { publicKey: await readPublicKeyFile(invocation.terminal, publicKey), keySource: publicKey }
  if (directory !== undefined && given !== undefined) return { directory, ...given }
  const config = loadConfig(invocation.config)
  if (directory === undefined) return applianceTrail(invocation, config, given)
  // A single folder may be an older copy, for which the registry is too new. For several machines, the registry gives
  // the end of each of their chains.
  const heads = directory.length === 1 ? {} : { heads: await readRegistry(config) }
  return { directory, ...heads, ...(await askKeeper(invocation, config)).key }
}

/** Refuses folders that contain the same chain: those of two machines without names, or a trail and its copy. */
async function refuseTwice(directories: readonly string[]): Promise<void> {
  const found = new Map<string, string>()
  for (const directory of directories) {
    refuseWithoutTrail(directory)
    for (const chain of (await listSegments(directory)).keys()) {
      const before = found.get(chain)
      if (before !== undefined)
        throw new UsageError(`The chain ${chain} is in ${before} and in ${directory}: verify them one after the other.`)
      found.set(chain, directory)
    }
  }
}

export const missingFolder = (directory: string): UsageError =>
  new UsageError(`${directory} does not exist: name the folder of the trail with --directory.`)

/**
 * Refuses a folder without any file of a trail: a verification would report that nothing was changed.
 * @throws UsageError
 */
export function refuseWithoutTrail(directory: string): void {
  if (!existsSync(directory)) throw missingFolder(directory)
  if (!statSync(directory).isDirectory() || !readdirSync(directory).some((name) => ofTrail.test(name)))
    throw new UsageError(`${directory} holds no audit trail: name the folder of the trail with --directory.`)
}

// The chains, the public keys, and the manifests of what was archived.
const ofTrail = /\.jsonl$|^audit-public.*\.pem$/

// Read before the trail: a trail that is being written is then never behind these heads.
const readRegistry = (config: Config) => withStore(config, (store) => createAuditHeads(store).read())

/** The time of the latest archived record plus one millisecond; 0 if there is none. */
export async function archivedUntil({ directory, publicKey }: VerificationInput): Promise<number> {
  const times = [0]
  for (const one of directory) {
    const verifier = createSealVerifier({ publicKey, successions: await readSuccessions(one) })
    for (const { until } of (await readArchived(one, verifier)).values()) times.push(until + 1)
  }
  return Math.max(...times)
}

/** The key only, for verifying bundles without a trail. */
export async function keyFor({ publicKey }: GivenTrail, invocation: Invocation): Promise<Key> {
  if (publicKey !== undefined)
    return { publicKey: await readPublicKeyFile(invocation.terminal, publicKey), keySource: publicKey }
  return (await askKeeper(invocation, loadConfig(invocation.config))).key
}

type Key = Pick<VerificationInput, 'publicKey' | 'keySource'>

/** The appliance's own trail with the heads from the database. The key is from the token if a host is running. */
export async function applianceTrail(invocation: Invocation, config: Config, key?: Key): Promise<VerificationInput> {
  const heads = await readRegistry(config)
  const { directory, machine = '', witness } = config.audit
  const chains = [...heads.keys(), ...(existsSync(directory) ? (await listSegments(directory)).keys() : [])]
  const keeper = await askKeeper(invocation, config, chains, key)
  const hasSigned = async (chain: string): Promise<boolean> =>
    (await askKeeper(invocation, config, [chain], keeper.key)).signed.has(chain)
  const own = { name: machine, id: keeper.id, signed: keeper.signed, hasSigned }
  return { directory: [directory], heads, own, ...keeper.key, witnessCa: witness?.timestamp?.ca }
}

/** The keeper's knowledge of the trail. If it does not answer, only the key from the folder of the trail. */
interface KeeperWord {
  readonly key: Key
  readonly id: string | undefined
  readonly signed: ReadonlyMap<string, number>
}

async function askKeeper(
  invocation: Invocation,
  config: Config,
  chains: readonly string[] = [],
  given?: Key,
): Promise<KeeperWord> {
  if (await isAnyServed(config.hsm.sockets)) {
    const access = await reachToken(invocation, config)
    try {
      const { publicKey } = await access.hsm.auditKeys()
      const { machine: id } = await access.hsm.floorNews()
      return {
        key: given ?? { publicKey, keySource: 'from the token' },
        id,
        signed: await signedBy(access.hsm, chains),
      }
    } catch (error) {
      if (!(error instanceof Fault)) throw error
    } finally {
      await access.close()
    }
  }
  return { key: given ?? (await keyBeside(config.audit)), id: undefined, signed: new Map() }
}

async function signedBy(hsm: Pick<Hsm, 'lastAuditEnd'>, chains: readonly string[]): Promise<Map<string, number>> {
  const signed = new Map<string, number>()
  for (const chain of new Set(chains)) {
    const last = await hsm.lastAuditEnd(chain)
    const seq = last && parseStatement(last.text)?.covers.seq
    if (seq !== undefined) signed.set(chain, seq)
  }
  return signed
}

async function keyBeside({ directory }: Config['audit']): Promise<Key> {
  const publicKey = existsSync(directory) ? await readPublicKey(directory) : undefined
  if (publicKey === undefined)
    throw new UsageError(
      `There is no public key in ${directory} and the token does not answer: give --public-key FILE.`,
    )
  return { publicKey, keySource: 'beside the trail (the token does not answer)' }
}
