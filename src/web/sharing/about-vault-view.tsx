import { Pencil, Trash2, UserPlus, DoorOpen } from 'lucide-react'
import { Button } from 'react-aria-components/Button'
import { Crumbs } from '../controls/crumbs.tsx'
import { LongList } from '../controls/long-list.tsx'
import { NotLoaded } from '../controls/not-loaded.tsx'
import { Loading } from '../controls/loading.tsx'
import { ErrorMessage } from '../controls/error-message.tsx'
import { ViewHeading } from '../controls/view-heading.tsx'
import type { SharedVault, VaultMember } from '../interface/calls.ts'
import { isDenial } from '../interface/refusal.ts'
import { useOwnCapability } from '../session/own-capability.ts'
import { useSession } from '../session/session.tsx'
import { useOpened } from '../session/typed-state.ts'
import { DeleteVaultDialog, LeaveVaultDialog } from '../vaults/vault-end.tsx'
import { EditVaultDialog } from '../vaults/vault-form.tsx'
import { usePolicies, useVault } from '../vaults/vault-reads.ts'
import { vaultTyping } from '../vaults/vault-draft.ts'
import { useWords, useWordsOf } from '../words/language.tsx'
import { GrantedList } from './granted-list.tsx'
import { MemberDialog, rightPlace, rightTyping } from './member-dialogs.tsx'
import { MemberItem, type MemberAct } from './member-item.tsx'
import { ShareDialog, shareTyping } from './share-dialog.tsx'
import { useMembers } from './sharing-reads.ts'
import { sharingWords } from './sharing-words.ts'
import './sharing.css'

/** The properties and members of a vault, and the person's own right in it. */
export function AboutVaultView({ vaultid }: { readonly vaultid: string }) {
  const words = useWordsOf(sharingWords)
  const { vault, ...vaults } = useVault(vaultid)
  const members = useMembers(vaultid)
  if (vault === undefined) {
    const { error } = members.error ? members : vaults
    if (error === null) return <Loading />
    return <NotLoaded error={error} onTryAgain={() => Promise.all([members.refetch(), vaults.refetch()])} />
  }
  const isShown = members.data !== undefined && !isDenial(members.error)
  return (
    <div className="page about-vault">
      <Crumbs path={[{ href: `#/vault/${vaultid}`, text: vault.groupname }]} />
      <ViewHeading title={words.about(vault.groupname)} kind={words.aboutTitle} />
      <OwnRight vault={vault} />
      {members.error && <ErrorMessage error={members.error} onTryAgain={members.refetch} />}
      {isShown && <Members vault={vault} members={members.data} />}
      {/* Members that came later would move the buttons from under a pointer. */}
      {members.isPending ? <Loading /> : <VaultRecord vault={vault} />}
    </div>
  )
}

/** The person's own right in the vault. */
function OwnRight({ vault }: { readonly vault: SharedVault }) {
  const words = useWordsOf(sharingWords)
  const { rights } = useWords()
  const { person } = useSession()
  return (
    <section className="own card" aria-label={words.youHere}>
      <p>
        <span className="soft">{words.youHere}: </span>
        <span className="title">{person?.fullname}</span>
      </p>
      <span className="right">{rights[vault.statustext] ?? vault.statustext}</span>
      {vault.grants && <GrantedList grants={vault.grants} />}
    </section>
  )
}

interface MembersProps {
  readonly vault: SharedVault
  readonly members: readonly VaultMember[]
}

function Members({ vault, members }: MembersProps) {
  const words = useWordsOf(sharingWords)
  const { locale } = useWords()
  const { person } = useSession()
  const [isSharing, setIsSharing] = useOpened<boolean>(() => [[true, shareTyping, vault.id]])
  const [acting, setActing] = useOpened<{ readonly member: VaultMember; readonly act: MemberAct }>(() =>
    members.map((member) => [{ member, act: 'change' }, rightTyping, rightPlace(vault, member)]),
  )
  const isAdmin = vault.statustext === 'Admin'
  return (
    <section>
      <div className="heading">
        <h2>
          {words.members} <span className="soft">{members.length.toLocaleString(locale)}</span>
        </h2>
        {isAdmin && (
          <Button className="button primary" onPress={() => setIsSharing(true)}>
            <UserPlus aria-hidden />
            {words.share}
          </Button>
        )}
      </div>
      <LongList name="members" className="members card" items={members} textOf={textOf}>
        {(member) => (
          <MemberItem
            key={member.id}
            member={member}
            members={members}
            ownId={person?.userid}
            isAdmin={isAdmin}
            onAct={(act) => setActing({ member, act })}
          />
        )}
      </LongList>
      {isSharing && <ShareDialog vault={vault} members={members} onClose={() => setIsSharing(false)} />}
      {acting && <MemberDialog vault={vault} {...acting} onClose={() => setActing(undefined)} />}
    </section>
  )
}

const textOf = ({ fullname, username, email }: VaultMember): string => [fullname, username, email].join('\n')

type VaultAct = 'edit' | 'leave' | 'delete'

function VaultRecord({ vault }: { readonly vault: SharedVault }) {
  const words = useWordsOf(sharingWords)
  const { empty } = useWords()
  const { person } = useSession()
  const policies = usePolicies()
  const mayCreate = useOwnCapability('createVault')
  const [act, setAct] = useOpened<VaultAct>(() => [['edit', vaultTyping, vault.id]])
  const isAdmin = vault.statustext === 'Admin'
  const policy = policies.data?.find(({ id }) => String(id) === vault.policy)
  const onClose = (): void => setAct(undefined)
  return (
    <section>
      <div className="heading">
        <h2>{words.settings}</h2>
        {isAdmin && (
          <Button className="button small" onPress={() => setAct('edit')}>
            <Pencil aria-hidden />
            {words.edit}
          </Button>
        )}
      </div>
      <dl className="fields card">
        <div>
          <dt>{words.vaultName}</dt>
          <dd className="value">{vault.groupname}</dd>
        </div>
        <div>
          <dt>{words.description}</dt>
          <dd className={vault.description === '' ? 'value soft' : 'value text'}>{vault.description || empty}</dd>
        </div>
        <div>
          <dt>{words.policy}</dt>
          <dd className="value">{policy?.name ?? vault.policy}</dd>
        </div>
        <div>
          <dt>{words.number}</dt>
          <dd className="value">{vault.id}</dd>
        </div>
      </dl>
      <div className="ends">
        <Button className="button" onPress={() => setAct('leave')}>
          <DoorOpen aria-hidden />
          {words.leave}
        </Button>
        {isAdmin && mayCreate && (
          <Button className="button" onPress={() => setAct('delete')}>
            <Trash2 aria-hidden />
            {words.delete}
          </Button>
        )}
      </div>
      {act === 'edit' && <EditVaultDialog vault={vault} onClose={onClose} />}
      {act === 'delete' && <DeleteVaultDialog vault={vault} onClose={onClose} />}
      {act === 'leave' && person && <LeaveVaultDialog vault={vault} userid={person.userid} onClose={onClose} />}
    </section>
  )
}
