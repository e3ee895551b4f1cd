import { randomBytes } from 'node:crypto'
import type { Granted } from '../../access/caller.ts'
import type { Clock } from '../../clock.ts'
import { Fault, isFault } from '../../fault.ts'
import type { Hsm, SealedRecord } from '../../hsm/hsm.ts'
import { importJobKind, importJobMs } from '../../hsm/import-limits.ts'
import { importJobPurpose } from '../../hsm/provenance.ts'
import { composeRecord } from '../../hsm/record-layouts.ts'
import type { Commit, Store, Tx } from '../../store/store.ts'
import { lockPresentVault } from '../vaults/records.ts'
import { deleteJobsBefore, findJob, insertJob, useUpJob, type ImportJob } from './import-job-records.ts'
import type { SealedVaultKeys } from './sealed-vault-keys.ts'
import { newKeyRow, type NewKey } from './key-policy.ts'
import { keyTypeOf } from './key-type.ts'
import type { Keyring } from './keyring.ts'
import type { TransparentKey } from './records.ts'
import { toDer } from './signatures.ts'
import { type SealedKey, sealedPolicy, mapBrokenSeal } from './sealing.ts'

/** An import: its job and the wrapped key. Everything else is fixed by the job. */
export interface Import extends Pick<ImportJob, 'vaultId' | 'name'> {
  /** Undefined where the caller named none. */
  readonly job: string | undefined
  /** The key, wrapped to the public key of the job. */
  readonly wrapped: Buffer
  readonly publicKey: Buffer | undefined
}

/** A job, with the proof that its public key is the appliance's. */
export interface NewImportJob extends ImportJob {
  /** What the job says (`hsm/import-job-statement.ts`). */
  readonly statement: string
  /** Of the statement: ECDSA over SHA-256, DER. */
  readonly signature: Buffer
  /** The appliance's audit key, DER SubjectPublicKeyInfo. */
  readonly signer: Buffer
}

/**
 * Import of keys. A job fixes the properties of the future key and has a key pair that serves one import only, so that
 * a wrapped key is of no use to anyone who intercepts it.
 */
export interface ImportJobs {
  /** @throws Fault `key.residency`, `key.flag_off`, `hsm.unavailable` */
  create(by: Granted, key: NewKey, commit: Commit): Promise<NewImportJob>
  /**
   * Imports a key as version 1 of a new key, and uses the job up.
   * @throws Fault `import.no_job`, `import.invalid`, `key.exists`, `key.tampered`
   */
  importKey(by: Granted, brought: Import, commit: Commit): Promise<TransparentKey>
  /** Deletes expired jobs; resolves to how many. */
  sweep(): Promise<number>
}

const idBytes = 16

export function createImportJobs(dependencies: {
  readonly store: Pick<Store, 'read' | 'transaction'>
  readonly hsm: Pick<Hsm, 'generatePair' | 'importKey' | 'seal' | 'signImportJob'>
  readonly keyring: Pick<Keyring, 'createImported'>
  readonly vaultKeys: Pick<SealedVaultKeys, 'of'>
  readonly clock: Clock
}): ImportJobs {
  const { store, hsm, keyring, vaultKeys, clock } = dependencies
  return {
    async create(by, key, commit) {
      if (key.residency === 'token')
        throw new Fault('key.residency', 'A key that was made elsewhere cannot reside in the token.')
      const now = clock.now()
      const row = newKeyRow(key, now)
      const { vault } = await vaultKeys.of(row.vaultId)
      const { kek, blob, publicKey, provenance } = await hsm.generatePair(importJobKind, importJobPurpose)
      const unsealed: Omit<ImportJob, 'seal'> = {
        id: randomBytes(idBytes).toString('hex'),
        vaultId: row.vaultId,
        name: row.name,
        type: row.type,
        info: row.info,
        allowExport: row.allowExport,
        allowPlaintextExport: row.allowPlaintextExport,
        allowBackup: row.allowBackup,
        allowDelete: row.allowDelete,
        autoRotatePeriodMs: row.autoRotatePeriodMs,
        kek,
        blob,
        publicKey,
        createdAt: now,
        expiresAt: now + importJobMs,
      }
      const job = {
        ...unsealed,
        seal: await hsm.seal(jobRecord(unsealed, vault), { provenance, grant: await by.grant() }),
      }
      const { text, signature, signer } = await hsm.signImportJob(sealedJob(job, vault))
      await commit(async (tx) => {
        await lockPresentVault(tx, job.vaultId)
        await insertJob(tx, job)
      })
      return { ...job, statement: text, signature: toDer(signature), signer }
    },

    async importKey(by, { vaultId, name, job: id, wrapped, publicKey }, commit) {
      const job = id === undefined ? null : await findJob(store.read, { id, vaultId, name })
      if (job === null || job.expiresAt <= clock.now()) throw new Fault('import.no_job')
      const { vault, vaultKey } = await vaultKeys.of(vaultId)
      const material = {
        make(row: SealedKey) {
          const to = { policy: sealedPolicy(row), vaultKey }
          return mapBrokenSeal(() => hsm.importKey(sealedJob(job, vault), wrapped, to, publicKey)).catch(refused)
        },
        async useUp(tx: Tx) {
          if (!(await useUpJob(tx, job.id))) throw new Fault('import.no_job')
        },
      }
      const { stored } = await keyring.createImported(by, keyOf(job), material, commit)
      return stored.key
    },

    sweep: () => store.transaction((tx) => deleteJobsBefore(tx, clock.now())),
  }
}

function keyOf(job: ImportJob): NewKey {
  return {
    vaultId: job.vaultId,
    name: job.name,
    type: keyTypeOf(job.type),
    info: job.info,
    residency: 'database',
    allowExport: job.allowExport === 1,
    allowPlaintextExport: job.allowPlaintextExport === 1,
    allowBackup: job.allowBackup === 1,
    allowDelete: job.allowDelete === 1,
    autoRotatePeriodMs: job.autoRotatePeriodMs,
  }
}

/** The record that the seal covers: every column but the seal, and the kind of key that the token will accept. */
export const jobRecord = (job: Omit<ImportJob, 'seal'>, vault: Buffer): Buffer =>
  composeRecord('import job', { ...job, vault, kind: keyTypeOf(job.type).kind })

const sealedJob = (job: ImportJob, vault: Buffer): SealedRecord => ({
  record: jobRecord(job, vault),
  seal: job.seal,
})

function refused(error: unknown): never {
  throw isFault(error, 'hsm.rejected') ? new Fault('import.invalid', error.detail) : error
}
