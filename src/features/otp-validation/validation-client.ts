import type { Clock } from '../../clock.ts'
import { Fault } from '../../fault.ts'
import type { Hsm, SealedRecord } from '../../hsm/hsm.ts'
import { validationClientPurpose } from '../../hsm/provenance.ts'
import { afterCommit } from '../../store/commit-work.ts'
import type { Commit, Store, Tx } from '../../store/store.ts'
import {
  clientKey,
  clientKeyKind,
  clientRecord,
  findClientByName,
  insertClient,
  listClients,
  sealClient,
  type ValidationClient,
} from './records.ts'

export interface ValidationClients {
  /**
   * Creates a client with a new API key (20 bytes in base64), which is shown in this result only and stored wrapped.
   * @throws Fault `user.invalid` for a malformed name, `store.conflict` for one that is or was in use
   */
  add(
    client: { readonly name: string; readonly allowUnsigned: boolean },
    commit: Commit,
  ): Promise<{ readonly id: number; readonly key: string }>
  list(): Promise<ValidationClient[]>
  /** Refuses the client's requests from the next one on. @throws Fault `apikey.not_found` */
  revoke(name: string, commit: Commit): Promise<void>
  /** Shows the keeper all revoked clients, including those revoked by another machine or an earlier release. */
  showRevoked(): Promise<void>
}

const keyBytes = 20

export function createValidationClients({
  store,
  hsm,
  clock,
}: {
  readonly store: Store
  readonly hsm: Pick<Hsm, 'random' | 'importSecret' | 'seal' | 'raise'>
  readonly clock: Clock
}): ValidationClients {
  /** Seals the record. The keeper learns of it with the commit. */
  async function seal(tx: Tx, client: ValidationClient, previous?: SealedRecord, provenance?: Buffer): Promise<void> {
    const sealed = { ...client, seal: await hsm.seal(clientRecord(client), { previous, provenance }) }
    await sealClient(tx, sealed)
    afterCommit(tx, () => hsm.raise([clientKey(sealed).key]))
  }

  async function newKey() {
    const secret = await hsm.random(keyBytes)
    try {
      const { provenance, ...wrapped } = await hsm.importSecret(clientKeyKind, secret, validationClientPurpose)
      return { key: secret.toString('base64'), wrapped, provenance }
    } finally {
      secret.fill(0)
    }
  }

  return {
    async add({ name, allowUnsigned }, commit) {
      if (!/^[\w. -]{1,64}$/.test(name))
        throw new Fault(
          'user.invalid',
          'The name of a validation client may hold 1 to 64 letters, digits, blanks and . _ - only.',
        )
      const { key, wrapped, provenance } = await newKey()
      const client = {
        name,
        allowUnsigned: allowUnsigned ? 1 : 0,
        ...wrapped,
        seal: Buffer.alloc(0),
        createdAt: clock.now(),
        revokedAt: null,
      }
      return commit(async (tx) => {
        const id = await insertClient(tx, client)
        await seal(tx, { ...client, id }, undefined, provenance)
        return { id, key }
      })
    },

    list: () => listClients(store.read),

    async revoke(name, commit) {
      await commit(async (tx) => {
        const client = await findClientByName(tx, name)
        if (client === null || client.revokedAt !== null)
          throw new Fault(
            'apikey.not_found',
            `There is no validation client ${name} that could be revoked: "strongroom validator client-list" shows those there are.`,
          )
        await seal(tx, { ...client, revokedAt: clock.now() }, clientKey(client).key)
      })
    },

    async showRevoked() {
      const clients = await listClients(store.read)
      await hsm.raise(clients.filter(({ revokedAt }) => revokedAt !== null).map((client) => clientKey(client).key))
    },
  }
}
