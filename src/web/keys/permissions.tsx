import type { ListedKey } from '../interface/calls.ts'
import { useWordsOf } from '../words/language.tsx'
import { keysWords } from './keys-words.ts'

/** What a key allows besides its use: export, backup, deletion. */
export function Permissions({ of }: { readonly of: ListedKey }) {
  const own = useWordsOf(keysWords)
  const may = [
    of.allow_export === 'true' && (of.allow_plaintext_export === 'true' ? own.openExported : own.exported),
    of.allow_backup === 'true' && own.backedUp,
    of.allow_delete === 'true' && own.deleted,
  ].filter((one) => one !== false)
  const text = may.length === 0 ? own.nothing : may.join(', ')
  return <>{`${text.charAt(0).toUpperCase()}${text.slice(1)}`}</>
}
