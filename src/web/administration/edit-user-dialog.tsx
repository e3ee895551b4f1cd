import { changed } from '../controls/changed-members.ts'
import { FormDialog } from '../controls/form-dialog.tsx'
import { TypingForm } from '../controls/kept-typing.ts'
import { call, type AdministeredUser } from '../interface/calls.ts'
import { useSession } from '../session/session.tsx'
import { useTypedState } from '../session/typed-state.ts'
import { useWordsOf } from '../words/language.tsx'
import { administrationWords } from './administration-words.ts'
import { trimmed, type TypedUser } from './typed-user.ts'
import { UserFields } from './user-fields.tsx'
import { readStatus, useUsersDone } from './user-reads.ts'
import { turned } from './user-status.ts'
import { userWords } from './user-words.ts'

interface Props {
  readonly user: AdministeredUser
  readonly onClose: () => void
}

interface Editing {
  /** The user at the opening of the dialog. */
  readonly before: TypedUser
  readonly typed: TypedUser
}

export const userTyping = new TypingForm<Editing>()

/** Edits a user. Only changed members are sent, because another administrator may be changing others. */
export function EditUserDialog({ user, onClose }: Props) {
  const words = useWordsOf(userWords)
  const { save, edit } = useWordsOf(administrationWords)
  const { person } = useSession()
  const done = useUsersDone()
  const now = { ...user, status: Number(user.status) }
  const [{ before, typed }, setEditing] = useTypedState(userTyping, user.id, { before: now, typed: now })

  async function change(signal: AbortSignal): Promise<void> {
    const { status, ...texts } = changed(trimmed(typed), trimmed(before))
    const body =
      status === undefined ? texts : { ...texts, status: turned(await readStatus(user, signal), before.status, status) }
    if (Object.keys(body).length === 0) return
    await call('user.edit', { params: { userid: user.id }, body, signal })
    await done(words.saved)
  }
  return (
    <FormDialog title={`${edit}: ${user.fullname}`} submitText={save} onSubmit={change} onClose={onClose}>
      <UserFields
        typed={typed}
        onChange={(next) => setEditing({ before, typed: next })}
        isOwn={person?.userid === user.id}
      />
    </FormDialog>
  )
}
