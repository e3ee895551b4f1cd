import { ChevronRight, Plus, UserRound } from 'lucide-react'
import { Button } from 'react-aria-components/Button'
import { Contact } from '../controls/contact.tsx'
import { useDebounced } from '../controls/debounced.ts'
import { FilterField } from '../controls/filter-field.tsx'
import { useListText } from '../controls/list-state.ts'
import { NotLoaded } from '../controls/not-loaded.tsx'
import { Loading } from '../controls/loading.tsx'
import { ErrorMessage } from '../controls/error-message.tsx'
import { ViewHeading } from '../controls/view-heading.tsx'
import type { AdministeredUser } from '../interface/calls.ts'
import { hidesData } from '../interface/refusal.ts'
import { searchable, withoutControls } from '../interface/user-search.ts'
import { useOpened } from '../session/typed-state.ts'
import { useWordsOf } from '../words/language.tsx'
import { administrationWords } from './administration-words.ts'
import { NewUserDialog, newUserTyping } from './new-user-dialog.tsx'
import { Pager, usePages } from '../controls/pager.tsx'
import { chosenNames, holds, isActive } from './user-status.ts'
import { useUserPage } from './user-reads.ts'
import { userWords } from './user-words.ts'

/** All users, in pages. */
export function UsersView() {
  const words = useWordsOf(userWords)
  const { parts } = useWordsOf(administrationWords)
  const [search, setSearch] = useListText('search')
  const typed = useDebounced(withoutControls(search))
  const searched = searchable(typed)
  const pages = usePages('pages')
  const { data, error, refetch, isPlaceholderData } = useUserPage(searched, pages.next)
  const [isCreating, setIsCreating] = useOpened<boolean>(() => [[true, newUserTyping, '']])

  const isHidden = hidesData(error, data)
  // A search keeps its field.
  if (isHidden && searched === '') return <NotLoaded error={error} onTryAgain={refetch} />
  return (
    <div className="page">
      <ViewHeading title={parts.users}>
        <Button className="button primary" onPress={() => setIsCreating(true)}>
          <Plus aria-hidden />
          {words.newUser}
        </Button>
      </ViewHeading>
      <FilterField
        label={words.search}
        value={search}
        onChange={(next) => {
          setSearch(next)
          pages.goFirst()
        }}
      />
      {error && <ErrorMessage error={error} onTryAgain={refetch} />}
      {isHidden ? null : data === undefined ? (
        <Loading />
      ) : (
        <>
          <p className="soft" role="status">
            {[
              ...(searched.length < typed.length ? [words.searchedFor(searched)] : []),
              ...(data.users.length === 0 ? [words.noUsers] : []),
            ].join(' ')}
          </p>
          <ul className="entries">
            {data.users.map((user) => (
              <UserEntry key={user.id} user={user} />
            ))}
          </ul>
          <Pager pages={pages} following={data.following} isTurning={isPlaceholderData} />
        </>
      )}
      {isCreating && <NewUserDialog onClose={() => setIsCreating(false)} />}
    </div>
  )
}

function UserEntry({ user: { id, fullname, username, email, status } }: { readonly user: AdministeredUser }) {
  return (
    <li>
      <a href={`#/administration/users/${id}`}>
        <span className="tile">
          <UserRound aria-hidden />
        </span>
        <span className="texts">
          <span className="title">{fullname}</span>
          <Contact username={username} email={email} />
        </span>
        <StatusMarks status={Number(status)} />
        <ChevronRight aria-hidden className="go" />
      </a>
    </li>
  )
}

/** The capabilities of a user, and whether the user is locked. */
export function StatusMarks({ status }: { readonly status: number }) {
  const words = useWordsOf(userWords)
  return (
    <span className="marks">
      {!isActive(status) && <span className="right locked">{words.locked}</span>}
      {chosenNames
        .filter((name) => holds(status, name))
        .map((name) => (
          <span key={name} className="right">
            {words.capabilityNames[name]}
          </span>
        ))}
    </span>
  )
}
