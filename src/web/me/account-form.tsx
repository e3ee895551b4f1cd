import { useState, type FormEvent } from 'react'
import { Button } from 'react-aria-components/Button'
import { Form } from 'react-aria-components/Form'
import { useAction } from '../controls/action.ts'
import { announce } from '../controls/announcement.tsx'
import { useDone } from '../controls/change-done.ts'
import { TypingForm } from '../controls/kept-typing.ts'
import { TextInput } from '../controls/text-input.tsx'
import { ErrorMessage } from '../controls/error-message.tsx'
import { call } from '../interface/calls.ts'
import { useSession } from '../session/session.tsx'
import { useWordsOf } from '../words/language.tsx'
import { ownAccountKey } from './me-reads.ts'
import { meWords } from './me-words.ts'

interface Account {
  readonly username: string
  readonly fullname: string
  readonly email: string
}

const addressTyping = new TypingForm<string>()

/** The person's account. People change their own e-mail address; only administrators change names. */
export function AccountForm({ account }: { readonly account: Account }) {
  const words = useWordsOf(meWords)
  const done = useDone(ownAccountKey)
  const { person } = useSession()
  const [email, setEmail] = useState(() => addressTyping.at(person?.userid, '') ?? account.email)
  /** What was saved last: the account is read again after that. */
  const [saved, setSaved] = useState<string>()
  const isUnsaved = ![account.email, saved].includes(email.trim())
  addressTyping.useTyping(person?.userid, '', isUnsaved ? email : undefined)
  const { error, run } = useAction()
  async function save(event: FormEvent<HTMLFormElement>): Promise<void> {
    event.preventDefault()
    await run(async (signal) => {
      const next = email.trim()
      if (next === account.email) return announce(words.unchanged)
      await call('me.email', { body: { email: next }, signal })
      setSaved(next)
      await done(words.saved)
    })
  }
  return (
    <>
      <dl>
        <dt>{words.username}</dt>
        <dd>{account.username}</dd>
        <dt>{words.fullname}</dt>
        <dd>{account.fullname}</dd>
      </dl>
      <Form className="form" onSubmit={(event) => void save(event)}>
        {error !== undefined && <ErrorMessage error={error} />}
        <TextInput
          name="email"
          label={words.email}
          description={words.emailHelp}
          value={email}
          onChange={setEmail}
          type="email"
          kind="name"
          inputMode="email"
          autoComplete="email"
          isRequired
        />
        <div className="buttons">
          <Button type="submit" className="button">
            {words.save}
          </Button>
        </div>
      </Form>
    </>
  )
}
