import { existsSync } from 'node:fs'
import { machineOf, signerOf } from '../audit/chain-machine.ts'
import type { AuditHeads } from '../audit/records.ts'
import { createSealVerifier, isGenuine, type SealedHead } from '../audit/seal.ts'
import { listSegments } from '../audit/segment.ts'
import type { Config } from '../config/schema.ts'
import { Fault } from '../fault.ts'
import { parseStatement, type SignedEnd } from '../hsm/audit-end.ts'
import type { Hsm } from '../hsm/hsm.ts'

type Keeper = Pick<Hsm, 'auditKeys' | 'floorNews' | 'lastAuditEnd'>

/**
 * Two machines on one database must not write chains of one name: each would miss in its own trail what the other has
 * sealed. A machine without a name is refused where another one was there first; one that was alone stays.
 * @throws Fault `audit.unavailable`; `hsm.unavailable` where the keeper would have to say whether a chain is its own
 */
export async function checkMachineName({ audit, store }: Config, heads: AuditHeads, keeper: Keeper): Promise<void> {
  // Machines that share a database file do not exist.
  if (store.postgresUrlFile === undefined) return
  const { directory, machine = '' } = audit
  const registered = await heads.read()
  const sameName = [...registered].filter(([chain]) => machineOf(chain) === machine)
  if (registered.size === 0 || (machine !== '' && sameName.length === 0)) return

  const here = existsSync(directory) ? [...(await listSegments(directory)).keys()] : []
  const isUsed = here.some((chain) => machineOf(chain) === machine)
  const own = await ownEnds(keeper, sameName).catch((error: unknown) => {
    // Whose chains they are is asked again at the next start.
    if (isUsed) return undefined
    throw error
  })
  if (own === undefined) return
  const isNew = !isUsed && own.ends.every(({ last }) => last === undefined)
  if (isNew || own.ends.some((end) => isOfAnother(end, own))) throw refused(machine)
}

interface OwnEnds {
  readonly id: string
  readonly verifier: ReturnType<typeof createSealVerifier>
  readonly ends: readonly { readonly chain: string; readonly head: SealedHead; readonly last: SignedEnd | undefined }[]
}

async function ownEnds(keeper: Keeper, heads: readonly [string, SealedHead][]): Promise<OwnEnds> {
  const ends = await Promise.all(
    heads.map(async ([chain, head]) => ({ chain, head, last: await keeper.lastAuditEnd(chain) })),
  )
  const verifier = createSealVerifier(await keeper.auditKeys())
  return { id: (await keeper.floorNews()).machine, verifier, ends }
}

/** Whether the keeper of another machine signed further than ours; who may only write to the database cannot say so. */
function isOfAnother({ chain, head, last }: OwnEnds['ends'][number], { id, verifier }: OwnEnds): boolean {
  const lastSeq = last === undefined ? undefined : parseStatement(last.text)?.covers.seq
  const signer = signerOf(head)
  if (lastSeq === undefined || signer === undefined || signer === id) return false
  return head.seq > lastSeq && isGenuine(chain, head, verifier)
}

const refused = (machine: string): Fault =>
  new Fault(
    'audit.unavailable',
    machine === ''
      ? 'Another machine uses this database: give this one a name of its own in audit.machine, for example "audit": {"machine": "second"}.'
      : `Another machine that uses this database has the name ${machine}, too: give this one another name in audit.machine.`,
  )
