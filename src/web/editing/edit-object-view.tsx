import { Crumbs } from '../controls/crumbs.tsx'
import { NotLoaded } from '../controls/not-loaded.tsx'
import { Loading } from '../controls/loading.tsx'
import { ViewHeading } from '../controls/view-heading.tsx'
import { useObject, useVault } from '../vaults/vault-reads.ts'
import { useWordsOf } from '../words/language.tsx'
import { EditObjectForm } from './edit-object-form.tsx'
import './editing.css'
import { editingWords } from './editing-words.ts'

/** The form that edits an object. */
export function EditObjectView({ objectid }: { readonly objectid: string }) {
  const words = useWordsOf(editingWords)
  const { data, error, refetch } = useObject(objectid)
  const [object] = data?.OBJECT ?? []
  const { vault, isSought, ...vaults } = useVault(object?.groupid)
  const template = data?.TEMPLATES.find(({ id }) => id === object?.templateid)
  // A failed reload does not remove the form: saving reports what happened to the object.
  if (!object || !template || !isSought || (vaults.error && !vault)) {
    const failure = error ?? vaults.error
    const again = () => Promise.all([refetch(), vaults.refetch()])
    return failure ? <NotLoaded error={failure} onTryAgain={again} /> : <Loading />
  }
  const { groupid, objectname } = object
  return (
    <div className="page editing">
      <Crumbs
        path={[
          { href: `#/vault/${groupid}`, text: vault?.groupname ?? '…' },
          ...(data?.BREADCRUMB ?? []).map((crumb) => ({
            href: `#/vault/${groupid}/${crumb.objectid}`,
            text: crumb.objectname,
          })),
          { href: `#/object/${objectid}`, text: objectname },
        ]}
      />
      <ViewHeading title={words.editTitle(objectname)} kind={words.editKind} />
      {Number(vault?.status) > 1 ? (
        <EditObjectForm read={object} template={template} vault={vault} />
      ) : (
        <p className="soft">{words.mayNotWrite}</p>
      )}
    </div>
  )
}
