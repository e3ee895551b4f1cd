import { z } from 'zod'
import { endpoint, flag } from '../../../http/contract/endpoint.ts'
import { Fault } from '../../../fault.ts'
import { defaultKeyType, type KeyType } from '../key-type.ts'
import type { Keyring } from '../keyring.ts'
import type { NewKey } from '../key-policy.ts'
import { keyQuery } from '../records.ts'
import {
  info,
  keyNames,
  keyParams,
  keyTypeField,
  keyTypeNamed,
  namesOf,
  quotaOf,
  residencyWords,
  rotationPeriod,
} from './key-parameters.ts'

/** The flags of a new key where its creator gives none: settings of the appliance. */
export interface KeyDefaults {
  readonly allowExport: boolean
  readonly allowBackup: boolean
  readonly allowDelete: boolean
}

/** The members of every body that creates a key. */
export const newKeyMembers = (defaults: KeyDefaults) => ({
  type: keyTypeField.default(defaultKeyType),
  info: info.default(''),
  residency: z.enum(['database', 'token']).describe(residencyWords).default('database'),
  allow_export: flag.describe('Whether an Admin can export it, wrapped to a public key.').default(defaults.allowExport),
  allow_plaintext_export: flag.describe('Whether an Admin can export it in the open as well.').default(false),
  allow_backup: flag
    .describe('Whether it can be backed up. When absent as the appliance is set up, but not with residency `token`.')
    .optional(),
  allow_delete: flag.describe('Whether it can be deleted.').default(defaults.allowDelete),
  auto_rotate_period: rotationPeriod.default(0),
})

type NewKeyBody = z.output<z.ZodObject<ReturnType<typeof newKeyMembers>>>

/** @throws Fault `key.type_unknown` */
export function newKeyOf(
  { vaultId, name }: Pick<NewKey, 'vaultId' | 'name'>,
  body: NewKeyBody,
  defaults: KeyDefaults,
): NewKey {
  return {
    vaultId,
    name,
    type: keyTypeNamed(body.type),
    info: body.info,
    residency: body.residency,
    allowExport: body.allow_export,
    allowPlaintextExport: body.allow_plaintext_export,
    // The default applies only to keys in the database: a key in the token cannot be backed up.
    allowBackup: body.allow_backup ?? (body.residency === 'database' && defaults.allowBackup),
    allowDelete: body.allow_delete,
    autoRotatePeriodMs: body.auto_rotate_period * 1_000,
  }
}

/** A key as the first use of its name creates it. */
export function plainKey(
  { vaultId, name }: Pick<NewKey, 'vaultId' | 'name'>,
  type: KeyType,
  defaults: KeyDefaults,
): NewKey {
  return {
    vaultId,
    name,
    type,
    info: '',
    residency: 'database',
    allowPlaintextExport: false,
    autoRotatePeriodMs: 0,
    ...defaults,
  }
}

/** `POST /transparent/:vaultid/keys/:name` (spec: Create key). */
export const createKey = (keyring: Keyring, defaults: KeyDefaults) =>
  endpoint({
    operation: 'transparent.key.create',
    handler: 'EncryptionHandler',
    method: 'POST',
    path: '/transparent/:vaultid/keys/:name',
    summary: 'Create a key',
    details: 'The key is made in the token and never leaves it unwrapped, but where `allow_plaintext_export` says so.',
    access: { kind: 'vault', permission: 'Write', resource: keyQuery },
    success: 201,
    faults: ['key.exists', 'key.type_unknown', 'key.flag_off', 'key.residency', 'key.token_full', 'hsm.unsupported'],
    reply: { callinfo: z.object(keyNames) },
    params: keyParams,
    body: z.object(newKeyMembers(defaults)),
    quota: ({ body }) => quotaOf(body.type),
    async run({ params, body, vault, resource, commit }) {
      if (resource)
        throw new Fault(
          'key.exists',
          resource.key.deletedAt === null ? undefined : 'A deleted key of this name can still be taken back.',
        )
      const { key } = await keyring.create(
        vault,
        newKeyOf({ vaultId: vault.id, name: params.name }, body, defaults),
        commit,
      )
      return { callinfo: namesOf(key) }
    },
  })
