import { TextInput } from '../controls/text-input.tsx'
import { useWordsOf } from '../words/language.tsx'
import { CheckOption } from './check-option.tsx'
import { chosenNames, holding, holds } from './user-status.ts'
import { userWords } from './user-words.ts'

/** The typed properties of a user. */
export interface TypedUser {
  readonly username: string
  readonly fullname: string
  readonly email: string
  readonly status: number
}

interface Props {
  readonly typed: TypedUser
  readonly onChange: (typed: TypedUser) => void
  readonly isOwn?: boolean
}

/** The fields of a new or existing user. */
export function UserFields({ typed, onChange, isOwn = false }: Props) {
  const words = useWordsOf(userWords)
  const text = (name: 'username' | 'fullname' | 'email') => ({
    value: typed[name],
    onChange: (value: string) => onChange({ ...typed, [name]: value }),
    isRequired: true,
    autoComplete: 'off',
  })
  return (
    <>
      <TextInput {...text('fullname')} label={words.fullname} autoFocus />
      <TextInput {...text('username')} label={words.username} description={words.usernameHelp} kind="name" />
      <TextInput {...text('email')} label={words.email} kind="name" inputMode="email" />
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
