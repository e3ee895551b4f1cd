import { Fault } from '../../fault.ts'
import type { Hsm } from '../../hsm/hsm.ts'
import { tokenObjectKek } from '../../hsm/key-kind.ts'
import type { Commit, Tx } from '../../store/store.ts'
import {
  findKeyById,
  findVersions,
  replaceKey,
  replaceVersion,
  type KeyVersion,
  type TransparentKey,
} from './records.ts'
import { checkPolicy, policyRecord, sealedVersion, trusting, versionRecord } from './sealing.ts'

/** Rows of keys, replaced under their seals: what was edited is never sealed anew, and of parallel changes one wins. */
export class KeyRows {
  readonly #hsm: Pick<Hsm, 'seal' | 'verify' | 'destroyTokenObject'>

  constructor(hsm: Pick<Hsm, 'seal' | 'verify' | 'destroyTokenObject'>) {
    this.#hsm = hsm
  }

  /** Replaces a key's row by what `step` makes of it as it is at that moment, sealed anew. */
  change(
    admitted: TransparentKey,
    commit: Commit,
    step: (current: TransparentKey, tx: Tx) => Promise<TransparentKey>,
    then: (tx: Tx, key: TransparentKey) => Promise<void> = () => Promise.resolve(),
  ): Promise<TransparentKey> {
    const hsm = this.#hsm
    return commit(async (tx) => {
      const current = await findKeyById(tx, admitted.id)
      if (current === null) throw new Fault('key.not_found')
      // A new seal over an edited row would make the edit good.
      await checkPolicy(hsm, current)
      const next = await step(current, tx)
      const sealed = { ...next, seal: await hsm.seal(policyRecord(next)) }
      if (!(await replaceKey(tx, current, sealed))) throw new Fault('store.conflict')
      await then(tx, sealed)
      return sealed
    })
  }

  async replaceVersion(tx: Tx, key: TransparentKey, from: KeyVersion, change: Partial<KeyVersion>): Promise<void> {
    const hsm = this.#hsm
    await trusting(() => hsm.verify(sealedVersion(key, from)))
    const { invocations: _, invocationsSeal: __, ...next } = { ...from, ...change }
    const sealed = { ...next, seal: await hsm.seal(versionRecord(key, next)) }
    if (!(await replaceVersion(tx, from, sealed))) throw new Fault('store.conflict')
  }

  /** Turning backup off destroys what a backup would be made of. */
  async forgetBackups(tx: Tx, key: TransparentKey): Promise<void> {
    for (const version of await findVersions(tx, key.id)) {
      await this.replaceVersion(tx, key, version, { backupKek: null, backupBlob: null })
    }
  }

  /** The rows are gone; what they named in the token follows. */
  async destroyMaterial(versions: readonly KeyVersion[]): Promise<void> {
    for (const { kek, blob } of versions)
      if (kek === tokenObjectKek) await this.#hsm.destroyTokenObject(blob.toString('hex'))
  }
}
