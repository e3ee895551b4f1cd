import { Bell, BellOff, CopyPlus, FolderInput, Pencil, Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Button } from 'react-aria-components/Button'
import { useAction } from '../controls/action.ts'
import { useDone } from '../controls/change-done.ts'
import { ErrorMessage } from '../controls/error-message.tsx'
import { partOf } from '../controls/view-of.tsx'
import { call, type SharedVault, type StoredObject, type StoredTemplate } from '../interface/calls.ts'
import { isPlaceBy } from '../vaults/vault-contents.ts'
import { useVaults } from '../vaults/vault-reads.ts'
import { useWordsOf } from '../words/language.tsx'
import { DeleteQuestion } from './delete-question.tsx'
import { actionWords } from './object-actions-words.ts'

interface Props {
  readonly object: StoredObject
  readonly template: StoredTemplate | undefined
  readonly vault: SharedVault | undefined
}

const [ObjectRelocation] = partOf(async () => (await import('../vaults/object-relocation.tsx')).ObjectRelocation)

/** The actions with an object. A person who may only read copies it into another vault. */
export function ObjectActions({ object, template, vault }: Props) {
  const words = useWordsOf(actionWords)
  const done = useDone(['vault', object.groupid], ['object', object.id])
  const { error, run } = useAction()
  const vaults = useVaults()
  const [asked, setAsked] = useState<'delete' | 'move' | 'copy'>()
  const close = (): void => setAsked(undefined)
  const right = Number(vault?.status)
  const { id, groupid, objectname, alarmed } = object
  const isOn = alarmed !== false
  const mayWrite = right > 1
  const mayCopy = vaults.data?.VAULTS.some(({ statustext }) => statustext !== 'Read') === true
  if (!vault || !(mayWrite || mayCopy)) return null

  const switchAlarm = (): Promise<boolean> =>
    run(async (signal) => {
      await call('object.alarm', { params: { objectid: id }, body: { alarm: !isOn }, signal })
      await done(isOn ? words.alarmIsOff(objectname) : words.alarmIsOn(objectname))
    })
  return (
    <div className="actions">
      {mayWrite && (
        <a className="button small primary" href={`#/object/${id}/edit`}>
          <Pencil aria-hidden />
          {words.edit}
        </a>
      )}
      {mayWrite && isPlaceBy(template) && (
        <a className="button small" href={`#/vault/${groupid}/${id}/new`}>
          <Plus aria-hidden />
          {words.newObject}
        </a>
      )}
      {right > 2 && (
        <Button className="button small" onPress={() => void switchAlarm()}>
          {isOn ? <BellOff aria-hidden /> : <Bell aria-hidden />}
          {isOn ? words.alarmOff : words.alarmOn}
        </Button>
      )}
      {mayWrite && (
        <Button className="button small" onPress={() => setAsked('move')}>
          <FolderInput aria-hidden />
          {words.move}
        </Button>
      )}
      {mayCopy && (
        <Button className="button small" onPress={() => setAsked('copy')}>
          <CopyPlus aria-hidden />
          {words.copyTo}
        </Button>
      )}
      {mayWrite && (
        <Button className="button small" onPress={() => setAsked('delete')}>
          <Trash2 aria-hidden />
          {words.remove}
        </Button>
      )}
      {error !== undefined && <ErrorMessage error={error} />}
      {asked === 'delete' && <DeleteQuestion object={object} onClose={close} />}
      {(asked === 'move' || asked === 'copy') && (
        <ObjectRelocation act={asked} objectid={id} vault={vault} onClose={close} />
      )}
    </div>
  )
}
