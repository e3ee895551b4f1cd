import type { Permission } from '../../access/permission.ts'
import { findKeyType } from '../../features/transparent/key-type.ts'
import { rangeOf } from '../root-keys/kek-records.ts'
import { firstKept, needsRotation, type UnmovableKey } from './unmovable-keys.ts'

/** A call that the owner of a key makes, once or for each ciphertext, HMAC or signature. */
export interface Step {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** The path below `/api/1.0`. */
  readonly path: string
  readonly body?: Readonly<Record<string, unknown>>
  readonly permission: Permission
  readonly why: string
}

/** The calls, in order, after which nothing needed depends on versions that stay behind. */
export function stepsOf(one: UnmovableKey): Step[] {
  if (one.key.isDeleted)
    return [
      {
        method: 'POST',
        path: keyPath(one, '/undelete'),
        permission: 'Admin',
        why: 'only where the deleted key is needed after all: then make the plan again',
      },
    ]
  return one.below === undefined ? succeed(one) : renew(one)
}

type UseOfKey = 'encrypt' | 'hmac' | 'sign'

function useOf({ key }: UnmovableKey): UseOfKey {
  const type = findKeyType(key.type)
  if (type?.mac === true) return 'hmac'
  return type?.signature === undefined ? 'encrypt' : 'sign'
}

const keyPath = ({ key }: UnmovableKey, more = '', name = key.name): string =>
  `/transparent/${key.vaultId}/keys/${name}${more}`
const usePath = ({ key }: UnmovableKey, verb: string, name = key.name): string =>
  `/transparent/${key.vaultId}/${verb}/${name}`

const ciphertext = 'service:v…'
const input = 'base64'

/** Makes a new, movable version of the same key, and moves its uses to that version. */
function renew(one: UnmovableKey): Step[] {
  const { key, versions } = one
  const first = firstKept(one)
  const rotation: Step = {
    method: 'POST',
    path: keyPath(one, '/rotate'),
    body: {},
    permission: 'Write',
    why: `makes version ${first}`,
  }
  return [
    ...(needsRotation(one) ? [rotation] : []),
    ...renewUses(one, useOf(one)),
    {
      method: 'PUT',
      path: keyPath(one),
      body: {
        min_encryption_version: Math.max(first, key.minEncryptionVersion),
        min_decryption_version: Math.max(first, key.minDecryptionVersion),
      },
      permission: 'Write',
      why: 'refuses what was forgotten, and destroys nothing yet: lower them to make good for it',
    },
    {
      method: 'POST',
      path: keyPath(one, '/trim'),
      body: { min_available_version: first },
      permission: 'Admin',
      why: `destroys version ${rangeOf(versions)} for good`,
    },
  ]
}

function renewUses(one: UnmovableKey, use: UseOfKey): Step[] {
  const version = rangeOf(one.versions)
  switch (use) {
    case 'encrypt':
      return [
        {
          method: 'POST',
          path: `/transparent/rewrap/${one.key.vaultId}/${one.key.name}`,
          body: { batch_input: [{ ciphertext }] },
          permission: 'Read',
          why: `each ciphertext and data key of version ${version}, with the aad that it has`,
        },
      ]
    case 'hmac':
      return [makeAgain(one, use, `for each HMAC of version ${version}, once /verify has found it good`)]
    case 'sign':
      return [publicHalf(one), makeAgain(one, use, `where the appliance is to verify what version ${version} signed`)]
    default:
      return use satisfies never
  }
}

/** Replaces a key with residency `token` by a new key, because none of its versions can ever leave the token. */
function succeed(one: UnmovableKey): Step[] {
  const { key } = one
  const name = successor(key.name)
  const use = useOf(one)
  const deletable: Step = {
    method: 'PUT',
    path: keyPath(one),
    body: { allow_delete: true },
    permission: 'Write',
    why: 'lets the key be deleted',
  }
  return [
    {
      method: 'POST',
      path: keyPath(one, '', name),
      body: { type: key.type, residency: 'database' },
      permission: 'Write',
      why: 'makes a key that may leave, by this name or another; take the flags of the old one',
    },
    ...usesOfSuccessor(one, use, name),
    ...(key.allowDelete ? [] : [deletable]),
    {
      method: 'DELETE',
      path: keyPath(one),
      permission: 'Admin',
      why: `once the application uses ${name}; an Admin can take it back for a while`,
    },
  ]
}

function usesOfSuccessor(one: UnmovableKey, use: UseOfKey, name: string): Step[] {
  switch (use) {
    case 'encrypt':
      return [
        {
          method: 'POST',
          path: usePath(one, 'decrypt'),
          body: { batch_input: [{ ciphertext }] },
          permission: 'Read',
          why: 'each ciphertext and data key, with the aad that it has',
        },
        {
          method: 'POST',
          path: usePath(one, 'encrypt', name),
          body: { batch_input: [{ plaintext: input }] },
          permission: 'Read',
          why: 'what came out, with the same aad, in place of the old ciphertext',
        },
      ]
    case 'hmac':
      return [makeAgain(one, use, 'for each HMAC, once /verify has found it good', name)]
    case 'sign':
      return [
        publicHalf(one, name),
        makeAgain(one, use, 'where the appliance is to verify what the old one signed', name),
      ]
    default:
      return use satisfies never
  }
}

const makeAgain = (one: UnmovableKey, use: UseOfKey, why: string, name = one.key.name): Step => ({
  method: 'POST',
  path: usePath(one, use, name),
  body: { input },
  permission: 'Read',
  why,
})

const publicHalf = (one: UnmovableKey, name = one.key.name): Step => ({
  method: 'GET',
  path: keyPath(one, '', name),
  permission: 'Read',
  why: 'the public half, for all who verify; they keep the old one for old signatures',
})

/** The name of the new key; names have at most 128 characters. */
const successor = (name: string): string => `${name.slice(0, 122)}.moved`
