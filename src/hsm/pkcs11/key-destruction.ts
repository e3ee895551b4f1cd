import { Fault } from '../../fault.ts'
import { tokenObjectKek, vaultKek } from '../key-kind.ts'
import type { OpenedRecord } from '../record-layouts.ts'
import type { SealedRecord } from '../sealed-record.ts'
import { withDirectorySync } from './directory-sync.ts'
import { openSealed } from './seal-check.ts'
import type { Token } from './token-link.ts'
import { findObjects, ObjectMissing, tokenObjectLabelOf } from './token-objects.ts'

/** An object in the token, as sealed records identify it. */
interface NamedObject {
  readonly kek: string
  readonly blob: Buffer
}

/**
 * Destroys the object in the token that a sealed record of a key names. The sealed mark must say that the key has
 * ended, and the keeper must know the mark, because other hosts may still hold a handle: they then refuse the key. An
 * object that does not exist is no error.
 * @throws Fault `hsm.seal_broken`, `hsm.rejected`
 */
export function destroyObject(
  token: Token,
  { key, mark }: { readonly key: SealedRecord; readonly mark: SealedRecord },
  tokenDirectory: string | undefined,
): void {
  const [held, end] = token.run(({ keys }) =>
    [key, mark].map((sealed) => {
      keys.verify(sealed)
      return openSealed(Buffer.from(sealed.record))
    }),
  )
  const named = held && end && endedObject(held, end)
  const label = named && tokenObjectLabelOf(named.kek)
  if (named === undefined || label === undefined)
    throw new Fault('hsm.rejected', 'Only a key that a sealed record says has ended is destroyed.')
  withDirectorySync(tokenDirectory, () => {
    try {
      token.run(({ session, keys }) => {
        if (end !== undefined) keys.checkKnown(end)
        const found = findObjects(session, label, named.blob)
        if (found.length === 0) throw new ObjectMissing(named.blob)
        for (const handle of found) session.destroy(handle)
      })
      token.noteGone(named.blob.toString('hex'))
    } catch (error) {
      if (!(error instanceof ObjectMissing)) throw error
    }
  })
}

/** The object to destroy; undefined unless the mark says that this key has ended. */
function endedObject({ type, key, fields }: OpenedRecord, mark: OpenedRecord): NamedObject | undefined {
  switch (type) {
    case 'unused key':
    case 'discarded key': {
      const isSame = mark.type === type && mark.fields.kek === fields.kek && mark.fields.blob.equals(fields.blob)
      const isInTime = mark.type !== 'discarded key' || mark.fields.expiresAt >= Date.now()
      return isSame && isInTime ? fields : undefined
    }
    case 'vault key 2':
      return key?.kek === vaultKek && mark.type === 'deleted vault' && mark.fields.vault.equals(fields.vault)
        ? key
        : undefined
    case 'transparent key version 2': {
      const isOfKey =
        (mark.type === 'destroyed key' || mark.type === 'transparent key 2') &&
        mark.fields.identity.equals(fields.identity) &&
        mark.fields.vault.equals(fields.vault)
      // A trimmed version never comes back: later policies of the key have the same oldest version or a newer one.
      const hasEnded = mark.type !== 'transparent key 2' || fields.version < mark.fields.oldestVersion
      return key?.kek === tokenObjectKek && isOfKey && hasEnded ? key : undefined
    }
    default:
      return undefined
  }
}
