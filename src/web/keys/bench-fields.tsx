import { TextInput } from '../controls/text-input.tsx'
import { useWordsOf } from '../words/language.tsx'
import type { BenchOperation } from './bench-calls.ts'
import type { BenchDraft } from './bench-draft.ts'
import { benchWords } from './bench-words.ts'
import { BytesInput } from './bytes-input.tsx'
import { SelectInput } from '../controls/select-input.tsx'
import { NativeCheckbox } from '../controls/native-checkbox.tsx'
import { familyOf } from './type-names.ts'

interface Props {
  readonly operation: BenchOperation
  readonly type: string | undefined
  readonly versions: readonly string[]
  readonly draft: BenchDraft
  readonly mayOpenDataKeys: boolean
  readonly onChange: (change: Partial<BenchDraft>) => void
}

const takesData: readonly BenchOperation[] = ['encrypt', 'sign', 'verify', 'hmac', 'hash']
const takesAad: readonly BenchOperation[] = ['encrypt', 'decrypt', 'rewrap', 'datakey']
const takesCiphertext: readonly BenchOperation[] = ['decrypt', 'rewrap']
const takesVersion: readonly BenchOperation[] = ['encrypt', 'rewrap', 'datakey', 'sign', 'hmac']

/** The input of an operation, without that which the type of the key determines. */
export function BenchFields({ operation, type, versions, draft, mayOpenDataKeys, onChange }: Props) {
  const own = useWordsOf(benchWords)
  const family = type === undefined ? undefined : familyOf(type)
  return (
    <>
      {takesData.includes(operation) && (
        <BytesInput
          label={own.data}
          given={draft.data}
          rows={3}
          hasFiles
          onChange={(change) => onChange({ data: { ...draft.data, ...change } })}
        />
      )}
      {takesCiphertext.includes(operation) && (
        <TextInput
          label={own.ciphertext}
          kind="code"
          rows={3}
          isRequired
          value={draft.ciphertext}
          onChange={(ciphertext) => onChange({ ciphertext })}
        />
      )}
      {operation === 'verify' && (
        <TextInput
          label={family === 'hmac' ? own.hmac : own.signature}
          kind="code"
          rows={3}
          isRequired
          value={draft.signature}
          onChange={(signature) => onChange({ signature })}
        />
      )}
      {takesAad.includes(operation) && family === 'gcm' && (
        <BytesInput
          label={own.aad}
          description={own.aadHelp}
          given={draft.aad}
          rows={1}
          onChange={(change) => onChange({ aad: { ...draft.aad, ...change } })}
        />
      )}
      {(operation === 'sign' || operation === 'verify') && (
        <SigningFields family={family} draft={draft} onChange={onChange} />
      )}
      {operation === 'hash' && <HashField draft={draft} usual="SHA-256" onChange={onChange} />}
      {operation === 'random' && (
        <TextInput
          label={own.bytes}
          inputMode="numeric"
          isRequired
          value={draft.count}
          onChange={(count) => onChange({ count })}
        />
      )}
      {operation === 'datakey' && <DataKeyFields draft={draft} mayOpenDataKeys={mayOpenDataKeys} onChange={onChange} />}
      {takesVersion.includes(operation) && versions.length > 1 && (
        <SelectInput
          label={own.keyVersion}
          value={draft.keyVersion}
          options={[{ value: '', text: own.newest }, ...versions.toReversed().map((value) => ({ value, text: value }))]}
          onChange={(keyVersion) => onChange({ keyVersion })}
        />
      )}
    </>
  )
}

function DataKeyFields({ draft, mayOpenDataKeys, onChange }: Pick<Props, 'draft' | 'mayOpenDataKeys' | 'onChange'>) {
  const own = useWordsOf(benchWords)
  return (
    <>
      <SelectInput
        label={own.bits}
        value={draft.bits}
        options={lengths.map((value) => ({ value, text: value }))}
        onChange={(chosen) => onChange({ bits: lengths.find((one) => one === chosen) ?? '256' })}
      />
      {mayOpenDataKeys && (
        <NativeCheckbox label={own.isOpen} isChecked={draft.isOpen} onChange={(isOpen) => onChange({ isOpen })} />
      )}
    </>
  )
}

const lengths = ['128', '256', '512'] as const
const hashes = ['sha2-256', 'sha2-384', 'sha2-512'] as const

interface HashProps {
  readonly draft: BenchDraft
  readonly usual: string
  readonly onChange: Props['onChange']
}

function HashField({ draft, usual, onChange }: HashProps) {
  const own = useWordsOf(benchWords)
  return (
    <SelectInput
      label={own.hashAlgorithm}
      value={draft.hash}
      options={[
        { value: '', text: usual },
        ...hashes
          .map((value) => ({ value, text: value.replace('sha2-', 'SHA-') }))
          .filter(({ text }) => text !== usual),
      ]}
      onChange={(chosen) => onChange({ hash: hashes.find((one) => one === chosen) ?? '' })}
    />
  )
}

function SigningFields({
  family,
  draft,
  onChange,
}: Pick<Props, 'draft' | 'onChange'> & { readonly family?: string | undefined }) {
  const own = useWordsOf(benchWords)
  if (family !== 'rsa' && family !== 'ecdsa') return null
  return (
    <>
      <HashField draft={draft} usual={own.usualHash} onChange={onChange} />
      {family === 'rsa' ? (
        <SelectInput
          label={own.padding}
          value={draft.padding}
          options={[
            { value: 'pss', text: 'PSS' },
            { value: 'pkcs1v15', text: 'PKCS #1 v1.5' },
          ]}
          onChange={(padding) => onChange({ padding: padding === 'pss' ? padding : 'pkcs1v15' })}
        />
      ) : (
        <SelectInput
          label={own.form}
          value={draft.form}
          options={[
            { value: 'asn1', text: own.forms.asn1 },
            { value: 'jws', text: own.forms.jws },
          ]}
          onChange={(form) => onChange({ form: form === 'jws' ? form : 'asn1' })}
        />
      )}
      <NativeCheckbox
        label={own.isPrehashed}
        isChecked={draft.isPrehashed}
        onChange={(isPrehashed) => onChange({ isPrehashed })}
      />
    </>
  )
}
