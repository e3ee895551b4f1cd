import type { SealedHead, SealVerifier } from './seal.ts'
import { isGenuine, parseSeal } from './seal.ts'

/** The verifier's knowledge of the machine that it runs on. */
export interface OwnMachine {
  /** `audit.machine`; empty for the machine without a name. */
  readonly name: string
  /** The id of its keeper (see `SealStatement`); undefined while the keeper does not answer. */
  readonly id?: string | undefined
  /** The last record that its keeper has signed, of each chain of this machine. */
  readonly signed: ReadonlyMap<string, number>
  /** Asks the keeper whether it has signed a chain that has no files here. If so, its files were removed. */
  readonly hasSigned?: (chain: string) => Promise<boolean>
}

/** A machine whose trail the verifier did not get. */
export interface AbsentMachine {
  /** Empty for the machine without a name. */
  readonly machine: string
  readonly chains: readonly string[]
}

const chainShape = /^(?:([a-z][a-z0-9]{0,15})-)?(?:worker-\d+|console)$/

/**
 * The machine's name, which precedes that of the process in a chain's name. The keeper signs both with each end of a
 * chain.
 */
export function machineOf(chain: string): string {
  return chainShape.exec(chain)?.[1] ?? ''
}

export interface PresenceOptions {
  /** Chains with files or archives. */
  readonly chains: Iterable<string>
  readonly own: OwnMachine | undefined
  readonly heads: ReadonlyMap<string, SealedHead>
  readonly verifiers: readonly SealVerifier[]
  /** Whether the trails of all machines were given, so that no chain can be of an absent machine. */
  readonly isAll: boolean
}

/** Decides whether a chain belongs to a machine whose trail is read, or to an absent machine. */
export interface Presence {
  /** Notes the machine that a genuine seal of the trail names. */
  see(machine: string | undefined): void
  /** Asks the keeper about the chains that are not yet expected here. */
  ask(chains: Iterable<string>): Promise<void>
  /** Whether a chain without files is missing here. Otherwise it belongs to an absent machine. */
  readonly isExpected: (chain: string) => boolean
  /** Whether another machine, which used the same chain name, signed the registry's head of a chain that is here. */
  isOfAnother(chain: string, head: SealedHead): boolean
}

/**
 * A chain belongs to a machine that is here if any of these says so: its name, the machine in its last seal, the keeper
 * of this machine, or an audit key that ended with it. An attacker who removes the chain must change all of them; the
 * first three are signed by the keeper or are in its file.
 */
export function createPresence({ chains, own, heads, verifiers, isAll }: PresenceOptions): Presence {
  const names = new Set([...chains].map(machineOf))
  if (own !== undefined) names.add(own.name)
  const ids = new Set(own?.id === undefined ? [] : [own.id])
  const ended = new Set(verifiers.flatMap(({ ends }) => ends.map(([chain]) => chain)))
  const genuine = [...heads].filter(([chain, head]) => verifiers.some((one) => isGenuine(chain, head, one)))
  const signers = new Map(genuine.map(([chain, head]) => [chain, signerOf(head)]))
  const signed = new Set(own?.signed.keys())

  function isExpected(chain: string): boolean {
    // An empty folder does not show which machine it belongs to.
    if (isAll || names.size === 0 || names.has(machineOf(chain)) || ended.has(chain) || signed.has(chain)) return true
    const signer = signers.get(chain)
    return signer !== undefined && ids.has(signer)
  }

  return {
    see(machine) {
      if (machine !== undefined) ids.add(machine)
    },
    async ask(named) {
      for (const chain of new Set(named))
        if (!isExpected(chain) && (await own?.hasSigned?.(chain)) === true) signed.add(chain)
    },
    isExpected,
    isOfAnother(chain, head) {
      const last = own?.signed.get(chain)
      const signer = signers.get(chain)
      return last !== undefined && head.seq > last && (signer === undefined || signer !== own?.id)
    },
  }
}

/** The id of the machine in the seal of a registry head. */
export function signerOf({ line }: SealedHead): string | undefined {
  return parseSeal(line)?.statement.machine
}
