import { useQueryClient } from '@tanstack/react-query'
import { useHashLocation } from 'wouter/use-hash-location'
import { announce } from '../controls/announcement.tsx'
import { useDone } from '../controls/change-done.ts'
import { FormDialog } from '../controls/form-dialog.tsx'
import { saveFile } from '../controls/file-download.ts'
import { call, type VaultKeyRules } from '../interface/calls.ts'
import { useWordsOf } from '../words/language.tsx'
import type { KeyDialogProps } from './key-dialog.ts'
import { keyWords } from './key-words.ts'
import { keysOf } from './keys-reads.ts'

export function RotateQuestion({ vaultid, shown: { name }, onClose }: KeyDialogProps) {
  const own = useWordsOf(keyWords)
  const done = useDone(keysOf(vaultid))
  async function rotate(signal: AbortSignal): Promise<void> {
    const { CALLINFO } = await call('transparent.key.rotate', { params: { vaultid, name }, signal })
    await done(own.rotated(CALLINFO.key_version))
  }
  return (
    <FormDialog title={own.rotateTitle(name)} submitText={own.rotate} onSubmit={rotate} onClose={onClose}>
      <p>{own.rotateText}</p>
    </FormDialog>
  )
}

export function BackUpQuestion({ vaultid, shown: { name }, onClose }: KeyDialogProps) {
  const own = useWordsOf(keyWords)
  async function save(signal: AbortSignal): Promise<void> {
    const { KEYS } = await call('transparent.backup', { params: { vaultid, name }, signal })
    saveFile(`${name}.backup`, KEYS.backup)
    announce(own.fileSaved)
  }
  return (
    <FormDialog title={own.backUpTitle(name)} submitText={own.backUp} onSubmit={save} onClose={onClose}>
      <p>{own.backUpText}</p>
    </FormDialog>
  )
}

const [hour, day] = [3_600, 86_400]

export function DeleteKeyQuestion({
  vaultid,
  shown: { name },
  rules,
  onClose,
}: KeyDialogProps & { readonly rules: VaultKeyRules }) {
  const own = useWordsOf(keyWords)
  const queries = useQueryClient()
  const [, go] = useHashLocation()
  const seconds = Number(rules.recovery_window ?? 0)
  const time = seconds < day ? own.hours(Math.floor(seconds / hour)) : own.days(Math.floor(seconds / day))
  async function remove(signal: AbortSignal): Promise<void> {
    await call('transparent.key.delete', { params: { vaultid, name }, signal })
    announce(own.deleted(name))
    // The lists are read when they are next shown. The key itself can no longer be read.
    for (const list of ['all', 'deleted']) queries.removeQueries({ queryKey: [...keysOf(vaultid), list] })
    go(`/vault/${vaultid}/keys`)
  }
  return (
    <FormDialog title={own.deleteTitle(name)} submitText={own.delete} isDangerous onSubmit={remove} onClose={onClose}>
      <p>{own.deleteText(time)}</p>
    </FormDialog>
  )
}
