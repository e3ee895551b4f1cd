import { Fault } from '../../fault.ts'
import type { KeyReference, SealedRecord } from '../hsm.ts'
import { tokenObjectKek } from '../key-kind.ts'
import type { OuterWrapping } from '../made-key.ts'
import type { FloorCheck } from '../record-generation.ts'
import type { OpenedRecord } from '../record-layouts.ts'
import { TokenFailure } from './failure.ts'
import { type KeyRow, type SecretKeyRow, unwrapMechanism } from './key-kinds.ts'
import { privateTemplate, unwrappedTemplate } from './key-templates.ts'
import { removeOuterWrapping } from './outer-wrapping.ts'
import type { KeyHandle, Pkcs11Session } from './pkcs11-session.ts'
import { verifyingTemplate } from './public-keys.ts'
import { createRecentMap } from '../../recent-map.ts'
import type { RootKeys } from './root-keys.ts'
import type { OpenRecord, SealCheck } from './seal-check.ts'
import { findTokenObject, tokenObjectLabelOf } from './token-objects.ts'

/** One half of a key pair. Secret keys count as `private`. */
export type Half = 'private' | 'public'

export interface HeldKey {
  readonly record: Buffer
  readonly handle: KeyHandle
  readonly row: KeyRow
  readonly whole: OpenedRecord
  /** An object of the token, which eviction from the cache does not destroy. */
  readonly isTokenObject: boolean
  /** The value of `RootKeys.sealsGone` when the seal of the record was verified. */
  readonly sealsGone: number
}

/**
 * Cache of the most recently used unwrapped keys. A record that is equal in every byte to a known one finds its key
 * there.
 */
export interface HeldKeys {
  hold(reference: KeyReference, serves: KeyRow['serves'], half?: Half): HeldKey
  /** Runs `work`, and drops the key from the cache when its handle has become invalid. */
  forgetting<T>(key: SealedRecord, half: Half, work: () => T): T
  /** Calls `work` with the key of a vault, for the outer wrapping of keys of that vault. */
  useVaultKey<T>(of: Pick<OuterWrapping, 'vault' | 'vaultKey'>, work: (key: KeyHandle, row: SecretKeyRow) => T): T
  /**
   * Returns the record with the inner wrapping instead of the outer one, where the key of its vault wraps the key too.
   */
  inner(opened: OpenRecord, vaultKey: SealedRecord | undefined): OpenRecord
  /** Releases the keys of these vaults. */
  dropVaults(vaults: readonly Buffer[]): void
  /** Releases the less recently used half. */
  shrink(): void
  count(): number
}

export interface HeldKeysOptions {
  readonly limit: number
  /** The session that owns the unwrapped keys, which end with it. */
  readonly keySession: Pkcs11Session
  readonly operation: () => Pkcs11Session
  readonly roots: RootKeys
  readonly mechanisms: ReadonlySet<number>
  readonly openKey: SealCheck['openKey']
  readonly floors?: FloorCheck | undefined
}

export function createHeldKeys(on: HeldKeysOptions): HeldKeys {
  const { limit, keySession, openKey } = on
  const keys = createRecentMap<HeldKey>({ limit, dispose: (held) => release(keySession, held) })
  const unwrapping = createUnwrapping(on)

  const held: HeldKeys = {
    hold({ key, vaultKey }, serves, half = 'private') {
      const name = nameOf(key, half)
      const known = keys.get(name)
      const { sealsGone } = on.roots
      if (known?.sealsGone === sealsGone && known.record.equals(key.record)) return known
      const opened = openKey(key)
      if (opened.row.serves !== serves) throw wrongKind()
      // Before any request to the token: the object may be gone if this row is outdated.
      on.floors?.check(opened.whole)
      const isTokenObject = tokenObjectLabelOf(opened.kek) !== undefined && half === 'private'
      const handle = half === 'public' ? unwrapping.publicHalf(opened) : unwrapping.unwrap(held.inner(opened, vaultKey))
      // A copy, because the frame with the record is zeroed after the reply.
      const { row, whole } = opened
      const fresh = { record: Buffer.from(key.record), handle, row, whole, isTokenObject, sealsGone }
      keys.set(name, fresh)
      return fresh
    },

    forgetting(key, half, work) {
      try {
        return work()
      } catch (error) {
        if (error instanceof TokenFailure && error.remedy === 'handle') keys.delete(nameOf(key, half))
        throw error
      }
    },

    useVaultKey({ vault, vaultKey }, work) {
      const { handle, row, whole } = held.hold({ key: vaultKey }, 'encrypt')
      const isOfVault = whole.type === 'vault key 2' && whole.fields.vault.equals(vault)
      if (row.serves === 'sign' || !isOfVault)
        throw new Fault('hsm.rejected', 'This is not the key of the vault that the key belongs to.')
      on.floors?.check(whole)
      return held.forgetting(vaultKey, 'private', () => work(handle, row))
    },

    inner(opened, vaultKey) {
      const { whole, kek, blob } = opened
      if (whole.type !== 'transparent key version 2' || kek === tokenObjectKek) return opened
      const connection = { session: on.operation(), keys: held }
      return { ...opened, blob: removeOuterWrapping(connection, vaultKey, 'key version', { ...whole.fields, blob }) }
    },

    dropVaults(vaults) {
      const deleted = new Set(vaults.map((vault) => vault.toString('latin1')))
      keys.dropWhere(({ whole: { fields } }) => {
        const vault = 'vault' in fields ? fields.vault : null
        return Buffer.isBuffer(vault) && deleted.has(vault.toString('latin1'))
      })
    },

    shrink() {
      for (let surplus = Math.ceil(keys.size() / 2); surplus > 0; surplus--) keys.dropOldest()
    },
    count: () => keys.size(),
  }
  return held
}

/** Creates the key of a record in the token. */
function createUnwrapping({
  keySession,
  roots,
  mechanisms,
}: Pick<HeldKeysOptions, 'keySession' | 'roots' | 'mechanisms'>) {
  return {
    unwrap({ row, kek, blob }: OpenRecord): KeyHandle {
      const label = tokenObjectLabelOf(kek)
      if (label !== undefined) return findTokenObject(keySession, label, blob, row)
      const template = row.serves === 'sign' ? privateTemplate(row, false) : unwrappedTemplate(row)
      return keySession.unwrap(unwrapMechanism(row, mechanisms), roots.kek(kek), blob, template)
    },

    publicHalf({ row, publicKey }: OpenRecord): KeyHandle {
      if (row.serves !== 'sign' || publicKey === undefined) throw wrongKind()
      return keySession.create(verifyingTemplate(row, publicKey))
    },
  }
}

function nameOf({ seal }: SealedRecord, half: Half): string {
  const name = seal.toString('latin1')
  return half === 'public' ? `public ${name}` : name
}

export function wrongKind(): Fault {
  return new Fault('hsm.rejected', 'A key of another kind does not serve here.')
}

// An invalid handle means that the object is gone already. A failure of the token shows at the next operation.
function release(keySession: Pkcs11Session, { handle, isTokenObject }: HeldKey): void {
  if (isTokenObject) return
  try {
    keySession.destroy(handle)
  } catch (error) {
    if (!(error instanceof TokenFailure)) throw error
  }
}
