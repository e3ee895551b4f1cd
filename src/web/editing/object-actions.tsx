import { useQueryClient } from '@tanstack/react-query'
import { Bell, BellOff, Pencil, Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Button } from 'react-aria-components/Button'
import { useAction } from '../controls/action.ts'
import { announce } from '../controls/announcement.tsx'
import { Trouble } from '../controls/trouble.tsx'
import { call, type SharedVault, type StoredObject, type StoredTemplate } from '../interface/calls.ts'
import { isPlaceBy } from '../vaults/vault-contents.ts'
import { useWordsOf } from '../words/spoken.tsx'
import { DeleteQuestion } from './delete-question.tsx'
import { actionWords } from './object-actions-words.ts'

interface Props {
  readonly object: StoredObject
  readonly template: StoredTemplate | undefined
  readonly vault: SharedVault | undefined
}

/** What a member who may write can do with an object, and who administers the vault. */
export function ObjectActions({ object, template, vault }: Props) {
  const words = useWordsOf(actionWords)
  const queries = useQueryClient()
  const { error, run } = useAction()
  const [isDeleting, setIsDeleting] = useState(false)
  const right = Number(vault?.status)
  const { id, groupid, objectname, alarmed } = object
  const isOn = alarmed !== false
  if (!(right > 1)) return null

  const switchAlarm = (): Promise<boolean> =>
    run(async (signal) => {
      await call('object.alarm', { params: { objectid: id }, body: { alarm: !isOn }, signal })
      announce(isOn ? words.alarmIsOff(objectname) : words.alarmIsOn(objectname))
      await queries.invalidateQueries({ queryKey: ['vault', groupid] })
      await queries.invalidateQueries({ queryKey: ['object', id] })
    })
  return (
    <div className="actions">
      <a className="button small primary" href={`#/object/${id}/edit`}>
        <Pencil aria-hidden />
        {words.edit}
      </a>
      {isPlaceBy(template) && (
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
      <Button className="button small" onPress={() => setIsDeleting(true)}>
        <Trash2 aria-hidden />
        {words.remove}
      </Button>
      {error !== undefined && <Trouble error={error} />}
      {isDeleting && <DeleteQuestion object={object} onClose={() => setIsDeleting(false)} />}
    </div>
  )
}
