import { useMemo, useState } from 'react'
import { ErrorMessage } from '../controls/error-message.tsx'
import type { SharedVault } from '../interface/calls.ts'
import { useWords } from '../words/language.tsx'
import type { Relocation } from './moving.ts'
import { RelocationDialog } from './relocation-dialog.tsx'
import { arrange, type Arranged, type Row } from './vault-contents.ts'
import { useContents } from './vault-reads.ts'

interface Props {
  readonly act: Relocation
  readonly objectid: string
  readonly vault: SharedVault
  readonly onClose: () => void
}

interface Begun {
  readonly vault: SharedVault
  readonly arranged: Arranged
  readonly row: Row
}

/** The dialog for one object. Appears when the vault's contents are loaded. */
export function ObjectRelocation({ act, objectid, vault, onClose }: Props) {
  const { locale } = useWords()
  const { data, error, refetch } = useContents(vault.id)
  const arranged = useMemo(() => data && arrange(data, locale), [data, locale])
  // The state at the opening: a moved object leaves this vault before the dialog closes.
  const [begun, setBegun] = useState<Begun>()
  const row = arranged?.byId.get(objectid)
  if (begun === undefined && arranged && row) setBegun({ vault, arranged, row })
  if (begun === undefined) return error && <ErrorMessage error={error} onTryAgain={refetch} />
  return (
    <RelocationDialog act={act} vault={begun.vault} arranged={begun.arranged} rows={[begun.row]} onClose={onClose} />
  )
}
