import type { ListedKey } from '../interface/calls.ts'

/** What every dialog about one key is given. */
export interface KeyDialogProps {
  readonly vaultid: string
  readonly shown: ListedKey
  readonly onClose: () => void
}
