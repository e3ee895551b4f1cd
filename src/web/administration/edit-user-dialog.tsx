import { useState } from 'react'
import { announce } from '../controls/announcement.tsx'
import { FormDialog } from '../controls/form-dialog.tsx'
import { call, type AdministeredUser } from '../interface/calls.ts'
import { useSession } from '../session/session.tsx'
import { useWordsOf } from '../words/spoken.tsx'
import { administrationWords } from './administration-words.ts'
import { UserFields } from './user-fields.tsx'
import { useUsersAnew } from './user-reads.ts'
import { userWords } from './user-words.ts'

interface Props {
  readonly user: AdministeredUser
  readonly onClose: () => void
}

/** Sends what was changed alone: another administrator may be changing the rest. */
export function EditUserDialog({ user, onClose }: Props) {
  const words = useWordsOf(userWords)
  const { save, edit } = useWordsOf(administrationWords)
  const { person } = useSession()
  const readAnew = useUsersAnew()
  const before = { ...user, status: Number(user.status) }
  const [typed, setTyped] = useState(before)

  async function change(signal: AbortSignal): Promise<void> {
    const names = (['username', 'fullname', 'email', 'status'] as const).filter((name) => typed[name] !== before[name])
    const body = Object.fromEntries(names.map((name) => [name, typed[name]]))
    await call('user.edit', { params: { userid: user.id }, body, signal })
    announce(words.saved)
    await readAnew()
  }
  return (
    <FormDialog title={`${edit}: ${user.fullname}`} submitText={save} onSubmit={change} onClose={onClose}>
      <UserFields
        typed={typed}
        onChange={(next) => setTyped({ ...typed, ...next })}
        isOwn={person?.userid === user.id}
      />
    </FormDialog>
  )
}
