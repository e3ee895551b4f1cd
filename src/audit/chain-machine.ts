import type { SealedHead, SealVerifier } from './seal.ts'
import { isGenuine, parseSeal } from './seal.ts'

/** What the verifier knows of the machine that it runs on. */
export interface OwnMachine {
  /** `audit.machine`; empty for the machine without a name. */
  readonly name: string
  /** Its keeper's: see `SealStatement`. Undefined while the keeper does not answer. */
  readonly id?: string | undefined
  /** The last record of each chain that its keeper has signed: of chains of this machine alone. */
  readonly signed: ReadonlyMap<string, number>
  /** Asks the keeper of a chain that only seals or a witness name: an attacker removed its files, or it was never here. */
  readonly hasSigned?: (chain: string) => Promise<boolean>
}

/** A machine whose trail was not given to the verifier. */
export interface AbsentMachine {
  /** Empty for the machine without a name. */
  readonly machine: string
  readonly chains: readonly string[]
}

const chainShape = /^(?:([a-z][a-z0-9]{0,15})-)?(?:worker-\d+|console)$/

/** The name of the machine before that of the process; the keeper signs both with each end of the chain. */
export function machineOf(chain: string): string {
  return chainShape.exec(chain)?.[1] ?? ''
}

export interface PresenceOptions {
  /** Chains that files or archives are left of. */
  readonly chains: Iterable<string>
  readonly own: OwnMachine | undefined
  readonly heads: ReadonlyMap<string, SealedHead>
  readonly verifiers: readonly SealVerifier[]
  /** Take no machine for another: the trails of all were given. */
  readonly isAll: boolean
}

/** Tells the chains of the machines whose trails are read from those of others. */
export interface Presence {
  /** Hears which machine a genuine seal of the trail is of. */
  see(machine: string | undefined): void
  /** Has the keeper asked of those chains that nothing else shows to be of a machine that is here. */
  ask(chains: Iterable<string>): Promise<void>
  /** Whether a chain without files is missing; else it is another machine's. */
  readonly isExpected: (chain: string) => boolean
  /** Whether the registry's head of a chain that is here is of another machine, which wrote under the same name. */
  isOfAnother(chain: string, head: SealedHead): boolean
}

/**
 * A chain is of a machine that is here if any of these says so: its name, the machine in its last seal, the keeper of
 * this machine that signed it, a key of the trail that ended with it. So an attacker who removed it would have to change all
 * of them, and the first three are under the keeper's signature or in its file.
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
    // Of a folder without any chain nothing says whose it is.
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

/** The machine that a seal of the registry names. */
export function signerOf({ line }: SealedHead): string | undefined {
  return parseSeal(line)?.statement.machine
}
