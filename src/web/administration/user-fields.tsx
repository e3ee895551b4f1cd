import { TextInput } from '../controls/text-input.tsx'
import { useWords, useWordsOf } from '../words/language.tsx'
import { CheckOption } from './check-option.tsx'
import type { TypedUser } from './typed-user.ts'
import { chosenNames, holding, holds } from './user-status.ts'
import { userWords } from './user-words.ts'

interface Props {
  readonly typed: TypedUser
  readonly onChange: (typed: TypedUser) => void
  readonly isOwn?: boolean
}

/** What the appliance requires of a text (spec: Limits), said at the field; that an empty one is missing is said anyway. */
const unless =
  (form: RegExp, message: string) =>
  (typed: string): string | undefined =>
    typed === '' || form.test(typed.trim()) ? undefined : message

/** The fields of a new or existing user. */
export function UserFields({ typed, onChange, isOwn = false }: Props) {
  const words = useWordsOf(userWords)
  const { wrong } = useWords()
  const text = (name: 'username' | 'fullname' | 'email') => ({
    value: typed[name],
    onChange: (value: string) => onChange({ ...typed, [name]: value }),
    isRequired: true,
    autoComplete: 'off',
  })
  return (
    <>
      <TextInput
        {...text('fullname')}
        label={words.fullname}
        description={words.fullnameHelp}
        validate={unless(/^.{5,64}$/u, words.badFullname)}
        autoFocus
      />
      <TextInput
        {...text('username')}
        label={words.username}
        description={words.usernameHelp}
        validate={unless(/^[-\w.@]{5,32}$/, words.badUsername)}
        kind="name"
      />
      <TextInput
        {...text('email')}
        label={words.email}
        validate={unless(/^[^@\s]+@[^@\s]+$/, wrong.typeMismatch)}
        kind="name"
        inputMode="email"
      />
      <fieldset className="checks">
        <legend>{words.capabilities}</legend>
        {isOwn && <p className="soft">{words.ownCapabilities}</p>}
        {chosenNames.map((name) => (
          <CheckOption
            key={name}
            isSelected={holds(typed.status, name)}
            onChange={(isSet) => onChange({ ...typed, status: holding(typed.status, name, isSet) })}
          >
            {words.capabilityNames[name]}
          </CheckOption>
        ))}
      </fieldset>
    </>
  )
}
