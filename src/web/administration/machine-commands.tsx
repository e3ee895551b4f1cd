import { useWordsOf } from '../words/language.tsx'
import { administrationWords } from './administration-words.ts'

interface Props {
  readonly title: string
  readonly text: string
  readonly commands: readonly string[]
}

/** Commands for the operator on the machine of the appliance. */
export function MachineCommands({ title, text, commands }: Props) {
  const { onMachine } = useWordsOf(administrationWords)
  return (
    <section className="on-machine" aria-label={title}>
      <h2>{title}</h2>
      <p>{text}</p>
      <p className="soft">{onMachine}</p>
      {commands.map((command) => (
        <p key={command}>
          <code>{command}</code>
        </p>
      ))}
    </section>
  )
}
