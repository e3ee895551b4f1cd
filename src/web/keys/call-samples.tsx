import { useId, useState } from 'react'
import { Choice } from '../controls/choice.tsx'
import { useWordsOf } from '../words/language.tsx'
import type { DoneCall } from './bench-calls.ts'
import { benchWords } from './bench-words.ts'
import { CopyButton } from './copy-button.tsx'
import { sampleText, type SampleLanguage } from './sample-text.ts'

const languages: readonly SampleLanguage[] = ['curl', 'Node.js', 'Python']

/** The last call, as a program makes it. */
export function CallSamples({ done }: { readonly done: DoneCall }) {
  const own = useWordsOf(benchWords)
  const [language, setLanguage] = useState<SampleLanguage>('curl')
  const id = useId()
  const text = sampleText[language](done)
  return (
    <div className="call-samples">
      <div className="bar">
        <h3 id={id}>{own.asProgram}</h3>
        <CopyButton what={`${own.asProgram} (${language})`} text={text} />
      </div>
      <Choice
        label={own.language}
        value={language}
        options={languages.map((value) => ({ value, text: value }))}
        onChange={setLanguage}
      />
      <p className="soft">{done.dataMember === undefined ? own.asProgramHelpWithoutInput : own.asProgramHelp}</p>
      {/* In the tab order, so that the keyboard can scroll wide lines. */}
      <pre tabIndex={0} role="region" aria-labelledby={id}>
        {text}
      </pre>
    </div>
  )
}
