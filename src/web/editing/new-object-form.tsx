import { useRef, useState } from 'react'
import { Button } from 'react-aria-components/Button'
import { Form } from 'react-aria-components/Form'
import { useHeldAddress } from '../controls/held-address.tsx'
import type { Contents, StoredTemplate } from '../interface/calls.ts'
import { isVerdict } from '../interface/refusal.ts'
import { useSession } from '../session/session.tsx'
import { ObjectIcon } from '../vaults/object-icon.tsx'
import { useWordsOf } from '../words/language.tsx'
import { useChosenFile } from './chosen-file.ts'
import { filledIn, type Draft } from './draft.ts'
import { useDroppedFiles } from './dropped-files.ts'
import { usePolicyRules } from './editing-reads.ts'
import { editingWords } from './editing-words.ts'
import { hasTyped, newObjectTyping, type Beginning } from './files-in-turn.ts'
import { ObjectFields } from './object-fields.tsx'
import { SaveBar } from './save-bar.tsx'
import { findLost, storeNew, type Saved } from './storing.ts'
import { useSaving } from './use-saving.ts'

interface Props {
  readonly contents: Contents
  readonly folderid: string
  readonly beginning: Beginning
  readonly onSaved: (saved: Saved, template: StoredTemplate, name: string) => void
  readonly onOtherTemplate: (typed: Beginning) => void
}

export function NewObjectForm({ contents, folderid, beginning, onSaved, onOtherTemplate }: Props) {
  const words = useWordsOf(editingWords)
  const { template } = beginning
  const [vault] = contents.VAULT
  const vaultid = vault?.id ?? ''
  const policy = { id: vault?.policy ?? '', rules: usePolicyRules(vault?.policy) }
  const [draft, setDraft] = useState(beginning.draft)
  const { file, fileError, choose, check } = useChosenFile(template, beginning.file)
  const saving = useSaving()
  const { person } = useSession()
  const typed = { ...beginning, draft, file }
  const isBegun = hasTyped(typed)
  const question = useHeldAddress(isBegun, { isSaving: saving.isUnderWay })
  newObjectTyping.useTyping(person?.userid, `${vaultid}/${folderid}`, isBegun ? typed : undefined)
  const [known] = useState(() => new Set(contents.OBJECTS.map(({ id }) => id)))
  /** The answer to a call was lost, so that the object may already exist. */
  const isUncertain = useRef(false)
  useDroppedFiles(([first]) => {
    if (first && template.info.file !== undefined) choose(first)
  })

  const submit = (): Promise<void> =>
    saving.save(async (way) => {
      const to = { groupid: vaultid, parentid: folderid, templateid: template.id }
      const values = filledIn(draft)
      const lost = isUncertain.current ? await findLost(to, values, file, known, way.signal) : undefined
      const saved =
        lost === undefined ? await storeNew(to, values, file, way).catch(remember) : { id: lost, isWeak: false }
      onSaved(saved, template, nameIn(draft, template, file))
    })
  function remember(failure: unknown): never {
    isUncertain.current = !isVerdict(failure)
    throw failure
  }
  return (
    <Form
      className="form"
      onSubmit={(event) => {
        event.preventDefault()
        if (check(template.info.file !== undefined)) void submit()
      }}
    >
      <div className="kind">
        <ObjectIcon name={template.info.ico} />
        <span className="title">{template.info.name}</span>
        <Button className="button small" onPress={() => onOtherTemplate(typed)}>
          {words.otherTemplate}
        </Button>
      </div>
      <ObjectFields
        template={template}
        policy={policy}
        draft={draft}
        set={(member, value = '') => setDraft((before) => ({ ...before, [member]: value }))}
        file={file}
        fileError={fileError}
        setFile={choose}
      />
      <SaveBar
        saving={saving}
        submitText={words.create}
        back={folderid === '0' ? `#/vault/${vaultid}` : `#/vault/${vaultid}/${folderid}`}
        file={file}
        advice={isUncertain.current ? words.mayBeSaved : undefined}
      />
      {question}
    </Form>
  )
}

/** The name that the appliance will probably give the object, for the message. */
function nameIn(draft: Draft, { structure, info }: StoredTemplate, file: File | undefined): string {
  const open = structure.filter(({ encrypted }) => !encrypted).map(({ fieldname }) => draft[fieldname])
  return [draft['objectname'], file?.name, ...open].map((text) => text?.trim()).find(Boolean) ?? info.name
}
