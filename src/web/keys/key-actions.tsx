import { Archive, Download, History, Pencil, RefreshCw, Scissors, Trash2 } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from 'react-aria-components/Button'
import type { ListedKey, VaultKeyRules } from '../interface/calls.ts'
import { useOpened } from '../session/typed-state.ts'
import { useWordsOf } from '../words/language.tsx'
import { ChangeKeyDialog, keyTyping } from './change-key-dialog.tsx'
import { BackUpQuestion, DeleteKeyQuestion, RotateQuestion } from './key-questions.tsx'
import type { KeyRights } from './key-rights.ts'
import { keyWords } from './key-words.ts'
import { ExportKeyDialog } from './export-key-dialog.tsx'
import { LimitVersionsDialog, TrimVersionsDialog } from './version-dialogs.tsx'

interface Props {
  readonly vaultid: string
  readonly shown: ListedKey
  readonly rules: VaultKeyRules
  readonly rights: KeyRights
}

const actions = ['rotate', 'change', 'limit', 'backUp', 'export', 'trim', 'delete'] as const
type KeyAction = (typeof actions)[number]

const icons: Readonly<Record<KeyAction, ReactNode>> = {
  rotate: <RefreshCw aria-hidden />,
  change: <Pencil aria-hidden />,
  limit: <History aria-hidden />,
  backUp: <Archive aria-hidden />,
  export: <Download aria-hidden />,
  trim: <Scissors aria-hidden />,
  delete: <Trash2 aria-hidden />,
}

/** The changes that the person may make to a key. Each asks first and explains its effect. */
export function KeyActions({ vaultid, shown, rules, rights: { mayWrite, mayAdminister } }: Props) {
  const own = useWordsOf(keyWords)
  const [asked, setAsked] = useOpened<KeyAction>(() => [['change', keyTyping, `${vaultid}/${shown.name}`]])
  const offered: Readonly<Record<KeyAction, boolean>> = {
    rotate: mayWrite,
    change: mayWrite,
    limit: mayWrite && shown.key_version !== shown.oldest_version,
    backUp: mayAdminister && shown.allow_backup === 'true',
    export: mayAdminister && shown.allow_export === 'true',
    trim: mayAdminister && shown.key_version !== shown.oldest_version,
    delete: mayAdminister && shown.allow_delete === 'true',
  }
  if (!Object.values(offered).includes(true)) return null
  const common = { vaultid, shown, onClose: () => setAsked(undefined) }
  return (
    <section aria-label={own.manage}>
      <div className="buttons key-actions">
        {actions
          .filter((action) => offered[action])
          .map((action) => (
            <Button
              key={action}
              className={action === 'rotate' ? 'button small primary' : 'button small'}
              onPress={() => setAsked(action)}
            >
              {icons[action]}
              {own[action]}
            </Button>
          ))}
      </div>
      {asked === 'rotate' && <RotateQuestion {...common} />}
      {asked === 'change' && <ChangeKeyDialog {...common} />}
      {asked === 'limit' && <LimitVersionsDialog {...common} />}
      {asked === 'backUp' && <BackUpQuestion {...common} />}
      {asked === 'export' && <ExportKeyDialog {...common} />}
      {asked === 'trim' && <TrimVersionsDialog {...common} />}
      {asked === 'delete' && <DeleteKeyQuestion {...common} rules={rules} />}
    </section>
  )
}
