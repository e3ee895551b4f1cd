import { WandSparkles } from 'lucide-react'
import { useMemo, useState } from 'react'
import { Button } from 'react-aria-components/Button'
import { useHiddenText } from '../controls/hidden-text.tsx'
import { TextInput } from '../controls/text-input.tsx'
import type { Field } from '../interface/calls.ts'
import { TotpCode } from '../objects/totp-code.tsx'
import { isForSeeds, seedIn } from '../objects/totp-seed.ts'
import { useWords, useWordsOf } from '../words/language.tsx'
import { editingWords } from './editing-words.ts'
import { PasswordGenerator } from './password-generator.tsx'
import { PolicyCheck } from './policy-check.tsx'
import type { RulesByName } from './policy-rules.ts'

/** The password policy of a vault. */
export interface VaultPolicy {
  readonly id: string
  readonly rules: RulesByName
}

interface Props {
  readonly field: Field
  readonly labelNote: string | undefined
  readonly value: string
  readonly onChange: (value: string) => void
  readonly policy: VaultPolicy
  readonly autoFocus?: boolean
}

/** A field for a short secret. The typing is hidden, unless the person wants to see it. */
export function SecretInput({ field, labelNote, value, onChange, policy, autoFocus = false }: Props) {
  const words = useWords()
  const own = useWordsOf(editingWords)
  const [isGenerating, setIsGenerating] = useState(false)
  const [isJoined, setIsJoined] = useState(false)
  const { translation, fieldname, type, opt, placeholder } = field
  const hidden = useHiddenText(translation)
  const hasCodes = isForSeeds(field)
  const seed = useMemo(() => (hasCodes ? seedIn(value) : undefined), [hasCodes, value])
  const hasRules = field.policy && Object.keys(policy.rules).length > 0
  return (
    <>
      <div
        className="secret-input"
        onPaste={({ clipboardData }) => setIsJoined(/[\r\n]/.test(clipboardData.getData('text').trim()))}
      >
        <TextInput
          label={translation}
          labelNote={labelNote}
          kind="code"
          type={hidden.type}
          autoComplete="new-password"
          autoFocus={autoFocus}
          value={value}
          onChange={onChange}
          isRequired={!opt}
          description={placeholder !== undefined ? own.example(placeholder) : hasCodes ? own.seedHelp : undefined}
          {...(hasCodes && { validate: (text) => (text === '' || seedIn(text) ? null : words.noSeed) })}
        />
        <div className="beside">
          {hidden.button}
          {type === 'text-passwdgen' && (
            <Button
              className="button small"
              aria-label={own.generateFor(translation)}
              onPress={() => setIsGenerating(true)}
            >
              <WandSparkles aria-hidden />
              {own.generate}
            </Button>
          )}
        </div>
        <p role="status" className="mark-weak">
          {isJoined && value !== '' && own.joined}
        </p>
        {seed && <TotpCode seed={seed} label={translation} />}
        {hasRules && <PolicyCheck rules={policy.rules} value={value} />}
      </div>
      {/* Not within: React would take what is pasted into the dialog for pasted into the field. */}
      {isGenerating && (
        <PasswordGenerator
          policyid={hasRules ? policy.id : undefined}
          isPin={/pin/.test(fieldname)}
          onUse={(passphrase) => {
            onChange(passphrase)
            hidden.show()
          }}
          onClose={() => setIsGenerating(false)}
        />
      )}
    </>
  )
}
