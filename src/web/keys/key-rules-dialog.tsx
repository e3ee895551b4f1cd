import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { announce } from '../controls/announcement.tsx'
import { Choice } from '../controls/choice.tsx'
import { FormDialog } from '../controls/form-dialog.tsx'
import { call, type VaultKeyRules } from '../interface/calls.ts'
import { useWords, useWordsOf } from '../words/spoken.tsx'
import { keysOf } from './keys-reads.ts'
import { keysWords } from './keys-words.ts'
import { Tick } from '../controls/tick.tsx'

interface Props {
  readonly vaultid: string
  readonly rules: VaultKeyRules
  readonly onClose: () => void
}

const permissions = ['Read', 'Write', 'Admin'] as const

/** How the keys of a vault may be made and used. */
export function KeyRulesDialog({ vaultid, rules, onClose }: Props) {
  const words = useWords()
  const own = useWordsOf(keysWords)
  const queries = useQueryClient()
  const [signing, setSigning] = useState(rules.signing_permission ?? 'Write')
  const [makes, setMakes] = useState(rules.create_on_encrypt ?? false)
  const [strict, setStrict] = useState(rules.strict ?? false)
  async function send(signal: AbortSignal): Promise<void> {
    const body = { signing_permission: signing, create_on_encrypt: makes, strict }
    await call('transparent.settings', { params: { vaultid }, body, signal })
    announce(own.saved)
    await queries.invalidateQueries({ queryKey: keysOf(vaultid) })
  }
  return (
    <FormDialog title={own.rulesTitle} submitText={own.save} onSubmit={send} onClose={onClose}>
      <Choice
        label={own.signingPermission}
        value={signing}
        options={permissions.map((value) => ({ value, text: words.rights[value] ?? value }))}
        onChange={setSigning}
      />
      <Tick label={own.createOnEncrypt} isTicked={makes} onChange={setMakes} />
      <Tick label={own.strict} isTicked={strict} onChange={setStrict} />
    </FormDialog>
  )
}
