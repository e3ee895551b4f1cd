import { useState } from 'react'
import { useDone } from '../controls/change-done.ts'
import { Crumbs } from '../controls/crumbs.tsx'
import { goOn } from '../controls/held-address.tsx'
import { NotLoaded } from '../controls/not-loaded.tsx'
import { Loading } from '../controls/loading.tsx'
import { ViewHeading } from '../controls/view-heading.tsx'
import type { Contents, StoredTemplate } from '../interface/calls.ts'
import { useSession } from '../session/session.tsx'
import { arrange, pathTo } from '../vaults/vault-contents.ts'
import { useContents } from '../vaults/vault-reads.ts'
import { useWords, useWordsOf } from '../words/language.tsx'
import './editing.css'
import { useTemplates } from './editing-reads.ts'
import { editingWords } from './editing-words.ts'
import { newObjectTyping, useFilesInTurn } from './files-in-turn.ts'
import { NewObjectForm } from './new-object-form.tsx'
import type { Saved } from './storing.ts'
import { TemplateChoice } from './template-choice.tsx'

interface Props {
  readonly vaultid: string
  readonly folderid: string
}

/** A new object of a vault. The person first chooses a template or a file, then fills in the fields. */
export function NewObjectView({ vaultid, folderid }: Props) {
  const words = useWords()
  const own = useWordsOf(editingWords)
  const contents = useContents(vaultid)
  const templates = useTemplates()
  const error = contents.error ?? templates.error
  if (!contents.data || !templates.data) {
    const again = () => Promise.all([contents.refetch(), templates.refetch()])
    return error ? <NotLoaded error={error} onTryAgain={again} /> : <Loading />
  }
  const [vault] = contents.data.VAULT
  const path = pathTo(arrange(contents.data, words.locale), folderid)
  return (
    <div className="page editing">
      <Crumbs
        path={[
          { href: `#/vault/${vaultid}`, text: vault?.groupname ?? '…' },
          ...path.map(({ object }) => ({ href: `#/vault/${vaultid}/${object.id}`, text: object.objectname })),
        ]}
      />
      <ViewHeading title={own.newObject} />
      {Number(vault?.status) > 1 ? (
        <Steps
          contents={contents.data}
          templates={templates.data}
          vaultid={vaultid}
          folderid={path.at(-1)?.object.id ?? '0'}
        />
      ) : (
        <p className="soft">{own.mayNotWrite}</p>
      )}
    </div>
  )
}

interface StepsProps extends Props {
  readonly contents: Contents
  readonly templates: readonly StoredTemplate[]
}

function Steps({ contents, templates, vaultid, folderid }: StepsProps) {
  const words = useWordsOf(editingWords)
  const done = useDone(['vault', vaultid], ['object', folderid])
  const { person } = useSession()
  const place = `${vaultid}/${folderid}`
  const [begun] = useState(() => newObjectTyping.at(person?.userid, place))
  const turn = useFilesInTurn(templates, begun)
  newObjectTyping.useTyping(person?.userid, place, turn.left)
  const { beginning } = turn

  function saved({ id, isWeak }: Saved, { info }: StoredTemplate, name: string): void {
    void done([words.created(name), ...(isWeak ? [words.savedWeak] : [])].join(' '))
    if (turn.next()) return
    if (info.ico === 'ico_folder') goOn(`/vault/${vaultid}/${id}`)
    else if (info.jp === true) goOn(folderid === '0' ? `/vault/${vaultid}` : `/vault/${vaultid}/${folderid}`)
    else goOn(`/object/${id}`)
  }
  if (!beginning) return <TemplateChoice templates={templates} turn={turn} />
  return (
    <>
      {turn.count > 1 && (
        <p className="soft" role="status">
          {words.fileOf(turn.at, turn.count)}
        </p>
      )}
      <NewObjectForm
        key={`${beginning.template.id} ${turn.at}`}
        contents={contents}
        folderid={folderid}
        beginning={beginning}
        onSaved={saved}
        onOtherTemplate={turn.chooseAgain}
      />
    </>
  )
}
