import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Form } from 'react-aria-components/Form'
import { announce } from '../controls/announcement.tsx'
import { goOn, useHeldAddress } from '../controls/held-address.tsx'
import { TypingForm } from '../controls/kept-typing.ts'
import type { SharedVault, StoredObject, StoredTemplate } from '../interface/calls.ts'
import { hasNumber } from '../interface/refusal.ts'
import { useSession } from '../session/session.tsx'
import { useWordsOf } from '../words/language.tsx'
import { useChosenFile } from './chosen-file.ts'
import { isNamedByField, nameMember } from './draft.ts'
import { useDroppedFiles } from './dropped-files.ts'
import { usePolicyRules } from './editing-reads.ts'
import { editingWords } from './editing-words.ts'
import { MeanwhileNote } from './meanwhile-note.tsx'
import { useMergedEdit, type BegunEdit } from './merged-edit.ts'
import { ObjectFields } from './object-fields.tsx'
import { SaveBar } from './save-bar.tsx'
import { storeChanges, type Saving } from './storing.ts'
import { useSaving } from './use-saving.ts'

interface Props {
  readonly read: StoredObject
  readonly template: StoredTemplate
  readonly vault: SharedVault | undefined
}

interface BegunForm extends BegunEdit {
  readonly file: File | undefined
}

const typingForm = new TypingForm<BegunForm>()

/** Number of the fault `object.changed`: another call has changed the object first. */
const changedNumber = 1618

export function EditObjectForm({ read, template, vault }: Props) {
  const words = useWordsOf(editingWords)
  const queries = useQueryClient()
  const policy = { id: vault?.policy ?? '', rules: usePolicyRules(vault?.policy) }
  const { person } = useSession()
  // The edit continues from the object as it was then. Where it has changed since, saving reports that.
  const [begun] = useState(() => typingForm.at(person?.userid, read.id))
  const edit = useMergedEdit(read, template, begun)
  const { stored, draft, changes } = edit
  const { file, fileError, choose, check } = useChosenFile(template, begun?.file)
  const saving = useSaving()
  const isChanged = file !== undefined || Object.keys(changes).length > 0
  const question = useHeldAddress(isChanged, { isSaving: saving.isUnderWay })
  typingForm.useTyping(person?.userid, read.id, isChanged ? { stored, draft, file } : undefined)
  useDroppedFiles(([first]) => {
    if (first && template.info.file !== undefined) choose(first)
  })

  async function save(way: Saving): Promise<void> {
    try {
      if (isChanged) {
        const { isWeak } = await storeChanges(stored, changes, file, way)
        announce(
          [
            words.saved(draft[isNamedByField(template, stored) ? 'name' : nameMember] ?? ''),
            ...(isWeak ? [words.savedWeak] : []),
          ].join(' '),
        )
      }
    } catch (failure) {
      if (!hasNumber(failure, changedNumber)) throw failure
      return edit.seeBoth(file !== undefined, way.signal)
    }
    void queries.invalidateQueries({ queryKey: ['vault', stored.groupid] })
    // The next view reads it.
    await queries.invalidateQueries({ queryKey: ['object'], refetchType: 'none' })
    goOn(`/object/${stored.id}`)
  }
  return (
    <Form
      className="form"
      onSubmit={(event) => {
        event.preventDefault()
        if (check(false)) void saving.save(save)
      }}
    >
      {edit.contested && (
        <div className="changed-meanwhile" role="alert">
          <h2>{words.changedTitle}</h2>
          <p>{words.changedText}</p>
        </div>
      )}
      <ObjectFields
        template={template}
        policy={policy}
        draft={draft}
        set={edit.set}
        file={file}
        fileError={fileError}
        setFile={choose}
        stored={stored}
        noteOf={(member) => <MeanwhileNote edit={edit} template={template} member={member} />}
      />
      <SaveBar saving={saving} submitText={words.save} back={`#/object/${stored.id}`} file={file} />
      {question}
    </Form>
  )
}
