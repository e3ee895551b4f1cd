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
 * Refuses to start where another machine on this database has the same name, because each would find the other's seals
 * missing in its own trail. A machine without a name is refused if another one was there first.
 * @throws Fault `audit.unavailable`; `hsm.unavailable` where the keeper is needed to tell whether a chain is its own
 */
export async function checkMachineName({ audit, store }: Config, heads: AuditHeads, keeper: Keeper): Promise<void> {
  // SQLite: no other machine uses the database.
  if (store.postgresUrlFile === undefined) return
  const { directory, machine = '' } = audit
  const registered = await heads.read()
  const sameName = [...registered].filter(([chain]) => machineOf(chain) === machine)
  if (registered.size === 0 || (machine !== '' && sameName.length === 0)) return

  const here = existsSync(directory) ? [...(await listSegments(directory)).keys()] : []
  const isUsed = here.some((chain) => machineOf(chain) === machine)
  const own = await ownEnds(keeper, sameName).catch((error: unknown) => {
    // A failure is not final: the next start asks again.
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

/**
 * Whether a signed head is further than ours, so that the keeper of another machine has signed it. Write access to the
 * database is not enough to forge one.
 */
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
